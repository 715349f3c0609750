"""Somebody who acts for a person: their name and reason go on record, and without the right nothing is shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.clock import MIDDAY

from rememora import Rememora, UserMemory
from rememora.domain.rights import ADMIN
from rememora.errors import InvalidInput, RightMissing

LOOKS: dict[str, Callable[[UserMemory], Awaitable[Any]]] = {
    "memories": lambda ana: ana.memories.list(),
    "memory": lambda ana: ana.memories.get("user.name"),
    "history": lambda ana: ana.memories.history("user.name"),
    "as_of": lambda ana: ana.memories.as_of(MIDDAY),
    "entities": lambda ana: ana.entities.list(),
    "export": lambda ana: ana.archive.export(),
}


async def entries(rememora: Rememora) -> list[tuple[str, str, str]]:
    """Who did what and why, as the chain has it."""
    chain = await rememora.tenant("acme", acting="boss").audit.list()
    return [(item.actor, item.action, item.why) for item in chain]


@pytest.mark.parametrize("name", LOOKS)
async def test_looking_through_goes_on_record_first(rememora: Rememora, ana: UserMemory, name: str) -> None:
    """Who looked and why stands in the chain; the owner looks without a record."""
    await ana.remember("user.name", "Ana")
    before = await entries(rememora)
    await LOOKS[name](ana)

    assert before == await entries(rememora)

    bia = rememora.user("ana", tenant="acme", rights=ADMIN, acting="bia", reason="ticket 4711")
    await LOOKS[name](bia)

    assert [*before, ("bia", "read", "ticket 4711")] == await entries(rememora)


@pytest.mark.parametrize("name", LOOKS)
async def test_without_right_or_reason_nothing_is_shown(rememora: Rememora, name: str) -> None:
    """The right is asked for, then the reason."""
    await rememora.user("ana", tenant="acme").remember("user.name", "Ana")

    with pytest.raises(RightMissing):
        await LOOKS[name](rememora.user("ana", tenant="acme", acting="bia", reason="curious"))
    with pytest.raises(InvalidInput, match="reason"):
        await LOOKS[name](rememora.user("ana", tenant="acme", rights=ADMIN, acting="bia"))


async def test_changes_name_who_made_them(rememora: Rememora) -> None:
    """What somebody changes for a person stands under their name and reason, not the person's."""
    bia = rememora.user("ana", tenant="acme", rights=ADMIN, acting="bia", reason="by phone")
    await bia.remember("user.name", "Ana")
    await bia.memories.correct("user.name", "Ana Maria", why="misspelt")
    await bia.forget("user.name")
    result = await entries(rememora)

    assert {"bia"} == {actor for actor, _, _ in result}
    assert {"by phone", "misspelt"} >= {why for _, _, why in result} > set()


async def test_erasing_for_another_needs_the_right(rememora: Rememora) -> None:
    """Only somebody with the right erases for a person, and is named."""
    await rememora.user("ana", tenant="acme").remember("user.name", "Ana")
    with pytest.raises(RightMissing):
        await rememora.user("ana", tenant="acme", acting="bia").erase(person=True)
    await rememora.user("ana", tenant="acme", rights=ADMIN, acting="bia").erase(person=True)

    assert ("bia", "erase") == (await entries(rememora))[-1][:2]


async def test_history_of_a_key_is_that_of_all_that_stood_under_it(ana: UserMemory) -> None:
    """Created, replaced, forgotten: by its key as by ids, also when nothing is active under it."""
    first = (await ana.remember("user.location", "Recife")).memories[0]
    second = (await ana.remember("user.location", "Olinda")).memories[0]
    await ana.forget("user.location")
    by_ids = [*await ana.memories.history(first.id), *await ana.memories.history(second.id)]

    assert sorted(by_ids, key=lambda entry: entry.position) == await ana.memories.history("user.location")
    assert [] == await ana.memories.history("user.name")
