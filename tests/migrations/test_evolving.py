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


STATEMENTS = {
    "user.relation_s1a2b3c4": (None, "relation"),
    "people.joao_pedro.role_s1a2b3c4": ("joao pedro", "role"),
    "tools.tool_s1a2b3c4": (None, "tool"),
    "user.name": ("me", "name"),
}
"""Keys of statements and of a slot, with the subject and the attribute that keeping them today gives."""


async def test_attributes_lose_the_digest_of_the_words(kept: Kept) -> None:
    """Rows that were filled with the digest get the attribute of a new one; a guessed subject is unknown again."""
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        for tenant in ("acme", "bravo"):
            for key in STATEMENTS:
                await rememora.user("ana", tenant=tenant).remember(key, "uma frase qualquer")
    query = "SELECT tenant_id, key, subject, attribute FROM memories ORDER BY tenant_id, key"
    before = [tuple(row) for row in kept.asked(query)]
    kept.move(BELOW)
    kept.move("0030")
    filled = {row[3] for row in kept.asked(query)}
    kept.move()
    after = [tuple(row) for row in kept.asked(query)]
    kept.move("0030")
    back = [tuple(row) for row in kept.asked(query)]
    kept.move()
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        values = await rememora.user("ana", tenant="acme").memories.timeline("João Pedro", "role")

    assert {"relation_s1a2b3c4", "role_s1a2b3c4", "tool_s1a2b3c4", "name"} == filled
    assert sorted((tenant, key, *STATEMENTS[key]) for tenant in ("acme", "bravo") for key in STATEMENTS) == after
    assert before == after == back == [tuple(row) for row in kept.asked(query)]
    assert ["uma frase qualquer"] == [value.value for value in values]
