"""A change of what was seen: in code as over REST, made only if the memory stands as it was."""

from __future__ import annotations

import asyncio

import pytest

from rememora import Memory, UserMemory, edition_of
from rememora.errors import ChangedMeanwhile, NotFound

RACES = 10


async def test_of_two_changes_of_one_edition_one_is_made(ana: UserMemory) -> None:
    """Whoever comes second is told, whatever the two wanted."""
    outcomes = []
    for number in range(RACES):
        [memory] = (await ana.remember(f"user.note{number}", "x")).memories
        seen = {edition_of(memory)}
        both = (ana.forget(memory.id, seen=seen), ana.memories.correct(memory.id, "y", seen=seen))
        outcomes.append(
            sorted(type(result).__name__ for result in await asyncio.gather(*both, return_exceptions=True))
        )

    assert [["ChangedMeanwhile", "Outcome"]] * RACES == outcomes


async def test_every_verb_keeps_to_what_was_seen(ana: UserMemory) -> None:
    """Any of several editions will do, an old one will not, and what is not there is not found."""
    [first] = (await ana.remember("user.city", "Recife")).memories
    old = {edition_of(first)}
    [quiet] = (await ana.memories.suppress("user.city", seen={*old, "another"})).memories
    for act in (ana.forget, ana.memories.suppress, ana.memories.restore):
        with pytest.raises(ChangedMeanwhile):
            await act("user.city", seen=old)
    back = await ana.memories.restore("user.city", seen={edition_of(quiet)})
    with pytest.raises(NotFound):
        await ana.forget("user.hobby", seen=old)

    assert (True, False) == (quiet.suppressed, back.suppressed)
    assert isinstance(back, Memory)
    assert edition_of(back) == edition_of(await ana.memories.get("user.city"))
