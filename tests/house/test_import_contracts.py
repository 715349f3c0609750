"""The import contracts name every room and every engine: one that is added is not left out of them."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.house.source import PACKAGE, ROOT

EVERYWHERE = {"msgspec", "numpy", "rememora"}
"""What any room may import: the nouns' library, arrays, and ourselves."""
NO_ENGINES = {"bson"}
"""MongoDB's types, which come with its driver."""


def contracts() -> dict[str, dict[str, Any]]:
    """The contracts by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return {contract["name"]: contract for contract in project["tool"]["importlinter"]["contracts"]}


def rooms() -> set[str]:
    """Every module and package right under `rememora`, but what only starts it."""
    names = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    return {f"rememora.{name}" for name in names - {"__init__", "__main__"}}


def imported(folder: Path) -> Iterator[str]:
    """The packages that modules of a folder import, wherever they do."""
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield (node.module or "").partition(".")[0]


def test_every_room_but_adapters_is_kept_from_engines() -> None:
    """A new room is added to the contract, or this fails."""
    assert rooms() - {"rememora.adapters"} == set(contracts()["Only adapters know an engine"]["source_modules"])


def test_every_engine_is_named() -> None:
    """Each package that an adapter imports is kept out of the other rooms."""
    outside = set(imported(PACKAGE / "adapters")) - EVERYWHERE - sys.stdlib_module_names
    named = set(contracts()["Only adapters know an engine"]["forbidden_modules"])

    assert outside - NO_ENGINES <= named
    assert "sqlite3" in named


def test_adapters_are_kept_from_every_verb() -> None:
    """The floors between adapters and ports are verbs, and so are those beside adapters."""
    floors: list[str] = contracts()["Layers"]["layers"]
    names = [[part.strip(" ()") for part in floor.replace(":", "|").split("|")] for floor in floors]
    first = next(place for place, floor in enumerate(names) if "rememora.adapters" in floor)
    last = next(place for place, floor in enumerate(names) if "rememora.ports" in floor)
    verbs = {name for floor in names[first:last] for name in floor} - {"rememora.adapters"}

    assert verbs == set(contracts()["Adapters never call a verb"]["forbidden_modules"])
