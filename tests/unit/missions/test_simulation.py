"""A thousand missions in seeded time: what was planted to run away is stopped, what behaves is left alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from random import Random
from typing import TypeVar

import msgspec
import pytest

from rememora.domain.event import Payload
from rememora.domain.mission import Due, Mission, MissionChange
from rememora.domain.mission_codec import dump, load
from rememora.domain.mission_intake import Budget, Spend
from rememora.domain.mission_limits import Cutoffs
from rememora.domain.scope import Scope
from rememora.errors import (
    BreakerOpen,
    BudgetExceeded,
    DeadlinePassed,
    FloodRefused,
    LoopRefused,
    MissionRefused,
    NotFound,
)
from rememora.missions import Missions
from rememora.missions.guards import CallRequest
from rememora.missions.limits import Terms
from rememora.missions.settlement import Report
from rememora.missions.sweep import sweep
from rememora.settings import MissionSettings

T = TypeVar("T")
START = datetime(2026, 5, 4, 12, tzinfo=UTC)
SCOPE = Scope("acme", "ana", "c1")
SETTINGS = MissionSettings()
HEAD = ("id", "tenant", "user", "session", "created_at", "expires_at", "status", "closed_at", "revision")


class PlainStore:
    """Missions in a dictionary, through the same encoding as any store's: simulated time needs no disk."""

    def __init__(self) -> None:
        self.rows: dict[str, Mission] = {}
        self.told: list[Payload] = []

    async def create(self, scope: Scope, mission: Mission, *, events: Sequence[Payload] = ()) -> Mission:
        self._keep(mission)
        self.told += events
        return mission

    async def get(self, scope: Scope, mission_id: str) -> Mission:
        if mission_id not in self.rows:
            raise NotFound("mission", mission_id)
        return self.rows[mission_id]

    async def change(self, scope: Scope, mission_id: str, *, plan: Callable[[Mission], MissionChange[T]]) -> T:
        step = plan(await self.get(scope, mission_id))
        if step.mission is not None:
            self._keep(step.mission)
        self.told += step.events
        return step.outcome

    async def delete(self, scope: Scope, mission_id: str, *, events: Sequence[Payload] = ()) -> bool:
        self.told += events
        return self.rows.pop(mission_id, None) is not None

    async def erase(self, scope: Scope) -> int:
        gone = [mission for mission in self.rows.values() if mission.scope == scope]
        for mission in gone:
            del self.rows[mission.id]
        return len(gone)

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        return [mission for mission in self.rows.values() if mission.status == "active"][:limit]

    async def find_active_everywhere(self, *, limit: int = 50) -> list[Mission]:
        return await self.find_active(SCOPE, limit=limit)

    async def find_expired_everywhere(self, due: Cutoffs, *, limit: int = 200) -> list[Due]:
        before = {"active": due.active_before, "completed": due.completed_before}
        due_missions = [
            Due(scope=row.scope, mission_id=row.id, status=row.status, expired=row.expires_at <= due.now)
            for row in self.rows.values()
            if row.expires_at <= due.now
            or (row.closed_at or row.created_at) <= before.get(row.status, due.closed_before)
        ]
        return due_missions[:limit]

    async def scrub_everywhere(self) -> None:
        return None

    async def close(self) -> None:
        """Nothing to let go of."""

    def _keep(self, mission: Mission) -> None:
        head = {name: getattr(mission, name) for name in HEAD}
        self.rows[mission.id] = load(head, dump(mission))


class World:
    """Time, chance and the parts of one simulated process."""

    def __init__(self, seed: int) -> None:
        self.now = START
        self.chance = Random(seed)
        self.store = PlainStore()
        numbers = count()
        self.ids = (f"id-{number}" for number in numbers)
        self.missions = Missions(self.store, clock=lambda: self.now, ids=self.ids.__next__, settings=SETTINGS)
        self.mission_id = ""

    def wait(self, low: float, high: float) -> None:
        self.now += timedelta(seconds=self.chance.uniform(low, high))

    async def open(self, *, tokens: int = 20_000, calls: int = 50, timeout_s: int = 300) -> None:
        terms = Terms(timeout_s=timeout_s, budget=Budget(tokens=tokens, calls=calls))
        fallbacks = {"flaky": "steady"}
        self.mission_id = (await self.missions.create(SCOPE, "q", terms=terms, fallbacks=fallbacks)).id
        self.board = self.missions.board(SCOPE, self.mission_id)
        self.bus = self.missions.bus(SCOPE, self.mission_id)

    async def mission(self) -> Mission:
        return await self.store.get(SCOPE, self.mission_id)

    async def send(self, sender: str, to: str, *, tokens: int = 10, calls: int = 0) -> str:
        send = CallRequest(sender=sender, to=to, reserve=Spend(tokens=tokens, calls=calls), start=True)
        return (await self.bus.send(send)).id

    async def settle(self, message_id: str, *, ok: bool = True, tokens: int = 10) -> None:
        report = Report(ok=ok, spent=Spend(tokens=tokens))
        await self.bus.settle(message_id, report)

    async def finish(self) -> None:
        await self.board.close("completed")


