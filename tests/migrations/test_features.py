"""Features come with their version and are made in the background; what was there before is found all along."""

from __future__ import annotations

from tests.migrations.test_moves import Kept

from rememora import Rememora
from rememora.testing import WordEmbedder

BELOW = "0024"
MADE = "SELECT COUNT(*) FROM index_entries WHERE features IS NOT NULL"


async def test_down_and_up_again_with_what_was_said(kept: Kept) -> None:
    """Down, no features are left; up, a question is answered at once, and the worker makes them anew."""
    async with Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append_many({"role": "user", "content": f"o pedido{n} é da loja"} for n in range(5))
        await rememora.settle()
    before = kept.asked(MADE)
    kept.move(BELOW)
    messages = kept.asked("SELECT COUNT(*) FROM index_entries WHERE kind = 'message'")
    kept.move()
    after = kept.asked(MADE)
    async with Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False) as rememora:
        hits = await rememora.user("ana", tenant="acme").recall("pedido3", limit=1)
        await rememora.settle()

        assert ["o pedido3 é da loja"] == [hit.content for hit in hits]
        assert ([(5,)], [(0,)]) == (messages, after)
        assert before == kept.asked(MADE)
