"""What a person wants silenced or forgotten stays out of every pack, and history keeps what was said."""

from __future__ import annotations

import pytest

from rememora import Rememora
from rememora.testing import WordEmbedder


@pytest.mark.parametrize(
    "wish",
    ["não fala mais do meu divórcio", "para de mencionar meu divórcio", "don't mention my divórcio again, please"],
)
async def test_what_is_not_to_be_mentioned_is_kept_and_stays_silent(wish: str) -> None:
    """Suppressing in chat is neither forgetting nor erasing: the memory stays, and never reaches the model."""
    async with Rememora.open(":memory:", embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        kept = await ana.remember("user.marital_status", "divórcio em andamento")
        await ana.conversation("c1").reply(wish)
        await rememora.settle()
        pack = await ana.conversation("c2").context("como vai o divórcio?")
        memory = await ana.memory(kept.memory.id if kept.memory else "")

        assert ("active", True) == (memory.status, memory.suppressed)
        assert not [item for item in pack.items if memory.id == item.id]
        assert not [hit for hit in await ana.recall("divórcio") if hit.kind == "memory"]


async def test_what_is_forgotten_is_not_quoted_from_where_it_was_said() -> None:
    """The message stays in history, but no pack brings the forgotten fact up again; said anew, it may be told."""
    async with Rememora.open(":memory:", embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").reply("Meu aniversário é dia 12 de março.")
        await ana.conversation("c1").reply("Esquece meu aniversário.")
        await rememora.settle()
        quiet = await ana.conversation("c2").context("Quando é meu aniversário?")
        await ana.conversation("c3").reply("Meu aniversário é dia 12 de março.")
        await rememora.settle()
        loud = await ana.conversation("c2").context("Quando é meu aniversário?")

        said = (await ana.conversation("c1").messages()).items[0]
        assert "aniversário" in said.content
        assert said.id not in [item.id for item in quiet.items]
        assert [item for item in loud.items if item.kind == "memory"]
