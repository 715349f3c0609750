"""The runtime in trouble: failing, slow, circling and greedy agents, cancellation and the end of time."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.unit.missions.team import ANA, KEPT, broken, hand, lead_of, operation, over, settled

from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.domain.mission_intake import Budget, Spend
from rememora.errors import BudgetExceeded, LoopRefused
from rememora.missions import (
    CallContext,
    Choice,
    Missions,
    Options,
    Terms,
)
from rememora.settings import MissionSettings
from rememora.wiring.parts import utc_now


async def test_after_its_deadline_a_mission_is_timed_out(database: SqliteDatabase) -> None:
    """When time is over nothing more is sent, and the mission ends as timed out, not as failed."""
    jump = timedelta()

    def clock() -> datetime:
        return utc_now() + jump

    async def late(call: CallContext) -> str:
        nonlocal jump
        jump = timedelta(seconds=121)
        return "too late"

    missions = Missions(SqlMissions(database, clock=clock), clock=clock, settings=KEPT)
    outcome = await missions.run(
        ANA, "q", coordinators={"lead": lead_of(operation("one"))}, executors={"hand": late}
    )

    assert (outcome.status, outcome.answer) == ("timeout", None)
    assert outcome.account.refused == {"deadline": 1}


async def test_a_failing_executor_is_replaced_by_its_fallback(store: SqlMissions) -> None:
    """The operation is done by the one that stands in, and both the account and the mission say so."""
    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(operation("one", "broken", payload=1))},
        executors={"broken": broken, "hand": hand},
        options=Options(fallbacks={"broken": "hand"}),
    )
    run = (await settled(store, outcome)).coordinators["lead"].runs["one"]

    assert (run.state, run.result, run.fallback) == ("done", "did 1", "hand")
    assert outcome.account.fallbacks == ("hand",)


async def test_an_open_breaker_goes_straight_to_the_fallback(store: SqlMissions) -> None:
    """After five failures the broken one is not called any more, and all operations are still done."""
    called = 0

    async def counted(call: CallContext) -> str:
        nonlocal called
        called += 1
        raise ValueError

    plan = [operation(f"op{number}", "broken") for number in range(9)]
    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(*plan)},
        executors={"broken": counted, "hand": hand},
        options=Options(fallbacks={"broken": "hand"}, parallel=1),
    )

    assert called == 5
    assert outcome.account.fallbacks == ("hand",) * 9
    assert outcome.account.refused == {"breaker": 4}


async def test_what_depends_on_a_failure_is_not_tried(store: SqlMissions) -> None:
    """Failure travels down the dependencies, shows as a gap and a warning, and stops nothing else."""
    plan = [
        operation("bad", "broken"),
        operation("after", after=("bad",)),
        operation("later", after=("after",), critical=False),
        operation("good"),
    ]
    outcome = await over(store).run(
        ANA, "q", coordinators={"lead": lead_of(*plan)}, executors={"broken": broken, "hand": hand}
    )
    coordinator = (await settled(store, outcome)).coordinators["lead"]

    assert outcome.status == "completed"
    assert {name: run.state for name, run in coordinator.runs.items()} == {
        "bad": "failed",
        "after": "failed",
        "later": "failed",
        "good": "done",
    }
    assert (coordinator.gaps.critical, coordinator.gaps.complementary) == (("bad", "after"), ("later",))
    assert coordinator.completeness == 25
    assert outcome.warnings == ("bad: out of order",)


async def test_agents_that_ask_each_other_in_a_circle_are_stopped(store: SqlMissions) -> None:
    """An executor that asks back up the chain meets the loop, not an endless talk."""
    refused: list[Exception] = []

    async def asks_back(call: CallContext) -> Any:
        with pytest.raises(LoopRefused) as refusal:
            await call.ask("lead")
        refused.append(refusal.value)
        return "alone"

    async def lead(call: CallContext) -> Any:
        return await call.ask("hand", "please")

    outcome = await over(store).run(ANA, "q", coordinators={"lead": lead}, executors={"hand": asks_back})

    assert outcome.answer == "result: alone"
    assert len(refused) == 1


async def test_a_coordinator_may_ask_another(store: SqlMissions) -> None:
    """The other coordinator's plan is carried out as its own, and its findings come back."""

    async def lead(call: CallContext) -> Any:
        result = await call.ask("adviser")
        return {"from": result.supporting}

    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead, "adviser": lead_of(operation("one", payload=1))},
        executors={"hand": hand},
        options=Options(lead=Choice(coordinator="lead", reason="it knows whom to ask")),
    )
    mission = await settled(store, outcome)

    assert outcome.answer == 'from: {"one":"did 1"}'
    assert mission.bus.graph == {
        "orchestrator": {"lead": 1, "answer": 1},
        "lead": {"adviser": 2},
        "adviser": {"hand": 1},
    }


