"""The index on what memories were learned from comes and goes; what it is asked for is answered either way."""

from __future__ import annotations

from tests.migrations.test_moves import Kept

from rememora import Rememora
from rememora.testing import WordEmbedder

BELOW = "0028"
OLD, NEW = "a verba da Dom Chico ficou em 4.500", "a verba da Dom Chico ficou em 6.200"


async def test_down_and_up_again_with_a_fact_that_was_replaced(kept: Kept) -> None:
    """Which turn was superseded is told after the way down and up as before it, and memories stay."""
    async with Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for said, value in ((OLD, 4500), (NEW, 6200)):
            turn = await ana.conversation("c1").append("user", said)
            await ana.remember("projects.budget", value, source_ref=turn.id, conversation="c1")
        await rememora.settle()
    before = kept.asked("SELECT id, source_ref, status FROM memories ORDER BY id")
    kept.move(BELOW)
    kept.move()
    after = kept.asked("SELECT id, source_ref, status FROM memories ORDER BY id")
    async with Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        # Said once more: the turns are read as changed ones, beside what was learned from them.
        await ana.conversation("c1").append("user", "obrigada")
        hits = await ana.recall("verba da Dom Chico", kinds=["message"])

        assert (2, before) == (len(after), after)
        assert {NEW: False, OLD: True} == {hit.content: "superseded" in hit.parts for hit in hits[:2]}
