"""The mission document: checked on every write, addressed only by paths of its schema."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.domain.mission import Mission
from rememora.domain.mission_bus import BusMessage, MessageBus
from rememora.domain.mission_codec import MAX_SECTION_BYTES, SECTIONS, dump, load
from rememora.domain.mission_intake import Budget, Intake, Orchestrator, Spend
from rememora.domain.mission_path import increment, pull, push, read, resolve, update
from rememora.domain.mission_plan import Operation, OperationPlan, find_circle
from rememora.domain.mission_work import Coordinator, Executors, FinalAnswer, MissionWarning
from rememora.errors import InvalidInput

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
HEAD = ("id", "tenant", "user", "session", "created_at", "expires_at", "status", "closed_at", "revision")


def a_mission(**sections: Any) -> Mission:
    return Mission(
        id="m1",
        tenant="acme",
        user="ana",
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=10),
        **{
            "intake": Intake(query="compare two funds"),
            "orchestrator": Orchestrator(deadline=NOW + timedelta(seconds=120)),
            "coordinators": {"funds": Coordinator()},
            **sections,
        },
    )


def test_what_is_dumped_is_loaded_the_same() -> None:
    """Header and sections together are the whole mission."""
    mission = a_mission(final=FinalAnswer(answer="A", sent_at=NOW), executors=Executors(counters={"hits": 3}))
    head = {name: getattr(mission, name) for name in HEAD}

    assert mission == load(head, dump(mission))


def test_only_changed_sections_are_written() -> None:
    """A change of one section writes that section and no other."""
    before = a_mission()
    after = update(before, "orchestrator.objective", "net of fees")

    assert {"orchestrator"} == dump(after, before=before).keys()
    assert set(SECTIONS) == dump(after).keys()


@looped(
    ("field", "sections"),
    [
        ("orchestrator.budget.tokens", {"budget": Budget(tokens=999)}),
        ("orchestrator.budget.tokens", {"budget": Budget(tokens=50_001)}),
        ("orchestrator.budget.calls", {"budget": Budget(calls=4)}),
        ("orchestrator.budget.calls", {"budget": Budget(calls=51)}),
        ("orchestrator.timeout_s", {"timeout_s": 29}),
        ("orchestrator.timeout_s", {"timeout_s": 301}),
        ("orchestrator.deadline", {"deadline": datetime(2026, 5, 4, 12)}),
    ],
)
def test_the_ranges_of_the_orchestrator_are_held(field: str, sections: dict[str, Any]) -> None:
    """What a mission may spend and last is inside the ranges, or the write names the field."""
    mission = a_mission()
    bad = msgspec.structs.replace(mission, orchestrator=msgspec.structs.replace(mission.orchestrator, **sections))

    with pytest.raises(InvalidInput) as refused:
        dump(bad)

    assert field == refused.value.field


def test_a_message_with_a_dotted_name_is_refused_whole() -> None:
    """Code that builds structs by hand is held to the schema too."""
    message = BusMessage(id="x", number=0, sender="a.b", to="c", sent_at=NOW, expires_at=NOW)

    with pytest.raises(InvalidInput, match="sender"):
        dump(a_mission(bus=MessageBus(messages={"x": message})))


def test_what_is_no_json_is_refused() -> None:
    """A result that cannot be kept is refused, not kept in part."""
    with pytest.raises(InvalidInput, match="coordinators"):
        dump(a_mission(coordinators={"funds": Coordinator(collected={"x": object()})}))


def test_a_section_has_a_size() -> None:
    """A mission cannot grow without end."""
    with pytest.raises(InvalidInput, match="larger"):
        dump(a_mission(intake=Intake(query="x" * MAX_SECTION_BYTES)))


@looped(
    "path",
    ["", "id", "status", "tenant", "revision", "nothing", "intake.nothing", "coordinators.funds.nothing",
     "coordinators. a.cycle", "coordinators.a\n.cycle",
     "coordinators.x'); DROP TABLE missions; --.cycle", "intake..query",
     "coordinators.funds.completeness.deeper", "final.answer.x", "$.intake", "coordinators[funds].cycle"],
)  # fmt: skip
def test_a_path_outside_the_schema_is_refused_by_name(path: str) -> None:
    """Only what the schema has can be named."""
    with pytest.raises(InvalidInput) as refused:
        resolve(path)

    assert path == refused.value.field


@looped(
    "path",
    ["intake", "intake.query", "bus", "bus.totals.sent", "bus.breakers.x.state", "orchestrator",
     "orchestrator.budget", "orchestrator.budget.tokens", "orchestrator.spent.tokens", "orchestrator.deadline"],
)  # fmt: skip
def test_what_guards_a_mission_is_not_written_by_path(path: str) -> None:
    """Query, bus, budget and deadline cannot be talked away."""
    with pytest.raises(InvalidInput, match="not written by path"):
        update(a_mission(), path, None)

    assert resolve(path, writing=False).text == path


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("coordinators.funds.completeness", 101, "coordinators.funds.completeness"),
        ("coordinators.funds", {"cycle": 0}, "coordinators.funds.cycle"),
        ("orchestrator.complexity", "easy", "orchestrator.complexity"),
        ("coordinators.funds.plan", {"operations": [{"id": "a"}]}, "coordinators.funds.plan.operations[0]"),
        ("coordinators.tax.gaps", {"critical": [1]}, "coordinators.tax.gaps"),
    ],
)
def test_a_bad_value_is_refused_with_its_path(path: str, value: object, field: str) -> None:
    """The refusal names the place, down to the field inside the value."""
    with pytest.raises(InvalidInput) as refused:
        update(a_mission(), path, value)

    assert field in refused.value.field


def test_update_sets_and_leaves_the_rest_alone() -> None:
    """A value stands at its path afterwards, and nothing else has moved."""
    before = a_mission()
    after = update(before, "coordinators.funds.completeness", 40)

    assert read(after, "coordinators.funds.completeness") == 40
    assert read(before, "coordinators.funds.completeness") == 0
    assert before == update(after, "coordinators.funds.completeness", 0)


@given(st.lists(st.integers(-1000, 1000), max_size=30))
def test_increments_add_up(steps: list[int]) -> None:
    """The counter is the sum of what was added."""
    mission = a_mission()
    for step in steps:
        mission = increment(mission, "executors.counters.hits", step)

    assert sum(steps) == (read(mission, "executors.counters.hits") or 0)


def test_increment_stays_in_range() -> None:
    """A number with a range is held to it."""
    with pytest.raises(InvalidInput, match="completeness"):
        increment(a_mission(), "coordinators.funds.completeness", 101)


@pytest.mark.parametrize("path", ["coordinators.funds.warnings", "orchestrator.objective", "intake.candidates"])
def test_only_numbers_are_incremented(path: str) -> None:
    """Adding to what is no number is refused."""
    with pytest.raises(InvalidInput, match="not a number"):
        increment(a_mission(), path, 1)


@given(st.lists(st.sampled_from("abc"), max_size=20), st.sampled_from("abc"))
def test_push_and_pull_are_those_of_a_list(items: list[str], gone: str) -> None:
    """Pushing keeps order and doubles; pulling takes every equal one and no other."""
    mission = a_mission()
    for item in items:
        mission = push(mission, "coordinators.funds.warnings", item)
    left = pull(mission, "coordinators.funds.warnings", gone)

    assert tuple(items) == read(mission, "coordinators.funds.warnings")
    assert tuple(item for item in items if item != gone) == read(left, "coordinators.funds.warnings")


def test_pull_matches_objects_by_some_of_their_fields() -> None:
    """Of objects, those whose named fields are equal leave."""
    mission = a_mission()
    for score in (10, 20, 20):
        candidate = {"coordinator": f"c{score}", "score": score, "reason": "words"}
        mission = push(mission, "intake.candidates", candidate)
    left = pull(mission, "intake.candidates", {"score": 20})

    assert [candidate.score for candidate in left.intake.candidates] == [10]
    with pytest.raises(InvalidInput, match="at least one field"):
        pull(mission, "intake.candidates", {})
    with pytest.raises(InvalidInput, match="schema"):
        pull(mission, "intake.candidates", {"nothing": 1})


def test_a_list_is_needed_to_push() -> None:
    """Pushing to what is no list is refused."""
    with pytest.raises(InvalidInput, match="not a list"):
        push(a_mission(), "orchestrator.objective", "x")


def test_a_path_creates_what_is_missing_on_its_way() -> None:
    """A coordinator, a run, a share and anything in a free part begin to exist when something is put inside."""
    mission = update(a_mission(), "coordinators.tax.cycle", 2)
    mission = push(mission, "coordinators.tax.warnings", {"text": "stale", "type": "data", "impact": "high"})
    mission = increment(mission, "coordinators.tax.share.tokens", 5)
    mission = update(mission, "coordinators.Preços do dia.runs.op1.state", "running")
    mission = push(mission, "final.consolidation.extra.notes.early", "x")
    mission = increment(mission, "final.consolidation.extra.count", 2)

    assert 2 == read(mission, "coordinators.tax.cycle")
    assert MissionWarning(text="stale", type="data", impact="high") in mission.coordinators["tax"].warnings
    assert Spend(tokens=5) == mission.coordinators["tax"].share
    assert "running" == read(mission, "coordinators.Preços do dia.runs.op1.state")
    assert {"notes": {"early": ("x",)}, "count": 2} == read(mission, "final.consolidation.extra")
    assert a_mission() == pull(a_mission(), "coordinators.new.warnings", "x")


def test_what_needs_more_than_a_path_can_say_is_refused() -> None:
    """An object with fields of its writer's does not begin by one of them; a value holds nothing inside."""
    with pytest.raises(InvalidInput, match="instead_of"):
        update(a_mission(), "orchestrator.override.reason", "because")
    with pytest.raises(InvalidInput, match="holds a value"):
        update(update(a_mission(), "final.extra.a", 1), "final.extra.a.b", 2)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("final.consolidation", {"supporting": {}, "etc": {"k": 1}}, "final.consolidation.extra.etc"),
        ("coordinators.tax", {"mood": {"k": 1}}, "coordinators.tax.extra.mood"),
        ("coordinators", {"tax": {"gaps": {"mild": {"k": 1}}}}, "coordinators.tax.gaps.extra.mild"),
        ("coordinators.tax", {"extra": {"b": {"k": 1}}, "c": 2}, "coordinators.tax.extra.b"),
    ],
)
def test_an_unknown_field_is_kept_in_the_free_part(path: str, value: Any, place: str) -> None:
    """Nothing that an agent writes is dropped: it stands under `extra` of the object it was written to."""
    after = update(a_mission(), path, value)

    assert {"k": 1} == read(after, place)
    assert msgspec.json.encode(after.coordinators) == dump(after)["coordinators"]


