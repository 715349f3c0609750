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

from rememora import ADMIN, Rememora
from rememora.testing import WordEmbedder

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = {
    str(page.relative_to(ROOT)): page
    for page in [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")]
    if page.stat().st_size
}


ELSEWHERE = {"docs/how-to/crewai.md", "docs/how-to/crewai.pt-BR.md"}
"""Pages whose code needs an environment of its own: `tests/apart` runs it."""


def blocks(page: Path) -> list[str]:
    """The Python of a page, piece by piece."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if blocks(page) and name not in ELSEWHERE])
async def test_the_code_of_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From top to bottom, in an empty folder, later pieces knowing the earlier ones.

    A piece that awaits stands on a stage: an open memory, its user Ana, and a conversation of hers.
    """
    monkeypatch.chdir(tmp_path)
    async with Rememora.open(":memory:", embedder=WordEmbedder(), background=False) as rememora:
        known = await stage(rememora)
        for block in blocks(PAGES[name]):
            code = compile(block, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            if code.co_flags & inspect.CO_COROUTINE:
                await FunctionType(code, known)()
            else:
                await asyncio.to_thread(exec, code, known)


async def stage(rememora: Rememora) -> dict[str, object]:
    """What pages take for granted."""
    ana = rememora.user("ana", tenant="acme")
    chat = ana.conversation("c1")
    for number in range(30):
        await chat.append(
            "user" if number % 2 == 0 else "assistant", f"Pedido {number} da Padaria Sol, R$ {number},00."
        )
    await ana.remember("people.tom.role", "fornecedor")
    kept = await ana.remember("prefs.short_answers", True)
    await rememora.settle()
    names = {"rememora": rememora, "ana": ana, "chat": chat, "memory": kept.memory, "ADMIN": ADMIN}
    return {"__name__": "__main__", **names}


@pytest.mark.parametrize("name", ["README.md", "README.pt-BR.md"])
def test_the_front_page_shows_code(name: str) -> None:
    """Whoever comes first sees how it is used, in either language."""
    page = ROOT / name

    assert not page.exists() or not page.stat().st_size or blocks(page)