def cyclic(graph: dict[str, dict[str, int]]) -> bool:
    left = {node: set(row) for node, row in graph.items()}
    while leaves := {node for node, row in left.items() if not row & left.keys()}:
        left = {node: row for node, row in left.items() if node not in leaves}
    return bool(left)


async def benign(world: World) -> None:
    """Layers call downward, fan out, meet again, repeat, fail now and then, and stay inside their means."""
    await world.open()
    leads = [f"lead{number}" for number in range(world.chance.randint(1, 3))]
    hands = [f"hand{number}" for number in range(world.chance.randint(2, 6))]
    for cycle in range(world.chance.randint(1, 3)):
        for lead in leads:
            query = await world.send("orchestrator", lead)
            under_way = [
                await world.send(lead, world.chance.choice(hands), tokens=200, calls=1)
                for _ in range(world.chance.randint(1, 5))
            ]
            if cycle:
                under_way.append(await world.send(hands[0], "archive", tokens=5))
            world.wait(0.5, 6)
            for message in world.chance.sample(under_way, len(under_way)):
                ok = world.chance.random() > 0.03
                await world.settle(message, ok=ok, tokens=world.chance.randint(0, 200 if ok else 5))
            await world.settle(query)
    mission = await world.mission()
    await world.finish()

    assert mission.bus.totals.refused == {}
    assert mission.bus.messages == {}
    assert mission.orchestrator.spent.fits(mission.orchestrator.budget)


async def loop(world: World) -> None:
    """A ring of agents, each calling the next, and the last the first: the closing call never happens."""
    await world.open()
    ring = [f"agent{number}" for number in range(world.chance.randint(1, 8))]
    await world.send("orchestrator", ring[0])
    for sender, to in pairwise(ring):
        message = await world.send(sender, to)
        if world.chance.random() < 0.5:
            await world.settle(message)
        world.wait(0, 2)
    for _ in range(world.chance.randint(1, 20)):
        with pytest.raises(LoopRefused):
            await world.send(ring[-1], world.chance.choice(ring))
    mission = await world.mission()

    assert not cyclic(mission.bus.graph)
    assert len(ring) == mission.bus.totals.sent


async def flood(world: World) -> None:
    """One agent sends as fast as it can: no ten seconds ever hold more than the window allows."""
    await world.open()
    admitted: list[datetime] = []
    refused = 0
    for _ in range(200):
        world.wait(0, 0.15)
        try:
            message = await world.send("orchestrator", "sink", tokens=1)
        except FloodRefused:
            refused += 1
            continue
        admitted.append(world.now)
        await world.settle(message, tokens=1)
    ten = timedelta(seconds=10)
    fullest = max(sum(first <= item < first + ten for item in admitted) for first in admitted)

    assert refused > 0
    assert SETTINGS.window_messages >= fullest
    assert sum(getattr(reply, "reason", "") == "flood" for reply in world.store.told) == 1


async def greed(world: World) -> None:
    """Parallel calls stay in the budget; one that takes twice its reservation is the last to take anything."""
    await world.open(tokens=world.chance.randint(1000, 5000))
    last = 0
    while True:
        batch = []
        try:
            for _ in range(world.chance.randint(1, 6)):
                expected = world.chance.randint(50, 400)
                batch.append((await world.send("lead", "hand", tokens=expected), expected))
        except BudgetExceeded:
            last = max((needed for _, needed in batch), default=last)
        world.wait(1, 3)
        mission = await world.mission()
        assert mission.orchestrator.spent.tokens + sum(w for _, w in batch) <= mission.orchestrator.budget.tokens
        for message, expected in batch[:-1]:
            await world.settle(message, tokens=world.chance.randint(0, expected))
        if not batch:
            break
        message, last = batch[-1]
        over = world.chance.random() < 0.3
        await world.settle(message, tokens=last * 2 if over else last)
        if (await world.mission()).orchestrator.spent.tokens > mission.orchestrator.budget.tokens:
            break
    mission = await world.mission()
    overspent = mission.orchestrator.spent.tokens - mission.orchestrator.budget.tokens

    assert last >= overspent
    if overspent > 0:
        with pytest.raises(BudgetExceeded):
            await world.send("lead", "hand", tokens=0)


