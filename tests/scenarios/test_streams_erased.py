"""What was told of somebody over Redis is taken back when that somebody is erased, and does not come late."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.clock import SetClock
from tests.engines.redis import fresh_cluster, fresh_redis
from tests.happening import happen
from tests.scenarios.test_event_streams import Ear, beside

from rememora import Event, Rememora, Settings
from rememora.engines import open_stream


@pytest.fixture(params=[fresh_redis, fresh_cluster], ids=["redis", "redis-cluster"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    return beside(request.param(), tmp_path, **{"redis.window_seconds": 0})


@pytest.fixture
async def filled(rememora: Rememora, clock: SetClock) -> Rememora:
    """Events of two people of two tenants on the stream; a moment later."""
    await rememora.events.relay_to_redis(from_start=True)
    for tenant in ("acme", "zeta"):
        for name in ("ana", "bob"):
            person = rememora.user(name, tenant=tenant)
            await happen(rememora, "c1", "c2", user=name, tenant=tenant)
            await person.remember("user.name", name)
            await person.remember("user.city", "Recife")
    await rememora.settle()
    clock.advance(1)
    return rememora


async def standing(settings: Settings) -> list[Event]:
    """Every event on the stream."""
    stream = open_stream(settings)
    group = uuid4().hex
    await stream.begin(group, from_start=True)
    taken = await stream.take(group, "me", limit=1000, wait_seconds=0)
    await stream.close()
    return [item.event for item in taken if item.event is not None]


def about(events: list[Event], **overrides: Any) -> list[Event]:
    """Those of them with such fields."""
    return [event for event in events if all(getattr(event, name) == value for name, value in overrides.items())]


async def test_a_person_is_taken_off_the_stream(filled: Rememora, settings: Settings) -> None:
    """All of theirs and nobody else's; the receipt counts them, and says where bytes may be left."""
    before = await standing(settings)
    receipt = await filled.user("ana", tenant="acme").erase(person=True)
    left = await standing(settings)

    assert [] == about(left, tenant="acme", user="ana")
    assert about(left, tenant="acme", user="bob")
    assert about(left, tenant="zeta", user="ana")
    assert len(before) - len(left) == receipt.counts["stream_events"] > 3
    assert any("files of Redis" in item for item in receipt.remains)
    assert (await filled.tenant("acme", acting="boss").audit.verify_receipt(receipt)).genuine


async def test_a_conversation_and_a_topic_are_taken_off(filled: Rememora, settings: Settings) -> None:
    """Only what speaks of them goes."""
    ana = filled.user("ana", tenant="acme")
    one = await ana.erase(conversation="c1")
    other = await ana.erase(topic="user.city")
    left = about(await standing(settings), tenant="acme", user="ana")

    assert (1, 2) == (one.counts["stream_events"], other.counts["stream_events"])
    assert ["c2"] == [event.conversation for event in left if event.conversation]
    assert {"user.name"} == {event.payload["key"] for event in left if "key" in event.payload}


async def test_a_tenant_is_taken_off(filled: Rememora, settings: Settings) -> None:
    """Every user's events of it, and no other tenant's."""
    receipt = await filled.operator(acting="root").tenants.erase("acme", confirm="acme")
    left = await standing(settings)

    assert {"zeta"} == {event.tenant for event in left}
    assert len(left) == receipt.counts["stream_events"]


@pytest.mark.parametrize("what", ["person", "conversation", "tenant"])
async def test_what_a_relay_had_in_hand_is_not_added_late(filled: Rememora, settings: Settings, what: str) -> None:
    """It was read from the outbox before the erasure and comes to Redis after it; what happens later does come."""
    held = about(await standing(settings), tenant="acme", user="ana", conversation="c1")[0]
    if what == "person":
        await filled.user("ana", tenant="acme").erase(person=True)
    elif what == "conversation":
        await filled.user("ana", tenant="acme").erase(conversation="c1")
    else:
        await filled.operator(acting="root").tenants.erase("acme", confirm="acme")
    stream = open_stream(settings)
    await stream(held)
    await stream.close()
    late = about(await standing(settings), id=held.id)
    await happen(filled, "c1")
    await filled.settle()

    assert [] == late
    assert 1 == len(about(await standing(settings), tenant="acme", user="ana", conversation="c1"))


async def test_a_consumer_goes_on_past_what_was_erased(filled: Rememora, clock: SetClock) -> None:
    """It had taken events that are gone now: it is done with them, and hears the others when it can."""
    ear = Ear("c1", "c2")
    await filled.events.consume("crm", ear, from_start=True)
    await filled.settle()
    await filled.user("ana", tenant="acme").erase(person=True)
    ear.refused.clear()
    await happen(filled, "c9")
    for _ in range(3):
        clock.advance(60)
        await filled.settle()

    assert ["c9"] == [
        event.conversation for event in about(ear.heard, tenant="acme", user="ana") if event.conversation
    ]
    assert 2 == len([event for event in about(ear.heard, tenant="acme", user="bob") if event.conversation])


async def test_a_stream_that_does_not_answer_is_named(tmp_path: Path) -> None:
    """Nobody listens where Redis should be: the person is erased, and the receipt says what may stand there."""
    expected = beside({"redis.url": "redis://127.0.0.1:1/0"}, tmp_path, **{"redis.window_seconds": 0})
    async with Rememora.open(settings=expected, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.name", "Ana")
        receipt = await ana.erase(person=True)

    assert 1 == receipt.counts["memories"]
    assert ["100000" in item for item in receipt.remains if "Redis stream" in item] == [True]
