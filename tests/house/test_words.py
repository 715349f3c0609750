"""Words of natural language live in the language packs: no module of the package holds a list of them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tests.house.source import PACKAGE, modules, nodes
from tests.looped import looped

from rememora.language.packs import (
    BUILTIN,
    CODES,
    cue_words_of,
    figure_words_of,
    gate_words_of,
    length_words_of,
    lexicon_of,
    phrases_of,
    topic_words_of,
    words_of,
)

# Where words may stand in a module, and why.
ALLOWED = {
    "context/fence.py": "the marks of other models' prompts, which are no words",
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


# Tables outside of the packs that may have words, and why.
TEXTS = {
    "dashboard/demo.toml": "what people of an example say",
    "dashboard/words/en.toml": "the texts of the pages, one language per file",
    "dashboard/words/pt.toml": "the texts of the pages, one language per file",
    "server/pages/operations.pt.toml": "the texts of a page, one language per file",
}


def test_words_stand_in_the_packs_alone() -> None:
    """Other tables hold names, frames and figures; the texts of a page stand once for each language."""
    worded = set()
    for path in PACKAGE.rglob("*.toml"):
        texts = " ".join(text for _, text in leaves(tomllib.loads(path.read_text("utf-8"))))
        if len(set(WORD.findall(texts.lower())) & FUNCTION_WORDS) > MANY:
            worded.add(path.relative_to(PACKAGE).as_posix())

    # What the rules of the gate may say is held below.
    assert {place for place in worded if not place.startswith(("languages/", "gate/rules/"))} == TEXTS.keys()


def test_every_list_of_figures_topics_cues_and_lengths_is_used() -> None:
    """A list that no module asks for is dead."""
    readers: dict[str, Callable[[str], Iterable[str]]] = {
        "knowledge/mentions/figure_words.py": lambda code: figure_words_of(code).lists,
        "knowledge/topics.py": topic_words_of,
        "history/sentences.py": lambda code: {**cue_words_of(code).patterns, **cue_words_of(code).lists},
        "knowledge/answer_length.py": lambda code: length_words_of(code).requests,
    }
    for module, read in readers.items():
        source = (PACKAGE / module).read_text("utf-8")
        given = {name for code in BUILTIN for name in read(code)}

        assert given
        assert [name for name in given if not re.search(rf"\b{name}\b", source)] == []


def test_every_part_of_a_request_is_used() -> None:
    """A part that no request names is dead."""
    packs = [length_words_of(code) for code in BUILTIN]
    texts = [text for pack in packs for text in (*pack.parts.values(), *pack.requests.values())]
    texts.append((PACKAGE / "knowledge/answer_length.py").read_text("utf-8"))
    named = {name for text in texts for name in re.findall(r"\{([a-z_]+)\}", text)}

    assert {name for pack in packs for name in pack.parts} == named - {"opening", "ending", "filled"}


RULES = sorted((PACKAGE / "gate/rules").glob("*.toml"))
# Where words may stand in the rules of the gate, and why.
IN_RULES = {
    "orders.toml: frame.patterns": "tags and marks of other models' prompts",
    "sensitive.toml: secret.patterns": "the forms of keys and addresses",
    "words.toml: lists": "signs that stand for nothing",
    "topics.toml: timezones": "names of cities",
    "sensitive.toml: health.terms": "stems of the international names of medicines",
}


# Strings that are names of this code: of classes in frames, of kinds, keys and reasons.
NAMING = (".frames", ".harm", ".kind", ".key", ".code")
TABLES = ("lexicon.toml", "policy.toml")


def leaves(piece: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a rule file, with where it stands."""
    if isinstance(piece, Mapping):
        for name, inner in piece.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(piece, list):
        for inner in piece:
            yield from leaves(inner, path)
    elif isinstance(piece, str):
        yield path, piece


def worded_rules() -> Iterator[str]:
    """The places of the rules with words of natural language in a pattern."""
    for file in RULES:
        for path, text in leaves(tomllib.loads(file.read_text("utf-8"))):
            plain = re.sub(r"\{[a-z0-9_]+\}", " ", text)
            words = set(WORD.findall(NAMES.sub(" ", plain).lower()))
            if path.endswith(NAMING) or file.name in TABLES:
                continue
            if words & FUNCTION_WORDS or len([word for word in words if len(word) > FEW]) >= MANY:
                yield f"{file.name}: {path}"


def test_the_rules_of_the_gate_have_no_words_of_natural_language() -> None:
    """A rule names its words, and the packs give them, one language per file."""
    places = {place for place in worded_rules() if not place.startswith(tuple(IN_RULES))}

    assert places == set()


def test_every_name_of_the_rules_is_given_by_a_pack_and_used() -> None:
    """A name that no rule mentions is dead; one that no pack gives matches nothing."""
    texts = [file.read_text("utf-8") for file in RULES]
    packs = [gate_words_of(code) for code in BUILTIN]
    given = {name for pack in packs for name in (*pack.words, *pack.lines)}
    said = [text for pack in packs for text in (*pack.words.values(), *pack.lines.values())]
    facts = [(PACKAGE / f"languages/{code}/facts.toml").read_text("utf-8") for code in BUILTIN]
    mentioned = {name for text in (*texts, *said, *facts) for name in re.findall(r"\{([a-z][a-z0-9_]*)\}", text)}
    neutral = tomllib.loads((PACKAGE / "gate/rules/words.toml").read_text("utf-8"))["words"]
    # Filled from the calendar, and from the groups of a fact's own pattern.
    elsewhere = {"month", "weekday", "v", "name", "kin"}

    assert given - mentioned == set()
    assert mentioned - given - neutral.keys() - elsewhere == set()


def test_every_list_of_the_packs_is_used() -> None:
    """A list or a table of pairs that no module asks for is dead."""
    source = "\n".join(file.read_text(encoding="utf-8") for file in (PACKAGE / "gate").glob("*.py"))
    given = {name for code in BUILTIN for name in (*gate_words_of(code).lists, *gate_words_of(code).pairs)}

    assert [name for name in given if f'"{name}"' not in source] == []


def test_every_class_of_words_is_used() -> None:
    """A class that no frame and no weight names is dead; a weight without words weighs nothing."""
    used: set[str] = set()
    for file in RULES:
        for path, text in leaves(tomllib.loads(file.read_text("utf-8"))):
            if path.endswith((".frames", ".harm")):
                used |= set(re.findall(r"[a-z0-9_]+", text))
    weights = tomllib.loads((PACKAGE / "gate/rules/orders.toml").read_text("utf-8"))["evidence"]["weights"]

    neutral = tomllib.loads((PACKAGE / "gate/rules/lexicon.toml").read_text("utf-8"))
    given = {*neutral, *(name for code in BUILTIN for name in lexicon_of(code).classes)}

    assert given <= used | weights.keys()
    # Kinds of tokens, which no list of words has.
    assert weights.keys() - given == {"email", "url", "number", "quote"}


def test_every_phrase_of_a_pack_is_used() -> None:
    """A name that no module mentions is dead."""
    source = "\n".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py"))
    mentioned = set(re.findall(r"\{([a-z_]+)\}|(?:plain_words|behind)\([\"']([a-z_]+)", source))
    names = {name for pair in mentioned for name in pair}
    edges = {f"true_{edge}" for edge in ("since", "from", "until")}

    assert {name for code in CODES for name in phrases_of(code)} - names - edges == set()
