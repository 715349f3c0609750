"""Events keep the version they were written in, through migrations forward and back."""

from __future__ import annotations

import json

from tests.migrations.test_moves import Kept

from rememora import Rememora

OLD = {"episode", "turns"}


async def talk(kept: Kept, conversation: str) -> None:
    """Ten turns, which make an episode."""
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation(conversation)
        for number in range(5):
            await chat.append("user", f"pergunta {number}")
            await chat.append("assistant", f"resposta {number}")
        await rememora.settle()


async def test_events_of_both_versions_live_side_by_side(kept: Kept) -> None:
    """What the version before wrote is read in today's names, and today's goes back in the names of then."""
    query = "SELECT payload FROM outbox WHERE type = 'memory.episode.created' ORDER BY position"
    await talk(kept, "c1")
    kept.move("0012")
    before = [set(json.loads(row[0])) for row in kept.asked(query)]
    kept.move()
    await talk(kept, "c2")
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        company = rememora.tenant("acme", acting="root")
        new = [event for event in await company.events.list(schema=2) if event.type == "memory.episode.created"]
        old = [event for event in await company.events.list(schema=1) if event.type == "memory.episode.created"]
        episodes = await rememora.user("ana", tenant="acme").conversations.episodes()

    assert [OLD] == before
    assert [("c1", 10), ("c2", 10)] == [(item.payload["session_id"], item.payload["turn_count"]) for item in new]
    assert [2, 2] == [item.version for item in new]
    assert (
        {episode.id for episode in episodes}
        == {item.payload["episode"] for item in old}
        == {item.subject for item in new}
    )
