"""Any order of appends, folds, cuts, failures and deaths: the laws of summaries and episodes hold throughout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.clock import SetClock
from tests.models import Failing

from rememora import NewMessage, Scope, Settings
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.adapters.sql.store import SqlStore
from rememora.domain.episode import Episode
from rememora.history import record
from rememora.history.condense import gist, opening
from rememora.history.episode_summary import summarise_due
from rememora.history.episodes import cut_due
from rememora.history.summarize import fold_due
from rememora.ports.store import Store, UnitOfWork

T = TypeVar("T")
ANA = Scope("acme", "ana", "c1")


class Died(BaseException):
    """The process is gone."""


class MortalStore(SqlStore):
    """A store whose process dies at a given write: before it, or after the commit and before the answer."""

    writes_left: int | None = None
    after_commit = False

    async def write(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        if self.writes_left is None:
            return await super().write(scope, work)
        self.writes_left -= 1
        if self.writes_left >= 0:
            return await super().write(scope, work)
        if self.after_commit:
            await super().write(scope, work)
        raise Died


class HistoryMachine(RuleBasedStateMachine):
    """One conversation, one worker that may die or fail at any point."""

    @initialize(threshold=st.integers(5, 8), keep_recent=st.integers(3, 6), cut=st.integers(2, 7))
    def open(self, threshold: int, keep_recent: int, cut: int) -> None:
        self.runner = asyncio.Runner()
        self.clock = SetClock()
        self.model = Failing(RuntimeError())
        self.model.broken = False
        self.settings = Settings.load(
            {
                "store.url": ":memory:",
                "summary.threshold": threshold,
                "summary.keep_recent": keep_recent,
                "summary.max_tokens": 2000,
                "episodes.threshold": cut,
            },
            environ={},
        )
        database = SqliteDatabase(self.settings.store)
        self.store = MortalStore(database)
        self.runner.run(database.open())
        self.turns = 0
        self.opened = True

    @rule(roles=st.lists(st.sampled_from(["user", "assistant", "tool", "system"]), min_size=1, max_size=12))
    def append(self, roles: list[Any]) -> None:
        drafts = []
        for role in roles:
            self.turns += role != "system"
            drafts.append(NewMessage(role=role, content="regra" if role == "system" else f"<{self.turns}>"))
        self.run(record.append(self.store, ANA, drafts, clock=self.clock, settings=self.settings))

    @rule(writes=st.one_of(st.none(), st.integers(0, 3)), after_commit=st.booleans(), broken=st.booleans())
    def fold(self, writes: int | None, after_commit: bool, broken: bool) -> None:
        self.model.broken = broken
        self.dying(lambda: self.fold_step(self.store), writes, after_commit)

    @rule(writes=st.one_of(st.none(), st.integers(0, 1)), after_commit=st.booleans(), patient=st.booleans())
    def cut(self, writes: int | None, after_commit: bool, patient: bool) -> None:
        self.dying(lambda: self.cut_step(patient=patient), writes, after_commit)

    @rule(writes=st.one_of(st.none(), st.integers(0, 2)), after_commit=st.booleans())
    def tell(self, writes: int | None, after_commit: bool) -> None:
        self.dying(self.tell_step, writes, after_commit)

    @rule(workers=st.integers(2, 4))
    def race(self, workers: int) -> None:
        self.model.broken = False

        async def together() -> None:
            await asyncio.gather(*(self.fold_step(self.store) for _ in range(workers)))
            await asyncio.gather(*(self.tell_step() for _ in range(workers)))

        self.run(together())

    @rule(seconds=st.sampled_from([1, 61, 3600]))
    def wait(self, seconds: int) -> None:
        self.clock.advance(seconds)

    @precondition(lambda self: self.turns > 0)
    @rule()
    def settle(self) -> None:
        """Everything due is done: the worker lives, the model answers, leases and backoffs are over."""
        self.model.broken = False
        self.clock.advance(3600)
        while self.run(self.fold_step(self.store)) or self.run(self.cut_step(patient=False)):
            self.clock.advance(3600)
        while self.run(self.tell_step()):
            pass
        summary, _ = self.stored()
        uncovered = self.turns - (summary.covered if summary else 0)
        cut = self.settings.episodes.threshold

        assert uncovered <= max(self.settings.summary.threshold, self.settings.summary.keep_recent)
        assert list(range(cut, self.turns + 1, cut)) == self.ends()
        assert [] == self.run(self.store.chores(lambda chores: chores.untold(limit=9)))

    @invariant()
    def each_episode_is_told_whole_or_not_yet(self) -> None:
        if not hasattr(self, "opened"):
            return
        _, turns = self.stored()
        for episode in self.episodes():
            stretch = [turn for turn in turns if episode.first_seq <= turn.seq <= episode.last_seq]
            extracted = gist(stretch, max_tokens=self.settings.episodes.max_tokens)

            assert (episode.title, episode.summary) in [
                (opening(stretch), ""),
                (extracted.title, extracted.summary),
            ]

    @invariant()
    def each_message_is_folded_once(self) -> None:
        if not hasattr(self, "opened"):
            return
        summary, turns = self.stored()
        covered = summary.covered if summary else 0

        assert [f"<{number}>" for number in range(1, covered + 1)] == (summary.text.split() if summary else [])
        assert covered == 0 or self.turns - covered >= self.settings.summary.keep_recent
        assert summary is None or summary.last_seq == turns[covered - 1].seq

    @invariant()
    def each_multiple_is_cut_once(self) -> None:
        if not hasattr(self, "opened"):
            return
        ends = self.ends()
        cut = self.settings.episodes.threshold
        events = self.read(lambda work: work.outbox.page(ANA, after=0, limit=1000, types=None))

        assert list(range(cut, (ends[-1] if ends else 0) + 1, cut)) == ends
        assert ends == [event.payload["turn_count"] for event in events]
        assert self.turns - (ends[-1] if ends else 0) <= cut or self.turns < cut

    def teardown(self) -> None:
        if hasattr(self, "opened"):
            self.run(self.store.close())
            self.runner.close()

    async def fold_step(self, store: Store) -> bool:
        return await fold_due(store, settings=self.settings.summary, model=self.model, clock=self.clock)

    async def tell_step(self) -> bool:
        return await summarise_due(self.store, settings=self.settings.episodes)

    async def cut_step(self, *, patient: bool) -> bool:
        return await cut_due(self.store, settings=self.settings.episodes, clock=self.clock, patient=patient)

    def dying(self, act: Callable[[], Any], writes: int | None, after_commit: bool) -> None:
        """Run `act` with a death at one of its writes, then live on."""
        self.store.writes_left, self.store.after_commit = writes, after_commit
        try:
            self.run(act())
        except Died:
            pass
        finally:
            self.store.writes_left = None

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        reading: T = self.run(self.store.read(ANA, work))
        return reading

    def stored(self) -> Any:
        return self.read(
            lambda work: (work.summaries.get(ANA), work.messages.turns_after(ANA, seq=0, limit=10_000))
        )

    def ends(self) -> list[int]:
        return [episode.turns for episode in reversed(self.episodes())]

    def episodes(self) -> list[Episode]:
        return self.read(lambda work: work.episodes.newest(ANA, limit=1000))


class LongHistory(HistoryMachine):
    """The same, for longer."""


HistoryMachine.TestCase.settings = hypothesis_settings(max_examples=20, stateful_step_count=30, deadline=None)
LongHistory.TestCase.settings = hypothesis_settings(max_examples=200, stateful_step_count=40, deadline=None)
TestHistoryMachine = HistoryMachine.TestCase
TestLongHistoryMachine = pytest.mark.slow(LongHistory.TestCase)
