"""The bus and its breakers against a reference that is slow, plain and written from the specification."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rememora.domain.mission import Mission, MissionChange
from rememora.domain.mission_bus import Breaker, BusMessage
from rememora.domain.mission_codec import dump, load
from rememora.domain.mission_intake import Budget, Intake, Orchestrator, Spend
from rememora.missions.breaker import admits, on_dropped, on_outcome, on_sent
from rememora.missions.guards import CallRefusal, CallRequest
from rememora.missions.settlement import Report, plan_check, plan_settle
from rememora.missions.traffic import plan_extend, plan_send, plan_take
from rememora.settings import MissionSettings

START = datetime(2026, 5, 4, 12, tzinfo=UTC)
SETTINGS = MissionSettings(window_messages=5, depth=3, message_seconds=20)
PRIORITIES = ["critical", "high", "normal", "low"]
AGENTS = st.sampled_from(["a", "b", "c", "d", "e"])
HEAD = ("id", "tenant", "user", "session", "created_at", "expires_at", "status", "closed_at", "revision")


def at(second: int) -> datetime:
    return START + timedelta(seconds=second)


class PlainBreaker:
    """Five failures in a row or six of ten open it; after the pause one probe decides."""

    def __init__(self) -> None:
        self.last: list[bool] = []
        self.opened: int | None = None
        self.probe: str | None = None

    def lets_through(self, now: int, live: set[str]) -> bool:
        if self.opened is None:
            return True
        if self.probe is not None:
            return self.probe not in live
        return now - self.opened >= 15 or self.opened == -1

    def sent(self, message: str) -> None:
        if self.opened is not None:
            self.probe = message

    def ended(self, message: str, ok: bool, now: int) -> None:
        if self.opened is None:
            self.last = [*self.last, ok][-10:]
            if self.last[-5:] == [False] * 5 or (len(self.last) == 10 and self.last.count(False) >= 6):
                self.opened = now
        elif message == self.probe:
            self.probe = None
            self.opened = None if ok else now
            self.last = [] if ok else self.last

    def dropped(self, message: str) -> None:
        if message == self.probe:
            self.probe = None
            # The pause was served before this probe: the next may go at once.
            self.opened = -1

    @property
    def state(self) -> str:
        if self.opened is None:
            return "closed"
        return "half_open" if self.probe is not None or self.opened == -1 else "open"


class BreakerMachine(RuleBasedStateMachine):
    """Calls to one agent, ending in any order, over any time."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.count = 0, 0
        self.live: set[str] = set()
        self.breaker, self.plain = Breaker(), PlainBreaker()

    @rule(calls=st.integers(1, 6))
    def call(self, calls: int) -> None:
        for _ in range(calls):
            through = admits(self.breaker, now=at(self.now), live=self.live, settings=SETTINGS)

            assert self.plain.lets_through(self.now, self.live) is through
            if through:
                self.count += 1
                message = f"m{self.count}"
                self.live.add(message)
                self.breaker = on_sent(self.breaker, message)
                self.plain.sent(message)

    @rule(pick=st.randoms(use_true_random=False), oks=st.lists(st.booleans(), max_size=10))
    def end(self, pick: Any, oks: list[bool]) -> None:
        for ok in oks[: len(self.live)]:
            message = pick.choice(sorted(self.live))
            self.live.discard(message)
            self.breaker = on_outcome(self.breaker, message, ok=ok, now=at(self.now), settings=SETTINGS)
            self.plain.ended(message, ok, self.now)

    @rule(pick=st.randoms(use_true_random=False))
    def drop(self, pick: Any) -> None:
        if self.live:
            message = pick.choice(sorted(self.live))
            self.live.discard(message)
            self.breaker = on_dropped(self.breaker, message)
            self.plain.dropped(message)

    @rule(seconds=st.sampled_from([1, 7, 14, 15, 60]))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def same_state(self) -> None:
        assert self.plain.state == self.breaker.state


