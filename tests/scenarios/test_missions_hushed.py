"""Events of missions that wait in Redis to be told: an erasure reaches them, whoever has them in hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

import pytest
from tests.clock import SetClock
from tests.engines.redis import shared_cluster, shared_redis

from rememora.adapters.redis.client import RedisClient
from rememora.adapters.redis.missions import RedisMissions
from rememora.domain.event import Event
from rememora.domain.scope import SHARED, Scope
from rememora.errors import StoreUnavailable
from rememora.missions import Missions
from rememora.settings import MissionSettings


class Outbox:
    """Where missions tell: closed, open, or held in the middle."""

    def __init__(self) -> None:
        self.told: list[Event] = []
        self.open = False
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()

    async def __call__(self, scope: Scope, events: Sequence[Event]) -> None:
        if not self.open:
            raise StoreUnavailable("closed")
        self.reached.set()
        await self.go_on.wait()
        self.told += events


class World:
    """A mission store of one prefix, and where it tells."""

    def __init__(self, url: str, clock: SetClock) -> None:
        self.outbox = Outbox()
        self.clock = clock
        line = RedisClient(url, field="missions.url", seconds=20, connections=8)
        self.missions = RedisMissions(line, prefix=uuid4().hex, clock=clock, tell=self.outbox)

    async def begin(self, scope: Scope) -> None:
        """One more mission, with one event to tell."""
        await Missions(self.missions, clock=self.clock, settings=MissionSettings()).create(scope, "q")

    async def sweep(self) -> list[tuple[str, str]]:
        """Tell what waits; whose it was."""
        self.outbox.open = True
        self.outbox.go_on.set()
        await self.missions.scrub_everywhere()
        return [(event.tenant, event.user) for event in self.outbox.told]


@pytest.fixture(params=[shared_redis, shared_cluster], ids=["redis", "redis-cluster"])
async def world(request: pytest.FixtureRequest, clock: SetClock) -> AsyncIterator[World]:
    made = World(request.param(), clock)
    yield made
    await made.missions.close()


async def test_what_waits_of_a_person_is_never_told(world: World) -> None:
    """The outbox was closed, the person is erased, the outbox opens: only others are told of."""
    for user in ("ana", "bob"):
        await world.begin(Scope("acme", user, "c1"))
    await world.missions.erase(Scope("acme", "ana"))

    assert [("acme", "bob")] == await world.sweep()


async def test_what_waits_of_a_conversation_is_never_told(world: World) -> None:
    """Of one conversation alone."""
    for place in ("c1", "c2"):
        await world.begin(Scope("acme", "ana", place))
    await world.missions.erase(Scope("acme", "ana", "c1"))
    await world.sweep()

    assert ["c2"] == [event.conversation for event in world.outbox.told]


async def test_what_waits_of_a_tenant_is_never_told(world: World) -> None:
    """Every user of it, and no other tenant."""
    for tenant in ("acme", "zeta"):
        await world.begin(Scope(tenant, "ana", "c1"))
    await world.missions.erase(Scope("acme", SHARED))

    assert [("zeta", "ana")] == await world.sweep()


@pytest.mark.parametrize("user", ["ana", SHARED])
async def test_an_erasure_waits_for_what_is_being_told(world: World, user: str) -> None:
    """What somebody has in hand is in the outbox once the missions are erased, and so the store erases it."""
    order: list[str] = []
    world.outbox.open = True

    async def erase() -> None:
        await world.missions.erase(Scope("acme", user))
        order.append(f"erased after {len(world.outbox.told)} told")

    telling = asyncio.create_task(world.begin(Scope("acme", "ana", "c1")))
    await world.outbox.reached.wait()
    erasing = asyncio.create_task(erase())
    await asyncio.wait([erasing], timeout=0.3)
    world.outbox.go_on.set()
    await asyncio.gather(telling, erasing)

    assert ["erased after 1 told"] == order