def test_an_unknown_field_of_a_part_without_a_free_one_is_refused_by_name() -> None:
    """What guards count with takes no other field, and says which it did not take."""
    with pytest.raises(InvalidInput, match="`hours`"):
        update(a_mission(), "coordinators.tax.share", {"tokens": 1, "hours": 2})


OPERATIONS = st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef"), max_size=3), max_size=6)


@given(OPERATIONS)
def test_a_plan_is_refused_exactly_if_it_could_never_finish(after: dict[str, set[str]]) -> None:
    """Running what waits for nothing, again and again, finishes a plan unless it has a circle."""
    after = {name: names & after.keys() for name, names in after.items()}
    done: set[str] = set()
    while free := {name for name, names in after.items() if name not in done and names <= done}:
        done |= free
    finishes = done == after.keys()
    operations = tuple(
        Operation(id=name, executor="e", after=tuple(sorted(names))) for name, names in after.items()
    )
    circle = find_circle({name: sorted(names) for name, names in after.items()})

    assert finishes is (circle == ())
    assert all(later in after[earlier] for earlier, later in pairwise(circle))
    if finishes:
        assert operations == OperationPlan(operations=operations).operations
    else:
        with pytest.raises(InvalidInput, match="wait for each other"):
            OperationPlan(operations=operations)


@pytest.mark.parametrize(
    ("operations", "reason"),
    [
        (({"id": "a", "executor": "e"}, {"id": "a", "executor": "e"}), "one id"),
        (({"id": "a", "executor": "e", "after": ["b"]},), "not in the plan"),
        (({"id": "a", "executor": "e", "after": ["a"]},), "a -> a"),
    ],
)
def test_a_plan_names_what_is_wrong_with_it(operations: tuple[dict[str, Any], ...], reason: str) -> None:
    """Written by path, a bad plan is refused at its path."""
    with pytest.raises(InvalidInput, match=reason) as refused:
        update(a_mission(), "coordinators.funds.plan", {"operations": operations})

    assert refused.value.field.startswith("coordinators.funds.plan")


def test_nobody_spends_less_than_nothing() -> None:
    """A negative figure would give budget back."""
    with pytest.raises(InvalidInput):
        Spend(tokens=-1)
    with pytest.raises(InvalidInput):
        Spend(calls=-1)
