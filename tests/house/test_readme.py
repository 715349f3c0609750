"""The code in the documents runs as it is printed."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from pathlib import Path
from types import FunctionType

import pytest
from tests.house.source import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = {
    str(page.relative_to(ROOT)): page
    for page in [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")]
    if page.stat().st_size
}


def blocks(page: Path) -> list[str]:
    """The Python of a page, piece by piece."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if blocks(page)])
def test_the_code_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From top to bottom, in an empty folder, later pieces knowing the earlier ones."""
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(PAGES[name]):
        code = compile(block, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(FunctionType(code, known)())
        else:
            exec(code, known)


@pytest.mark.parametrize("name", ["README.md", "README.pt-BR.md"])
def test_the_front_page_shows_code(name: str) -> None:
    """Whoever comes first sees how it is used, in either language."""
    page = ROOT / name

    assert not page.exists() or not page.stat().st_size or blocks(page)
