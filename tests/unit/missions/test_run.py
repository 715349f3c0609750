"""The runtime: plain async functions through the five layers, to an answer with its account."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.unit.missions.team import ANA, hand, lead_of, operation, over, settled

from rememora.adapters.sql.missions import SqlMissions
from rememora.domain.mission_intake import Intake, Spend
from rememora.domain.mission_plan import OperationPlan
from rememora.domain.mission_work import Consolidation, OperationRun
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput, NotFound, RightMissing
from rememora.missions import (
    AgentAnswer,
    CallContext,
    Choice,
    DebugViews,
    Options,
    Promotion,
    promote,
)
from rememora.missions.layers import find_forbidden, word_plainly
from rememora.missions.plan import blocked_by_failure, completeness, gaps, runnable
from rememora.missions.service import read_intake
from rememora.settings import MissionSettings
from rememora.wiring.parts import utc_now

EXAMPLE = Path(__file__).parents[3] / "examples" / "finance_mission.py"


async def test_a_mission_from_query_to_answer(store: SqlMissions) -> None:
    """Every layer leaves its section, the account is exact, and every result is kept whole until the end."""
    plan = (
        operation("one", payload="1", estimate=Spend(tokens=50, calls=1)),
        operation("two", payload="2", after=("one",)),
    )

    async def metered(call: CallContext) -> AgentAnswer:
        spent = Spend(tokens=7, calls=1)
        return AgentAnswer(
            value=f"did {call.payload}", spent=spent, source="ledger", reliability=80, request_id="r7"
        )

    outcome = await over(store).run(
        ANA, "do both", coordinators={"lead": lead_of(*plan)}, executors={"hand": metered}
    )
    mission = await settled(store, outcome)

    assert outcome.status == "completed"
    assert outcome.answer == "one: did 1\ntwo: did 2"
    assert (outcome.account.tokens, outcome.account.calls, outcome.account.messages) == (14, 2, 5)
    assert mission.intake.query == mission.orchestrator.objective == "do both"
    assert mission.orchestrator.coordinator == "lead"
    runs = mission.coordinators["lead"].runs
    untimed = replace(runs["two"], started_at=None, ended_at=None)
    assert untimed == OperationRun(state="done", result="did 2", source="ledger", tokens=7, reliability=80)
    assert runs["two"].started_at is not None
    assert runs["two"].ended_at is not None
    assert mission.coordinators["lead"].completeness == 100
    assert [track.operation for track in mission.executors.tracks] == ["one", "two"]
    assert all(track.duration_s is not None and track.request_id == "r7" for track in mission.executors.tracks)
    assert mission.bus.edges["lead"]["hand"].kinds == {"operation": 2}
    assert mission.final.consolidation == Consolidation(supporting={"one": "did 1", "two": "did 2"})
    assert mission.final.sent_at is not None
    assert mission.bus.messages == {}


async def test_the_mission_is_gone_when_the_answer_is_out(store: SqlMissions) -> None:
    """With no delay set, nothing is left to look at."""
    delivered: list[str] = []

    async def deliver(text: str) -> None:
        delivered.append(text)

    outcome = await over(store, settings=MissionSettings()).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(operation("one"))},
        executors={"hand": hand},
        options=Options(deliver=deliver),
    )

    assert delivered == [outcome.answer]
    with pytest.raises(NotFound):
        await settled(store, outcome)


async def test_priority_decides_who_goes_first(store: SqlMissions) -> None:
    """With one pair of hands, critical goes before high, normal, low; equals go in the plan's order."""
    order: list[Any] = []

    async def noting(call: CallContext) -> None:
        order.append(call.message.operation)

    plan = [
        operation("low", priority="low"),
        operation("normal-1"),
        operation("high", priority="high"),
        operation("normal-2"),
        operation("critical", priority="critical"),
    ]
    await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(*plan)},
        executors={"hand": noting},
        options=Options(parallel=1),
    )

    assert order == ["critical", "high", "normal-1", "normal-2", "low"]


async def test_an_answer_with_forbidden_terms_is_worded_again(store: SqlMissions) -> None:
    """Each try is kept with what was wrong with it; only a clean one goes out."""

    async def word(consolidation: Consolidation, names: tuple[str, ...]) -> str:
        return "Sem risco" if not names else "Com risco, como tudo"

    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(operation("one"))},
        executors={"hand": hand},
        options=Options(forbidden=("sem risco",), synthesize=word),
    )
    final = (await settled(store, outcome)).final

    assert outcome.answer == "Com risco, como tudo"
    assert [attempt.forbidden for attempt in final.attempts] == [("sem risco",), ()]


async def test_an_answer_that_stays_forbidden_does_not_go_out(store: SqlMissions) -> None:
    """After the last try the mission fails rather than say it."""

    async def word(consolidation: Consolidation, names: tuple[str, ...]) -> str:
        return "lucro garantido"

    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(operation("one"))},
        executors={"hand": hand},
        options=Options(forbidden=("garantido",), synthesize=word),
    )

    assert (outcome.status, outcome.answer) == ("failed", None)
    assert len((await settled(store, outcome)).final.attempts) == 3


async def test_a_reader_that_fails_is_replaced_by_the_plain_one(store: SqlMissions) -> None:
    """The mission does not fall over its classification."""

    async def classify(query: str) -> Intake:
        raise ConnectionError

    outcome = await over(store).run(
        ANA,
        "q",
        coordinators={"lead": lead_of(operation("one"))},
        executors={"hand": hand},
        options=Options(classify=classify),
    )

    assert outcome.status == "completed"
    assert outcome.warnings == ("classification failed: ConnectionError",)


