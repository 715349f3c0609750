"""An erasure that reads a long history lets every other tenant write meanwhile."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.attacks.counts import Probe

from rememora import Rememora, UserMemory
from rememora.adapters.sql.visibility import SqlSources
from rememora.domain.receipt import ErasureArguments

PATIENCE = 60.0
WISHES: tuple[ErasureArguments, ...] = ({"topic": "operating"}, {"memory": "operating.rule"})
WRITES = 20


async def test_others_write_while_a_history_is_read(
    rememora: Rememora, ana: UserMemory, monkeypatch: pytest.MonkeyPatch, probe: Probe
) -> None:
    """What is erased is looked for in the person's history before the one writer is taken, and not within."""
    begun, written = threading.Event(), threading.Event()
    saying = SqlSources.saying

    def slowly(*given: Any, **more: Any) -> Any:
        begun.set()
        assert written.wait(PATIENCE)
        return saying(*given, **more)

    monkeypatch.setattr(SqlSources, "saying", slowly)
    bia = rememora.user("bia", tenant="other").conversation("c1")
    for wish in WISHES:
        begun.clear()
        written.clear()
        await ana.conversation("c1").reply("Salva que o relatório de vendas sai toda sexta-feira de manhã.")
        await ana.remember("operating.rule", "o relatório sai na sexta", evidence="o relatório de vendas sai toda")
        erasing = asyncio.create_task(ana.erase(**wish))
        try:
            assert await asyncio.to_thread(begun.wait, PATIENCE), wish
            for number in range(WRITES):
                async with asyncio.timeout(PATIENCE / 2):
                    stored = await bia.append("user", f"linha {number}")
                probe(stored.seq > 0 and not erasing.done(), wish)
        finally:
            written.set()
        probe((await erasing).counts["memories"] > 0, wish)