class BusMachine(RuleBasedStateMachine):
    """Any order of sends, takes, ends, extensions and looks, on one mission."""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.count = 0, 0
        self.mission = Mission(
            id="m1",
            tenant="acme",
            user="ana",
            created_at=START,
            expires_at=at(600),
            intake=Intake(query="q"),
            orchestrator=Orchestrator(deadline=at(120), budget=Budget(tokens=1000, calls=20)),
        )
        self.edges: set[tuple[str, str]] = set()
        self.live: dict[str, dict[str, Any]] = {}
        self.breakers: dict[str, PlainBreaker] = {}
        self.sent_times: list[int] = []
        self.tokens, self.calls = 0, 0

    def keep(self, step: MissionChange[Any]) -> Any:
        """What a store does: check against the schema, and read back."""
        if step.mission is not None:
            head = {name: getattr(step.mission, name) for name in HEAD}
            self.mission = load(head, dump(step.mission))
        return step.outcome

    def reaches(self, start: str, goal: str) -> bool:
        seen, todo = {start}, [start]
        while todo:
            node = todo.pop()
            todo += [b for a, b in self.edges if a == node and b not in seen]
            seen |= {b for a, b in self.edges if a == node}
        return goal in seen

    def longest(self, edges: set[tuple[str, str]]) -> int:
        def down(node: str) -> int:
            return max((1 + down(b) for a, b in edges if a == node), default=0)

        return max((down(a) for a, _ in edges), default=0)

    def reason(self, sender: str, to: str, tokens: int, calls: int) -> str | None:
        edge = (sender, to)
        if self.now >= 120:
            return "deadline"
        if sum(self.now - moment < 10 for moment in self.sent_times) >= 5:
            return "flood"
        if edge not in self.edges and self.reaches(to, sender):
            return "loop"
        # Only chains through the new edge count; the others were judged when they came.
        if edge not in self.edges and self.longest({*self.edges, edge}) > 3 >= self.longest(self.edges):
            return "depth"
        if not self.breakers.setdefault(to, PlainBreaker()).lets_through(self.now, set(self.live)):
            return "breaker"
        held_tokens = sum(message["tokens"] for message in self.live.values())
        held_calls = sum(message["calls"] for message in self.live.values())
        over = self.tokens + held_tokens + tokens > 1000 or self.calls + held_calls + calls > 20
        return "budget" if over else None

    @rule(sender=AGENTS, to=AGENTS, tokens=st.sampled_from([0, 10, 400]), calls=st.integers(0, 3),
          priority=st.sampled_from(PRIORITIES), start=st.booleans(),
          timeout=st.sampled_from([5, 20, 300]))  # fmt: skip
    def send(
        self, sender: str, to: str, tokens: int, calls: int, priority: Any, start: bool, timeout: int
    ) -> None:
        expected = self.reason(sender, to, tokens, calls)
        self.count += 1
        message_id = f"m{self.count}"
        send = CallRequest(sender=sender, to=to, reserve=Spend(tokens=tokens, calls=calls),
                    priority=priority, start=start, timeout_s=timeout)  # fmt: skip
        step = plan_send(self.mission, send, message_id=message_id, now=at(self.now), settings=SETTINGS)
        outcome = self.keep(step)

        assert expected == (outcome.reason if isinstance(outcome, CallRefusal) else None)
        if expected is None:
            self.edges.add((sender, to))
            self.sent_times.append(self.now)
            self.breakers[to].sent(message_id)
            self.live[message_id] = {
                "to": to, "tokens": tokens, "calls": calls, "order": (PRIORITIES.index(priority), self.count),
                "started": start, "until": min(self.now + timeout, 120),
            }  # fmt: skip

    @rule()
    def take(self) -> None:
        waiting = [(message["order"], id) for id, message in self.live.items() if not message["started"]]
        taken = self.keep(plan_take(self.mission, sender=None, now=at(self.now), settings=SETTINGS))
        if not waiting:
            assert taken is None
            return
        first = min(waiting)[1]
        message = self.live[first]
        breaker = self.breakers[message["to"]]
        late = message["until"] <= self.now
        kept_off = breaker.probe != first and not breaker.lets_through(self.now, set(self.live))

        assert first == taken.message.id
        assert (late or kept_off) is (taken.refusal is not None)
        if taken.refusal:
            del self.live[first]
            breaker.dropped(first)
        else:
            message["started"] = True
            breaker.sent(first)

    @rule(pick=st.randoms(use_true_random=False), ok=st.sampled_from([True, False, False, None]),
          factor=st.sampled_from([0, 1, 2]))  # fmt: skip
    def settle(self, pick: Any, ok: bool | None, factor: int) -> None:
        if not self.live:
            return
        message_id = pick.choice(sorted(self.live))
        message = self.live.pop(message_id)
        spent = Spend(tokens=message["tokens"] * factor, calls=message["calls"] * factor)
        report = Report(ok=ok, spent=spent)
        settled = self.keep(plan_settle(self.mission, message_id, report, now=at(self.now), settings=SETTINGS))
        again = self.keep(plan_settle(self.mission, message_id, report, now=at(self.now), settings=SETTINGS))

        assert (settled, again) == (True, False)
        self.book(message_id, message, ok, spent)

    def book(self, message_id: str, message: dict[str, Any], ok: bool | None, spent: Spend) -> None:
        self.tokens += spent.tokens
        self.calls += spent.calls
        if ok is None:
            self.breakers[message["to"]].dropped(message_id)
        else:
            self.breakers[message["to"]].ended(message_id, ok, self.now)

    @rule(pick=st.randoms(use_true_random=False), tokens=st.sampled_from([1, 300]))
    def extend(self, pick: Any, tokens: int) -> None:
        if not self.live:
            return
        message_id = pick.choice(sorted(self.live))
        held = sum(message["tokens"] for message in self.live.values())
        calls = sum(message["calls"] for message in self.live.values())
        fits = self.tokens + held + tokens <= 1000 and self.calls + calls <= 20
        outcome = self.keep(plan_extend(self.mission, message_id, Spend(tokens=tokens)))

        assert fits is isinstance(outcome, BusMessage)
        if fits:
            self.live[message_id]["tokens"] += tokens

    @rule()
    def check(self) -> None:
        late = [id for id, message in self.live.items() if message["until"] <= self.now]
        result = self.keep(plan_check(self.mission, now=at(self.now), settings=SETTINGS))

        assert late == [message.id for message in result.overdue]
        for message_id in late:
            message = self.live.pop(message_id)
            worst = Spend(tokens=message["tokens"], calls=message["calls"]) if message["started"] else Spend()
            self.book(message_id, message, False if message["started"] else None, worst)

    @rule(seconds=st.sampled_from([1, 3, 10, 16]))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def same_books(self) -> None:
        bus = self.mission.bus

        assert (self.tokens, self.calls) == (
            self.mission.orchestrator.spent.tokens,
            self.mission.orchestrator.spent.calls,
        )
        assert list(self.live) == list(bus.messages)
        assert self.edges == {(a, b) for a, row in bus.graph.items() for b in row}
        assert {agent: plain.state for agent, plain in self.breakers.items() if plain.state != "closed"} == {
            agent: breaker.state for agent, breaker in bus.breakers.items() if breaker.state != "closed"
        }
        totals = bus.totals
        ended = totals.done + totals.failed + totals.timed_out + totals.withdrawn
        assert totals.sent == ended + len(self.live)


class LongBreaker(BreakerMachine):
    """The same, for longer."""


class LongBus(BusMachine):
    """The same, for longer."""


for machine, examples in ((BreakerMachine, 50), (BusMachine, 50), (LongBreaker, 500), (LongBus, 500)):
    machine.TestCase.settings = settings(max_examples=examples, stateful_step_count=50, deadline=None)
TestBreaker = BreakerMachine.TestCase
TestBus = BusMachine.TestCase
TestLongBreaker = pytest.mark.slow(LongBreaker.TestCase)
TestLongBus = pytest.mark.slow(LongBus.TestCase)
