"""What a memory says of its time, its rule and its doubt comes and goes with its version; the memory stays."""

from __future__ import annotations

from tests.migrations.test_moves import Kept

from rememora import Rememora

BELOW = "0025"


async def test_down_and_up_again_with_what_is_known(kept: Kept) -> None:
    """Down, subject and attribute are gone; up, they are read from the key, and timelines are as they were."""
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

        assert [("me", "location")] == before == after
        assert ["Recife", "Olinda"] == timeline
        assert timeline == [held.value for held in await ana.memories.timeline("me", "location")]


KEYS = {
    "user.name": ("me", "name"),
    "people.joao_pedro.role": ("joao pedro", "role"),
    "projects.aurora.deadline": ("aurora", "deadline"),
    "operating.hours.monday": ("company", "monday"),
}
"""Keys of every kind, with the subject and the attribute that keeping them today gives."""


async def test_memories_without_subject_get_the_one_that_keeping_them_gives(kept: Kept) -> None:
    """Rows of every kind of key from before are filled as a new one is, those of two tenants apart."""
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        for tenant in ("acme", "bravo"):
            for key in KEYS:
                await rememora.user("ana", tenant=tenant).remember(key, "x")
    query = "SELECT tenant_id, key, subject, attribute FROM memories ORDER BY tenant_id, key"
    before = [tuple(row) for row in kept.asked(query)]
    kept.move(BELOW)
    kept.move()

    assert sorted((tenant, key, *KEYS[key]) for tenant in ("acme", "bravo") for key in KEYS) == before
    assert before == [tuple(row) for row in kept.asked(query)]
