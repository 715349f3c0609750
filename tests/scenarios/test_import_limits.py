"""Imports: what is too much is refused or clipped and said, and others write meanwhile."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.clock import MIDDAY

from rememora import Rememora, UserMemory
from rememora.errors import InvalidInput

HEAD = {"format": "rememora.export", "version": 1}


def entity(number: int, mentions: int) -> dict[str, Any]:
    """An entity as an export has it."""
    at = (MIDDAY - timedelta(minutes=number)).isoformat()
    return {
        "tenant": "x",
        "user": "x",
        "id": f"e{number}",
        "key": f"produto {number}",
        "type": "product",
        "value": number,
        "confidence": 0.8,
        "conversation": None,
        "mentions": mentions,
        "created_at": at,
        "updated_at": at,
    }


def memory(number: int) -> dict[str, Any]:
    """A memory as an export has it."""
    return {
        "memory": {
            "tenant": "x",
            "user": "x",
            "id": f"k{number}",
            "scope": "personal",
            "category": "preferences",
            "key": f"prefs.item_{number}",
            "value": f"gosta do item {number}",
            "confidence": 1.0,
            "status": "active",
            "source": "explicit_user",
            "origin": "user_said",
            "created_at": MIDDAY.isoformat(),
            "updated_at": MIDDAY.isoformat(),
        }
    }


async def test_five_thousand_entities_come_to_as_many_as_a_user_may_have(ana: UserMemory) -> None:
    """The most mentioned are kept, no count is higher than an import may claim, and the result says how many."""
    document = {**HEAD, "entities": [entity(number, 10**9 if number < 5 else number) for number in range(1, 5001)]}
    brought = await ana.archive.load(document)
    known = await ana.entities.list(limit=200)

    assert (50, 4950) == (brought.entities, brought.left_out)
    assert 4 + 4000 == brought.clipped
    assert {1000} == {item.mentions for item in known}
    assert 50 == len(known)


@pytest.mark.parametrize("mentions", [0, -1])
async def test_a_count_that_is_none_is_refused(ana: UserMemory, mentions: int) -> None:
    """Whoever was never mentioned is no entity."""
    with pytest.raises(InvalidInput, match="mentions"):
        await ana.archive.load({**HEAD, "entities": [entity(1, mentions)]})


class TestSmall:
    """Imports under small limits."""

    @pytest.fixture
    def overrides(self) -> dict[str, object]:
        return {"imports.memories": 3, "imports.entities": 2, "imports.messages": 4, "imports.batch": 1}

    async def test_a_document_that_is_too_large_is_refused_whole(self, ana: UserMemory) -> None:
        """The refusal names the field, its size and the setting; nothing came in."""
        for field, items in (
            ("memories", [memory(n) for n in range(4)]),
            ("entities", [entity(n, 1) for n in (1, 2, 3)]),
        ):
            with pytest.raises(InvalidInput, match=f"imports.{field}"):
                await ana.archive.load({**HEAD, field: items})

        assert () == (await ana.memories.list()).items
        assert [] == await ana.entities.list()

    async def test_a_conversation_in_pieces_is_the_same_conversation(self, rememora: Rememora) -> None:
        """Messages, order, turns and episodes are what they were where it came from."""
        ana, bia = (rememora.user(name, tenant="acme") for name in ("ana", "bia"))
        chat = bia.conversation("c1")
        for number in range(3):
            await chat.append("user" if number % 2 == 0 else "assistant", f"mensagem {number}")
        await chat.append_episode(title="Começo", summary="Três mensagens.")
        brought = await ana.archive.load(await bia.archive.export())
        said = (await ana.conversation("c1").messages()).items

        assert 3 == brought.messages
        assert [(1, "mensagem 0"), (2, "mensagem 1"), (3, "mensagem 2")] == [
            (item.seq, item.content) for item in said
        ]
        assert ["Começo"] == [episode.title for episode in await ana.conversation("c1").list_episodes()]
        assert 0 == (await ana.archive.load(await bia.archive.export())).messages


async def test_others_write_while_an_import_is_under_way(rememora: Rememora, ana: UserMemory) -> None:
    """An import of a thousand memories is several transactions: messages of others come between them."""
    chat = rememora.user("bia", tenant="acme").conversation("c1")
    bringing = asyncio.create_task(
        ana.archive.load({**HEAD, "memories": [memory(number) for number in range(1000)]})
    )
    between = 0
    while not bringing.done():
        await chat.append("user", f"mensagem {between}")
        between += 1

    assert 1000 == (await bringing).memories
    assert between > 3
