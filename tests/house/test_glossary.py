"""One word, one meaning: class names, the openings of docstrings, and the terms of the glossary."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.house.source import PACKAGE, ROOT, Function, helpers, modules, nodes

MIRRORS = {"Memory": "compat/mem0.py"}
"""Names that another product's interface gives."""
GENERATED = ("adapters/sql/migrations/",)
RELATIVE = re.compile(
    r"^(What|Whatever|Who|Whoever|Whom|Whose|Which|Whichever|That|Where|Wherever|When|Whenever|How|However|Whether"
    r"|Why|Whence|So (many|much|long|far)|As (many|much))\b"
)
ROW = re.compile(r"^\| ([a-z][^|]*?) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
HEAD = ("term", "termo")


def classes() -> Iterator[tuple[str, str]]:
    """Every class of the package that is written by hand, with its module."""
    for path, tree in modules().items():
        if not path.startswith(GENERATED):
            for node in nodes(tree):
                if isinstance(node, ast.ClassDef):
                    yield node.name, path


def public_docstrings(tree: ast.AST, name: str = "") -> Iterator[tuple[str, str]]:
    """The docstrings of a module and of what it offers; nothing inside a private class or a function."""
    if isinstance(tree, ast.Module | ast.ClassDef | Function) and (text := ast.get_docstring(tree)):
        yield name, text
    if isinstance(tree, Function):
        return
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | Function) and not re.match(r"_[^_]", node.name):
            yield from public_docstrings(node, f"{name}.{node.name}".lstrip("."))


def terms(page: str) -> list[tuple[str, str]]:
    """The terms of a glossary, each with its column of names."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [(term, names) for term, names in ROW.findall(text) if term not in HEAD]


def defined() -> set[str]:
    """Names of packages, modules, classes, functions and methods."""
    names = {part for path in modules() for part in path.removesuffix(".py").split("/")}
    for tree in modules().values():
        names |= {node.name for node in nodes(tree) if isinstance(node, ast.ClassDef | Function)}
    return names


def test_a_class_name_means_one_thing() -> None:
    """No two classes of the package share a name, but where one mirrors another product's."""
    places: dict[str, list[str]] = {}
    for name, path in classes():
        if MIRRORS.get(name) != path:
            places.setdefault(name, []).append(path)

    assert {} == {name: paths for name, paths in places.items() if len(paths) > 1}


def test_public_docstrings_open_with_a_verb_or_a_noun() -> None:
    """None begins with a relative clause: a reader wants to know what it is or does."""
    lines = [
        f"{path}:{name}: {text.splitlines()[0]}"
        for path, tree in modules().items()
        if not path.startswith(GENERATED)
        for name, text in public_docstrings(tree)
        if RELATIVE.match(text)
    ]

    assert [] == lines


@pytest.mark.parametrize(
    ("text", "relative"),
    [("What comes of it.", True), ("So many days.", True), ("Return what changed.", False), ("Whether so.", True)],
)
def test_a_relative_clause_is_recognised(text: str, relative: bool) -> None:
    """The rule above can fail."""
    assert relative == bool(RELATIVE.match(text))


def test_terms_of_the_glossary_are_in_the_code() -> None:
    """Each term names something that the package defines."""
    known = defined()
    named = {term: re.findall(r"`(\w+)`", names) for term, names in terms("glossary.md")}

    assert len(named) >= 60
    assert all(named.values())
    assert {} == {term: names for term, names in named.items() if not known.issuperset(names)}


def test_a_term_is_listed_once_and_in_both_languages() -> None:
    """One row per term, and the Portuguese page has the same ones with the same names."""
    english, portuguese = terms("glossary.md"), terms("glossary.pt-BR.md")

    assert [] == [term for term, count in Counter(term for term, _ in english).items() if count > 1]
    assert english == portuguese


def test_the_package_is_read() -> None:
    """These rules look at real modules."""
    assert PACKAGE.is_dir()
    assert len(dict(classes())) > 500


EMPTY_NAMES = frozenset(
    {
        *("told", "heed", "shelf", "shelves", "hush", "tally", "mourned", "whither", "lookout", "lanes", "doomed"),
        *("around", "whereabouts", "lately", "outlived", "wanted", "asked", "each", "found", "here", "own"),
        *("beside", "standing"),
    }
)
"""Names of parameters and variables that say nothing of what they hold."""


def test_parameters_say_what_they_hold() -> None:
    """A parameter has the noun of its type for a name, such as `query` or `memories`, in tests as well."""
    empty = [
        f"{path}:{node.name}({argument.arg})"
        for path, tree in (modules() | helpers()).items()
        if not path.startswith(GENERATED)
        for node in nodes(tree)
        if isinstance(node, Function)
        for argument in (*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
        if argument is not None and argument.arg in EMPTY_NAMES
    ]

    assert [] == empty


def variables(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Names that modules, functions, loops and comprehensions bind, each with its line; not fields of classes."""
    fields = {id(part) for kind in nodes(tree) if isinstance(kind, ast.ClassDef) for part in targets(kind)}
    for node in nodes(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.lineno, node.id


def targets(kind: ast.ClassDef) -> Iterator[ast.AST]:
    """Return the names that the body of a class binds, and so offers as fields."""
    for statement in kind.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            yield from [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets


def test_variables_say_what_they_hold() -> None:
    """No variable is called `found` or `each`, nor in tests: the noun of a value is its name."""
    empty = [
        f"{path}:{line}: {name}"
        for path, tree in (modules() | helpers()).items()
        if not path.startswith(GENERATED)
        for line, name in variables(tree)
        if name in EMPTY_NAMES
    ]

    assert [] == empty


def test_a_nameless_variable_is_noticed() -> None:
    """The rule above can fail, for a loop, a comprehension, an assignment and a context; not for a field."""
    tree = ast.parse("for each in items: pass\n[own for _, own in pairs]\nfound = 1\nwith a as here: pass")

    assert [(1, "each"), (2, "_"), (2, "own"), (3, "found"), (4, "here")] == sorted(variables(tree))
    assert [] == list(variables(ast.parse("class A:\n    asked: str\n    told = 1")))