async def test_a_budget_that_is_used_up_leaves_gaps_not_debts(store: SqlMissions) -> None:
    """Operations beyond the budget fail by name; what was spent stays within it."""
    plan = [operation(f"op{number}", estimate=Spend(tokens=400, calls=1)) for number in range(4)]
    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(*plan)},
        executors={"hand": hand},
        options=Options(terms=Terms(budget=Budget(tokens=1000, calls=10))),
    )

    assert outcome.account.tokens == 800
    assert outcome.account.refused == {"budget": 2}
    assert [warning.split(":")[0] for warning in outcome.warnings] == ["op2", "op3"]


async def test_more_is_reserved_before_it_is_used(store: SqlMissions) -> None:
    """An agent that needs more asks first; past the budget it is told no, and uses what it has."""

    async def hungry(call: CallContext) -> int:
        await call.reserve(tokens=500)
        with pytest.raises(BudgetExceeded):
            await call.reserve(tokens=500)
        call.spend(tokens=call.allowance.tokens)
        return call.allowance.tokens

    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(operation("one", estimate=Spend(tokens=100)))},
        executors={"hand": hungry},
        options=Options(terms=Terms(budget=Budget(tokens=1000))),
    )
    mission = await settled(store, outcome)

    assert outcome.answer == "one: 600"
    assert (outcome.account.tokens, mission.bus.totals.overruns) == (600, 0)


async def test_a_share_is_a_limit_of_its_own(store: SqlMissions) -> None:
    """A coordinator cannot use more than its share, whatever is left of the whole."""
    plan = [operation(f"op{number}", estimate=Spend(tokens=400)) for number in range(3)]
    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(*plan)},
        executors={"hand": hand},
        options=Options(shares={"lead": Spend(tokens=500, calls=9)}),
    )

    assert outcome.account.tokens == 400
    assert "lead's share of 500 tokens" in outcome.warnings[0]


async def test_a_slow_executor_is_cut_off_at_its_own_time(store: SqlMissions) -> None:
    """The call ends, counts as a failure and is charged in full; the mission goes on."""
    ended = asyncio.Event()

    async def slow(call: CallContext) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    plan = [operation("slow", "slow", timeout_s=0.05, estimate=Spend(tokens=9, calls=1)), operation("quick")]
    outcome = await over(store).run(
        ANA, "q", coordinators={"lead": lead_of(*plan)}, executors={"slow": slow, "hand": hand}
    )
    mission = await settled(store, outcome)

    assert ended.is_set()
    assert outcome.answer == "quick: did None"
    assert (mission.bus.totals.timed_out, mission.orchestrator.spent.tokens) == (1, 9)


async def test_a_stalled_mission_is_given_up(store: SqlMissions) -> None:
    """If nothing moves any more, the mission fails with a warning instead of waiting for its deadline."""

    async def never(text: str) -> None:
        await asyncio.sleep(60)

    outcome = await over(store, settings=MissionSettings(stall_seconds=0.1, delete_delay_seconds=60)).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(operation("one"))},
        executors={"hand": hand},
        options=Options(deliver=never),
    )

    assert (outcome.status, outcome.answer) == ("failed", None)
    assert outcome.warnings == ("nothing moved any more",)
    assert "nothing moved any more" == (await store.get(ANA, outcome.mission_id)).final.error


async def test_cancelling_a_run_ends_its_agents_and_its_mission(store: SqlMissions) -> None:
    """The agents are cancelled, no reservation is left, and the mission is failed."""
    working, ended = asyncio.Event(), asyncio.Event()

    async def slow(call: CallContext) -> None:
        working.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    missions = over(store)
    run = asyncio.create_task(
        missions.run(ANA, "q", coordinators={"lead": lead_of(operation("one"))}, executors={"hand": slow})
    )
    await working.wait()
    (mission,) = await store.find_active(ANA)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    after = await store.get(ANA, mission.id)

    assert ended.is_set()
    assert (after.status, after.bus.messages, after.bus.totals.withdrawn) == ("failed", {}, 1)
    assert "CancelledError" == after.final.error


async def test_a_coordinator_that_fails_fails_the_mission(store: SqlMissions) -> None:
    """Without a stand-in there is no answer, and the reason is in the warnings."""
    outcome = await over(store).run(ANA, "q", coordinators={"lead": broken}, executors={})

    assert (outcome.status, outcome.answer) == ("failed", None)
    assert outcome.warnings == ("lead failed: out of order",)


async def test_a_coordinator_has_a_stand_in_too(store: SqlMissions) -> None:
    """The one named for it takes over."""

    async def steady(call: CallContext) -> str:
        return "fine"

    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": broken, "steady": steady},
        executors={},
        options=Options(fallbacks={"lead": "steady"}),
    )

    assert (outcome.status, outcome.answer) == ("completed", "result: fine")
