"""The turn that said what no longer holds is old knowledge: recall puts it below the turn that replaced it."""

from __future__ import annotations

import pytest

from rememora import Rememora, UserMemory
from rememora.domain.hit import Hit

OLD, NEW = "a verba da Dom Chico ficou em 4.500", "a verba da Dom Chico ficou em 6.200"


async def ask(rememora: Rememora) -> list[Hit]:
    return await rememora.user("ana", tenant="acme").recall("verba da Dom Chico", kinds=["message"])


@pytest.mark.parametrize("settled", [False, True], ids=["by words alone", "embedded"])
async def test_a_turn_whose_fact_was_replaced_ranks_below_its_successor(
    rememora: Rememora, ana: UserMemory, settled: bool
) -> None:
    """Asked before and after: the same two turns, the older with less, and the explanation says why."""
    old = await ana.conversation("c1").append("user", OLD)
    await ana.remember("projects.budget", 4500, source_ref=old.id, conversation="c1")
    if settled:
        await rememora.settle()
    (before,) = await ask(rememora)
    new = await ana.conversation("c2").append("user", NEW)
    outcome = await ana.remember("projects.budget", 6200, source_ref=new.id, conversation="c1")
    first, second = await ask(rememora)

    assert "superseded" not in before.parts
    assert 1 == len(outcome.replaced)
    assert [new.id, old.id] == [first.id, second.id]
    assert 0 > second.parts["superseded"]
    assert "superseded" not in first.parts


async def test_a_turn_that_still_says_something_keeps_its_place(rememora: Rememora, ana: UserMemory) -> None:
    """Two facts came from it, and one still holds."""
    old = await ana.conversation("c1").append("user", OLD)
    await ana.remember("projects.budget", 4500, source_ref=old.id, conversation="c1")
    await ana.remember("projects.client", "Dom Chico", source_ref=old.id, conversation="c1")
    await ana.remember("projects.budget", 6200, conversation="c1")
    (hit,) = await ask(rememora)

    assert "superseded" not in hit.parts


async def test_another_process_that_reads_from_the_start_knows_it_too(rememora: Rememora, ana: UserMemory) -> None:
    """What is superseded is told by the store, not by who was there."""
    old = await ana.conversation("c1").append("user", OLD)
    await ana.remember("projects.budget", 4500, source_ref=old.id, conversation="c1")
    await ana.remember("projects.budget", 6200, conversation="c1")
    await rememora.settle()
    async with Rememora.open(settings=rememora.settings, background=False) as other:
        (hit,) = await ask(other)

    assert 0 > hit.parts["superseded"]
