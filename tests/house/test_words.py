"""Words of natural language live in the language packs: no module of the package holds a list of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.house.source import PACKAGE, modules, nodes
from tests.looped import looped

from rememora.language.packs import BUILTIN, CODES, phrases_of, words_of

# Where words may stand in a module, and why.
ALLOWED = {
    "context/fence.py": "the marks of other models' prompts, which are no words",
    "knowledge/mentions/unmarked.py": "the names of models of telephones",
    "language/stems.py": "endings that an algorithm cuts, not words",
    "server/pages/wording.py": "names of the page's texts; the texts stand once for each language",
}
WORD = re.compile(r"[^\W\d_]{2,}")
# Words of code, of contractions and of endings that are function words somewhere too.
NEUTRAL = frozenset(
    WORD.findall("am as at by do in is no on or to me re ve ll se si ha la el al os an it he we us up so")
)
FUNCTION_WORDS = frozenset(word for code in BUILTIN for word in words_of(code).stop if len(word) > 1) - NEUTRAL
PATTERN = re.compile(r"\(\?[:=!<P]|\\[bswWSd]|\[\^")
NAMES = re.compile(r"\{[a-z_]+\}|\(\?P[<=]\w+[>)]|\\.|\[[^\]]*\]")
WORD_LIST = re.compile(r"\n(?:[a-zà-ÿ']{2,}(?:=[a-zà-ÿ']+)?\s+){12,}")
FEW = 2
"""Function words that a list may have by chance: names of code are words too."""
MANY = 6
"""Words of any kind, of three letters and more, that make a list of a pattern."""


def told(tree: ast.Module) -> set[int]:
    """Constants that say nothing to the program: docstrings, and the strings after a table."""
    return {
        id(node.value)
        for node in nodes(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every string constant that the program uses."""
    silent = told(tree)
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node


def is_worded(pattern: str) -> bool:
    """Return whether a pattern has function words, or many words, beside names of groups and letter classes."""
    words = set(WORD.findall(NAMES.sub(" ", pattern).lower()))
    return len(words & FUNCTION_WORDS) > 1 or len([word for word in words if len(word) > FEW]) >= MANY


def listed(tree: ast.Module) -> Iterator[tuple[int, set[str]]]:
    """Function words that stand side by side in a set, a list, a tuple or the keys of a table."""
    for node in nodes(tree):
        items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", None)
        words = {
            item.value for item in items or () if isinstance(item, ast.Constant) and isinstance(item.value, str)
        }
        yield getattr(node, "lineno", 0), {word for word in words if word.lower() in FUNCTION_WORDS}


def words_in(path: str) -> list[str]:
    """The places of a module with words of natural language, each with what stands there."""
    tree = modules()[path]
    places = [f"{line}: {sorted(words)}" for line, words in listed(tree) if len(words) > FEW]
    for node in strings(tree):
        text = str(node.value)
        if WORD_LIST.fullmatch(text) or (PATTERN.search(text) and is_worded(text)):
            places.append(f"{node.lineno}: {text[:80]!r}")
    return places


@looped("path", [path for path in modules() if path not in ALLOWED])
def test_a_module_has_no_words_of_natural_language(path: str) -> None:
    """Patterns name their words, and the packs give them."""
    assert words_in(path) == []


def test_what_is_allowed_has_words() -> None:
    """An exception that is no longer needed goes."""
    assert [path for path in ALLOWED if not words_in(path)] == []


def test_every_phrase_of_a_pack_is_used() -> None:
    """A name that no module mentions is dead."""
    source = "\n".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py"))
    mentioned = set(re.findall(r"\{([a-z_]+)\}|(?:plain_words|behind)\([\"']([a-z_]+)", source))
    names = {name for pair in mentioned for name in pair}
    edges = {f"true_{edge}" for edge in ("since", "from", "until")}

    assert {name for code in CODES for name in phrases_of(code)} - names - edges == set()
