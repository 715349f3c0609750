"""Any order of writes through a store gives what the same writes give on a document in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.contract.missions.worlds import ENGINES, world_of

from rememora.domain.mission import Mission
from rememora.domain.mission_codec import dump
from rememora.domain.mission_path import increment, pull, push, update
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput

ANA = Scope("acme", "ana")
PATHS = st.sampled_from(
    ["coordinators.funds.collected", "coordinators.funds.completeness", "coordinators.funds.warnings",
     "coordinators.tax", "executors.counters.a", "executors.counters.b", "orchestrator.objective",
     "orchestrator.budget.tokens", "final.answer", "intake.nothing", "coordinators.tax.gaps.critical"]
)  # fmt: skip
# What one engine or another could take for an order, or not take at all.
ODD = {"$set": {"a.b": 1}, "": {"%2E": [1, 1.0, True, None]}, "0": {"\0": 2**63}, "b": 1, "a": {}}
CHANGED = {"b": 2, "0": {"\0": 2**64 - 1}, "$set": {"a.b": 1.0}, "$inc": {"revision": 5}}
DEEP: dict[str, Any] = {"a": {}}
for _ in range(150):
    DEEP = {"a": DEEP}
VALUES = st.sampled_from([0, 7, 100, 101, "text", None, {"cycle": 2}, {"cycle": 0}, ["a"], ODD, CHANGED, DEEP])


class WritingMachine(RuleBasedStateMachine):
    """One mission in a store, and one in hand."""

    engine = "sqlite-memory"

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = TemporaryDirectory()
        self.world = world_of(self.engine, Path(self.folder.name))
        missions = self.runner.run(self.world.__aenter__()).missions
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

        assert dump(self.plain) == dump(stored)

    def teardown(self) -> None:
        self.runner.run(self.world.__aexit__(None, None, None))
        self.runner.close()
        self.folder.cleanup()


@pytest.mark.parametrize("engine", ENGINES)
def test_writing(engine: str) -> None:
    """Whatever is written in whatever order, the store holds what a document in hand would."""
    machine = type("Writing", (WritingMachine,), {"engine": engine})
    steps = settings(max_examples=10, stateful_step_count=20, deadline=None)
    run_state_machine_as_test(machine, settings=steps)
