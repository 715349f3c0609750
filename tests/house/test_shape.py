"""The shape of the code: short files, short functions, names that say what a thing is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest
from tests.house.source import PACKAGE, ROOT, Function, functions, modules, nodes

import rememora

FILE_LINES, FUNCTION_LINES, PARAMETERS = 600, 60, 8
DRAWN_WITH_MORE = {
    "app.py:open",
    "cli/erase.py:erase",
    "handles/user/__init__.py:recall",
    "sync/app.py:open",
}
DRAWERS = {"util", "utils", "common", "misc", "v2"}
"""Names that say nothing; *handler*, *manager* or *helper* are allowed: the plain word wins."""
SECRETS_OF_PEOPLE = frozenset({"content", "text", "payload", "metadata", "value", "evidence", "query"})


def test_exports_are_sorted_and_complete() -> None:
    """What `rememora` offers is a list: constants first, then sorted, each name once, nothing public left out."""
    tree = modules()["__init__.py"]
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    imported = [alias.asname or alias.name for node in imports for alias in node.names]

    assert sorted(set(imported), key=lambda name: (not name.isupper(), name)) == rememora.__all__
    assert all(hasattr(rememora, name) for name in rememora.__all__)


@pytest.mark.parametrize("folder", ["src", "tests", "bench", "tools"])
def test_files_are_short(folder: str) -> None:
    """No file has more than 600 lines."""
    lengths = {
        str(file): len(file.read_text(encoding="utf-8").splitlines()) for file in (ROOT / folder).rglob("*.py")
    }

    assert {} == {file: length for file, length in lengths.items() if length > FILE_LINES}


def test_most_files_are_very_short() -> None:
    """The median file of the package has at most 150 lines."""
    assert median(lines(file) for file in PACKAGE.rglob("*.py")) <= 150


def test_functions_are_short() -> None:
    """No function has more than 60 lines, and half of them at most 9."""
    lengths = {name: (node.end_lineno or 0) - node.lineno + 1 for name, node in functions()}

    assert {} == {name: length for name, length in lengths.items() if length > FUNCTION_LINES}
    assert median(lengths.values()) <= 9


def test_functions_take_few_parameters() -> None:
    """At most seven, and the object itself; what the design draws with more is named."""
    counts = {name: len(node.args.args) + len(node.args.kwonlyargs) for name, node in functions()}
    counts = {name: count for name, count in counts.items() if name not in DRAWN_WITH_MORE}

    assert {} == {name: count for name, count in counts.items() if count > PARAMETERS}


def test_names_say_what_a_thing_is() -> None:
    """No module, class or function is named after a drawer."""
    named = {path: Path(path).with_suffix("").parts for path in modules()}
    result = {path: parts for path, parts in named.items() if drawers(*parts)}
    for path, tree in modules().items():
        for node in nodes(tree):
            if isinstance(node, Function | ast.ClassDef) and drawers(node.name):
                result[f"{path}:{node.name}"] = ()

    assert {} == result


def test_a_drawer_is_recognised() -> None:
    """The rule above can fail."""
    assert ["utils"] == drawers("text_utils")
    assert ["misc"] == drawers("MemoryMisc")
    assert [] == drawers("metadata", "information", "version", "score", "MemoryHandler")


def test_no_import_of_ours_inside_a_function() -> None:
    """What a module needs of the package stands at its head."""
    names = [
        name
        for name, function in functions()
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom | ast.Import) and _is_ours(node)
    ]

    assert [] == names


def test_every_module_says_what_it_is() -> None:
    """Each begins with a docstring, and defers its annotations."""
    assert [] == [path for path, tree in modules().items() if not ast.get_docstring(tree)]


def test_logs_hold_no_content() -> None:
    """A log line is a fixed text with names and numbers: nothing formatted in, nothing that somebody said."""
    items = [
        f"{path}:{call.lineno}"
        for path, tree in modules().items()
        for call in nodes(tree)
        if isinstance(call, ast.Call) and _is_log(call) and _tells_too_much(call)
    ]

    assert [] == items


def test_only_the_terminal_prints() -> None:
    """`print` is for the command line."""
    items = [
        f"{path}:{call.lineno}"
        for path, tree in modules().items()
        for call in nodes(tree)
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "print"
        and not path.startswith(("cli/", "command.py"))
    ]

    assert [] == items


def test_only_settings_read_the_environment() -> None:
    """One module reads the environment; what is handed down to a child process is not read."""
    paths = [
        path
        for path, tree in modules().items()
        for node in _reading(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("os.environ", "os.getenv")
    ]

    assert ["settings/__init__.py"] == sorted(set(paths))


def _reading(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those of assignments' left sides."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)):
            yield node
            yield from _reading(node)


def lines(file: Path) -> int:
    """How many lines a file has."""
    return len(file.read_text(encoding="utf-8").splitlines())


def drawers(*names: str) -> list[str]:
    """The drawer words in these names."""
    words = [word.lower() for name in names for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]
    return [word for word in words if word in DRAWERS]


def _is_ours(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").partition(".")[0] == "rememora"
    return any(alias.name.partition(".")[0] == "rememora" for alias in node.names)


def _is_log(call: ast.Call) -> bool:
    return ast.unparse(call.func).startswith(("logger.", "logging.")) and not ast.unparse(call).startswith(
        "logging.getLogger"
    )


def _tells_too_much(call: ast.Call) -> bool:
    first, *rest = call.args
    names = {node.attr for arg in rest for node in ast.walk(arg) if isinstance(node, ast.Attribute)}
    names |= {node.id for arg in rest for node in ast.walk(arg) if isinstance(node, ast.Name)}
    return not isinstance(first, ast.Constant) or bool(names & SECRETS_OF_PEOPLE)
