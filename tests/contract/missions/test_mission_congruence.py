"""Any order of writes through a store gives what the same writes give on a document in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.domain.mission import Mission
from rememora.domain.mission_codec import SECTIONS, dump
from rememora.domain.mission_path import increment, pull, push, update
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput
from rememora.missions import Missions
from rememora.settings import Store

ANA = Scope("acme", "ana")
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
PATHS = st.sampled_from(
    ["coordinators.funds.completeness", "coordinators.funds.warnings", "coordinators.tax", "executors.counters.a",
     "executors.counters.b", "orchestrator.objective", "orchestrator.budget.tokens", "final.answer",
     "intake.nothing", "coordinators.tax.gaps.critical"]
)  # fmt: skip
VALUES = st.sampled_from([0, 7, 100, 101, "text", None, {"cycle": 2}, {"cycle": 0}, ["a"]])


class WritingMachine(RuleBasedStateMachine):
    """One mission in a store, and one in hand."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.database = SqliteDatabase(Store(url=":memory:"))
        self.runner.run(self.database.open())
        missions = Missions(SqlMissions(self.database, clock=lambda: NOW), clock=lambda: NOW)
        self.plain = self.runner.run(missions.create(ANA, "q"))
        self.board = missions.board(ANA, self.plain.id)
        self.both(
            lambda mission: update(mission, "coordinators.funds", {}),
            self.board.update({"coordinators.funds": {}}),
        )

    def both(self, change: Callable[[Mission], Mission], write: Awaitable[Any]) -> None:
        """Make one change twice; either both happen or both are refused at the same field."""

        async def written() -> str | None:
            try:
                await write
            except InvalidInput as error:
                return error.field
            return None

        refused: str | None = None
        try:
            after = change(self.plain)
            dump(after)
            self.plain = after
        except InvalidInput as error:
            refused = error.field

        assert refused == self.runner.run(written())

    @rule(path=PATHS, value=VALUES)
    def update(self, path: str, value: object) -> None:
        self.both(lambda mission: update(mission, path, value), self.board.update({path: value}))

    @rule(path=PATHS, item=VALUES)
    def push(self, path: str, item: object) -> None:
        self.both(lambda mission: push(mission, path, item), self.board.push(path, item))

    @rule(path=PATHS, match=VALUES)
    def pull(self, path: str, match: object) -> None:
        self.both(lambda mission: pull(mission, path, match), self.board.pull(path, match))

    @rule(path=PATHS, by=st.integers(-5, 50))
    def increment(self, path: str, by: int) -> None:
        self.both(lambda mission: increment(mission, path, by), self.board.increment(path, by))

    @invariant()
    def same_document(self) -> None:
        stored = self.runner.run(self.board.get())

        for section in SECTIONS:
            assert getattr(self.plain, section) == getattr(stored, section)

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.close()


TestWriting = WritingMachine.TestCase
TestWriting.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