async def failing(world: World) -> None:
    """An agent that only fails is left alone after five; its fallback is named; one probe at a time tries it."""
    await world.open()
    reached = 0
    for _ in range(40):
        world.wait(0.5, 1.5)
        try:
            message = await world.send("lead", "flaky")
        except BreakerOpen as refusal:
            await world.settle(await world.send("lead", str(refusal.fallback)))
            continue
        reached += 1
        if reached > 5:
            with pytest.raises(BreakerOpen):
                await world.send("lead", "flaky")
        await world.settle(message, ok=False)
    mission = await world.mission()
    probes = mission.bus.breakers["flaky"].trips - 1

    assert sorted(mission.bus.graph["lead"]) == ["flaky", "steady"]
    assert 5 + probes == reached
    assert probes <= 4


async def stall(world: World) -> None:
    """An agent that never comes back is given up at its time and charged in full; the stall is found."""
    await world.open()
    await world.settle(await world.send("lead", "quick"), tokens=3)
    await world.send("lead", "sleeper", tokens=70)
    world.now += timedelta(seconds=SETTINGS.message_seconds - 1)
    early = await world.bus.check()
    world.now += timedelta(seconds=2)
    late = await world.bus.check()
    mission = await world.mission()

    assert (early.stall, early.overdue) == (None, ())
    assert late.stall is not None
    assert [message.to for message in late.overdue] == ["sleeper"]
    assert mission.orchestrator.spent.tokens == 73
    await world.board.close("failed")


async def killed(world: World) -> None:
    """A process dies at some point; another times its mission out after five minutes and removes it after six."""
    await world.open()
    for _ in range(world.chance.randint(0, 10)):
        message = await world.send("orchestrator", "hand")
        if world.chance.random() < 0.5:
            await world.settle(message)
        world.wait(0, 2)
    created = (await world.mission()).created_at
    world.now = created + timedelta(seconds=299)
    assert (await sweep(world.store, now=world.now, settings=SETTINGS)).timed_out == 0
    world.now = created + timedelta(seconds=300)
    assert (await sweep(world.store, now=world.now, settings=SETTINGS)).timed_out == 1
    with pytest.raises(MissionRefused):
        await world.send("orchestrator", "hand")
    world.now += timedelta(seconds=60)
    assert (await sweep(world.store, now=world.now, settings=SETTINGS)).deleted == 1


async def late(world: World) -> None:
    """After the deadline nothing is sent any more."""
    await world.open(timeout_s=30)
    await world.send("orchestrator", "hand")
    world.now += timedelta(seconds=30)
    with pytest.raises(DeadlinePassed):
        await world.send("orchestrator", "hand")


PLANTED = (loop, flood, greed, failing, stall, killed, late)


async def play(seed: int, mission: Callable[[World], Awaitable[None]]) -> World:
    world = World(seed)
    await mission(world)
    return world


async def test_no_mission_that_behaves_is_stopped() -> None:
    """Five hundred benign missions: not one refusal, everything settled, nothing over budget."""
    for seed in range(500):
        world = await play(seed, benign)
        world.now += timedelta(seconds=1)
        swept = await sweep(world.store, now=world.now, settings=SETTINGS)

        assert swept.deleted == 1
        assert world.store.rows == {}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__)
async def test_what_was_planted_is_stopped(planted: Callable[[World], Awaitable[None]]) -> None:
    """Five hundred missions with something planted: it is stopped every time, and nothing is left behind."""
    for seed in range(500 // len(PLANTED) + 1):
        world = await play(1000 + seed, planted)
        for _ in range(2):
            world.now += timedelta(seconds=301)
            await sweep(world.store, now=world.now, settings=SETTINGS)

        assert world.store.rows == {}
        assert all("q" not in msgspec.to_builtins(reply).values() for reply in world.store.told)


async def test_one_seed_is_one_story() -> None:
    """The same seed tells the same mission, event for event."""
    stories = [(await play(7, planted)).store.told for _ in range(2) for planted in PLANTED]

    assert stories[: len(PLANTED)] == stories[len(PLANTED) :]
