"""What a guarded send costs, and how many missions a second: `python bench/missions.py`.

CPU is that of the whole process, writer thread and commit included; the store is a folder with `synchronous=full`.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench._frame import Run

from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.domain.ids import new_id
from rememora.domain.mission import Mission
from rememora.domain.mission_bus import MessageBus, Totals
from rememora.domain.mission_intake import Intake, Orchestrator, Spend
from rememora.domain.mission_plan import Operation, OperationPlan
from rememora.domain.mission_work import Coordinator
from rememora.domain.scope import Scope
from rememora.missions import CallContext, CallRequest, Missions, Report
from rememora.missions.traffic import plan_send
from rememora.ports.missions import MissionStore
from rememora.settings import MissionSettings, StoreSettings
from rememora.wiring.parts import utc_now

SCOPE = Scope("acme", "ana", "c1")
SETTINGS = MissionSettings()


def mission_with(edges: int, *, kilobytes: int = 0) -> Mission:
    """A mission in which `edges` calls were made between layers, holding so much of results."""
    now = datetime.now(UTC)
    graph: dict[str, dict[str, int]] = {"orchestrator": {}}
    for number in range(edges):
        lead = f"lead{number // 10}"
        graph["orchestrator"].setdefault(lead, 1)
        graph.setdefault(lead, {})[f"hand{number}"] = 1
    collected = {f"r{number}": "x" * 1000 for number in range(kilobytes)}
    return Mission(
        id=new_id(),
        tenant=SCOPE.tenant,
        user=SCOPE.user,
        session=SCOPE.conversation,
        created_at=now,
        expires_at=now + timedelta(minutes=10),
        intake=Intake(query="q"),
        orchestrator=Orchestrator(deadline=now + timedelta(seconds=300)),
        bus=MessageBus(graph=graph, totals=Totals(sent=edges, done=edges)),
        coordinators={"lead0": Coordinator(collected=collected)},
    )


async def measure(times: int, act: Callable[[int], Awaitable[object]]) -> dict[str, float]:
    """Milliseconds of CPU and of the clock, for each of `times` acts in a row."""
    walls = []
    cpu = time.process_time()
    for number in range(times):
        began = time.perf_counter()
        await act(number)
        walls.append(1000 * (time.perf_counter() - began))
    cpu_ms = 1000 * (time.process_time() - cpu) / times
    return {"cpu_ms": round(cpu_ms, 3), "p50_ms": round(statistics.median(walls), 3)}


async def sends(store: MissionStore, edges: int, times: int, *, kilobytes: int = 0) -> dict[str, Any]:
    """Calls along an edge that is new, so that every guard has to work; then their settlement."""
    missions = Missions(store, clock=utc_now)
    made = [mission_with(edges, kilobytes=kilobytes) for _ in range(times)]
    for mission in made:
        await store.create(SCOPE, mission)
    call = CallRequest(sender="lead0", to="new", reserve=Spend(tokens=10), start=True)
    messages: list[str] = []

    async def send(number: int) -> None:
        messages.append((await missions.bus(SCOPE, made[number].id).send(call)).id)

    async def settle(number: int) -> None:
        report = Report(spent=Spend(tokens=7))
        await missions.bus(SCOPE, made[number].id).settle(messages[number], report)

    return {
        "edges": edges,
        "results_kb": kilobytes,
        "send": await measure(times, send),
        "settle": await measure(times, settle),
        "plan_cpu_ms": planning(made[0], call),
    }


def planning(mission: Mission, call: CallRequest) -> float:
    """Milliseconds of CPU that the decision alone takes, without the store."""
    now, times = utc_now(), 2000
    began = time.process_time()
    for _ in range(times):
        plan_send(mission, call, message_id="m", now=now, settings=SETTINGS)
    return round(1000 * (time.process_time() - began) / times, 4)


async def lead(call: CallContext) -> Any:
    """Three operations, the last after the others."""
    if call.collected:
        return call.collected
    parts = (Operation(id="a", executor="hand"), Operation(id="b", executor="hand"))
    return OperationPlan(operations=(*parts, Operation(id="c", executor="hand", after=("a", "b"))))


async def hand(call: CallContext) -> str:
    """As little work as there can be."""
    return call.query


async def whole(store: SqlMissions, count: int, together: int) -> dict[str, Any]:
    """Missions from query to answer and deletion, `together` at a time."""
    missions = Missions(store, clock=utc_now)

    async def one() -> None:
        for _ in range(count // together):
            await missions.run(SCOPE, "q", coordinators={"lead": lead}, executors={"hand": hand})

    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(one() for _ in range(together)))
    seconds = time.perf_counter() - began
    return {
        "together": together,
        "missions_per_second": round(count / seconds, 1),
        "cpu_ms_per_mission": round(1000 * (time.process_time() - cpu) / count, 2),
    }


async def run(times: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        database = SqliteDatabase(StoreSettings(url=folder))
        await database.open()
        store = SqlMissions(database, clock=utc_now)
        await sends(store, 1, 50)
        measured = {
            "sends": [await sends(store, edges, times) for edges in (1, 10, 100)]
            + [await sends(store, 100, times, kilobytes=100)],
            "missions": [await whole(store, times, together) for together in (1, 16)],
        }
        await database.close()
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=400)
    options = parser.parse_args()
    frame = Run()
    frame.write("missions", asyncio.run(run(options.times)))


if __name__ == "__main__":
    main()