async def test_an_override_is_recorded_with_its_reason(store: SqlMissions) -> None:
    """Passing over the best candidate leaves a trace; naming nobody known is refused."""
    agents = {"funds": lead_of(operation("one")), "tax": lead_of(operation("one"))}
    chosen = Options(lead=Choice(coordinator="tax", reason="the user asked for it"))
    outcome = await over(store).run(ANA, "funds?", coordinators=agents, executors={"hand": hand}, options=chosen)
    section = (await settled(store, outcome)).orchestrator

    assert section.coordinator == "tax"
    assert section.override is not None
    assert (section.override.instead_of, section.override.reason) == ("funds", "the user asked for it")
    with pytest.raises(InvalidInput, match="lead"):
        await over(store).run(
            ANA, "q", coordinators=agents, executors={}, options=Options(lead=Choice(coordinator="x", reason="y"))
        )


async def test_a_team_has_a_coordinator_and_no_name_twice(store: SqlMissions) -> None:
    """A team that cannot be told apart is refused before anything begins."""
    for coordinators, executors in (({}, {}), ({"a": hand}, {"a": hand}), ({"orchestrator": hand}, {})):
        with pytest.raises(InvalidInput):
            await over(store).run(ANA, "q", coordinators=coordinators, executors=executors)

    assert await store.find_active(ANA) == []


async def test_nothing_outlives_a_mission_but_through_the_gate(store: SqlMissions) -> None:
    """What stands at a path is handed to the gate, and the verdict is the gate's."""
    seen: list[tuple[Scope, Promotion]] = []

    async def gate(scope: Scope, promotion: Promotion) -> str:
        seen.append((scope, promotion))
        return "refused"

    outcome = await over(store).run(
        ANA, "q", coordinators={"lead": lead_of(operation("one", payload=1))}, executors={"hand": hand}
    )
    path = "coordinators.lead.runs.one.result"
    verdict = await promote(store, ANA, outcome.mission_id, path=path, key="funds.best", gate=gate)

    assert verdict == "refused"
    assert [(scope, promotion.key, promotion.value) for scope, promotion in seen] == [(ANA, "funds.best", "did 1")]
    assert seen[0][1].source_ref == f"mission:{outcome.mission_id}"
    with pytest.raises(NotFound):
        await promote(store, ANA, outcome.mission_id, path="coordinators.lead.runs.none", key="k", gate=gate)


async def test_debug_views_exist_in_development_only(store: SqlMissions) -> None:
    """A developer sees the document, the live ones, and can sweep; elsewhere the right is missing."""
    missions = over(store)
    mission = await missions.create(ANA, "q")
    views = DebugViews(store, clock=utc_now, settings=MissionSettings(debug=True))

    shown = await views.mission(ANA, mission.id)

    assert shown["intake"]["query"] == "q"
    assert (shown["left"]["tokens"], shown["left"]["calls"]) == (20_000, 25)
    assert 0 < shown["left"]["seconds"] <= 120
    assert [item["id"] for item in await views.active()] == [mission.id]
    assert (await views.sweep()).deleted == 0
    closed = DebugViews(store, clock=utc_now, settings=MissionSettings())
    for attempt in (closed.mission(ANA, mission.id), closed.active(), closed.sweep()):
        with pytest.raises(RightMissing):
            await attempt


def test_the_plain_reader_scores_by_words() -> None:
    """A coordinator is scored by the words it shares with the query, accents aside."""

    async def funds(call: CallContext) -> None:
        """Rendimento de fundos."""

    async def tax(call: CallContext) -> None:
        """Impostos."""

    intake = read_intake("Qual o rendimento dos fundos?", {"tax": tax, "funds": funds})

    assert [(item.coordinator, item.score) for item in intake.candidates] == [("funds", 50), ("tax", 0)]
    assert intake.classification is not None
    assert (intake.classification.kind, intake.classification.domain) == ("complex", "funds")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lucro GARANTIDO!", ("garantido",)),
        ("garantidos", ()),
        ("não há risco", ()),
        ("É SEM RÍSCO.", ("sem risco",)),
    ],
)
def test_forbidden_terms_are_whole_words_without_accents(text: str, names: tuple[str, ...]) -> None:
    """Case and accents hide nothing, and a longer word is another word."""
    assert find_forbidden(text, ("garantido", "sem risco")) == names


def test_the_plain_wording_says_everything() -> None:
    """With no model the answer is the consolidation, line by line."""
    whole = Consolidation(supporting={"a": "x"}, calculations={"b": 2}, comparisons={"c": [1]}, limitations=("d",))

    assert word_plainly(whole) == "a: x\nb: 2\nc: [1]\nd"


def test_walking_a_plan() -> None:
    """Runnable is what waits for nothing; blocked_by_failure is what waits for a failure; the rest are gaps."""
    plan = OperationPlan(
        operations=(operation("a"), operation("b", after=("a",)), operation("c", priority="high"))
    )
    failed = {"a": OperationRun(state="failed")}

    assert [item.id for item in runnable(plan, {})] == ["c", "a"]
    assert [item.id for item in runnable(plan, failed)] == ["c"]
    assert [item.id for item in blocked_by_failure(plan, failed)] == ["b"]
    assert completeness(plan, {"c": OperationRun(state="done")}) == 33
    assert gaps(plan, {"c": OperationRun(state="done")}).critical == ("a", "b")
    assert completeness(OperationPlan(), {}) == 100


async def test_the_example_runs() -> None:
    """The finance example answers, with its fallback at work and its boast held back."""
    outcome = await runpy.run_path(str(EXAMPLE))["main"]()

    assert outcome.answer == "AURORA11 did better: 9.3 % after fees."
    assert outcome.account.fallbacks == ("archive", "archive")
