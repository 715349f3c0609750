"""What a memory says of its time, its rule and its doubt comes and goes with its version; the memory stays."""

from __future__ import annotations

from tests.migrations.test_moves import Kept

from rememora import Rememora

BELOW = "0025"


async def test_down_and_up_again_with_what_is_known(kept: Kept) -> None:
    """Down, whom and what it is about is gone; up, what is kept then has it, and timelines are as they were."""
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.location", "Recife")
        await ana.remember("user.location", "Olinda")
    before = kept.asked("SELECT subject, attribute FROM memories WHERE status = 'active'")
    kept.move(BELOW)
    kept.move()
    after = kept.asked("SELECT subject, attribute FROM memories WHERE status = 'active'")
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        timeline = [held.value for held in await ana.memories.timeline("user.location")]

        assert ([("me", "location")], [(None, None)]) == (before, after)
        assert ["Recife", "Olinda"] == timeline
        assert timeline == [held.value for held in await ana.memories.timeline("me", "location")]
