"""The source of the package, parsed and walked once for all the tests that read it."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "rememora"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its path."""
    return _parsed(PACKAGE, sorted(PACKAGE.rglob("*.py")))


@cache
def helpers() -> dict[str, ast.Module]:
    """Every module of the tests, the benches and the tools by its path."""
    files = [file for folder in ("tests", "bench", "tools") for file in sorted((ROOT / folder).rglob("*.py"))]
    return _parsed(ROOT, files)


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a module, in the order of `ast.walk`."""
    return tuple(ast.walk(tree))


def _parsed(folder: Path, files: Iterable[Path]) -> dict[str, ast.Module]:
    # A million objects that stay: collections would go through them again and again, and find no garbage.
    collecting = gc.isenabled()
    gc.disable()
    try:
        result = {str(file.relative_to(folder)): ast.parse(file.read_text(encoding="utf-8")) for file in files}
    finally:
        if collecting:
            gc.enable()
    gc.freeze()
    return result


def functions() -> Iterator[tuple[str, Function]]:
    """Every function of the package, with the module it stands in."""
    for path, tree in modules().items():
        for node in nodes(tree):
            if isinstance(node, Function):
                yield f"{path}:{node.name}", node
