"""A layout in files, also saved and opened again, answers as the plain one does and keeps nothing that is gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from rememora.adapters import snapshots as saving
from rememora.adapters.snapshots import FolderSnapshots
from rememora.domain.scope import Scope
from rememora.ranking.rank import RankQuery, rank
from rememora.userindex import columns, postings, vectors
from rememora.userindex.rows import Row
from rememora.userindex.user_index import Filter, UserIndex
from rememora.userindex.vectors import Vector, as_vector

ANA = Scope("acme", "ana")
NOW = datetime(2026, 5, 20, tzinfo=UTC)
WORDS = ["padaria", "pedido", "quinta", "orçamento", "orçamentos", "fornecedor", "Bia:", "Oi Ana!", "roxo?", "meu"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
QUERIES = ("pedido da padaria na quinta", "orçamento do fornecedor", "o que a Ana disse de roxo?")
NUMBERS = st.integers(0, 25)
DIMENSION = 70


@pytest.fixture(autouse=True)
def in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every column in a file, grown after the first row, and words laid down after a few."""
    monkeypatch.setattr(columns, "LENT_BYTES", 1)
    monkeypatch.setattr(columns, "FIRST_ROWS", 1)
    monkeypatch.setattr(postings, "NEW_CELLS", 12)
    monkeypatch.setattr(saving, "MAPPED_BYTES", 0)


@cache
def vector_of(text: str) -> Vector:
    return as_vector(np.random.default_rng(list(text.encode())).normal(size=DIMENSION).astype(np.float32))


def row(number: int, text: str, *, conversation: int, position: int | None, superseded: bool) -> Row:
    return Row(
        id=f"<{number}>",
        text=text,
        at=NOW - timedelta(days=number),
        conversation=f"conversation{conversation}",
        position=position,
        role="assistant" if number % 3 == 0 else "user",
        kind="memory" if position is None else "message",
        category=f"category{conversation}",
        superseded=superseded,
        embedded=True,
        number=number,
    )


class Layouts(RuleBasedStateMachine):
    """A layout in files and a plain one go through the same; only the one is saved and opened again."""

    holds = False

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.snapshots = FolderSnapshots(Path(self.folder.name) / "shelves")
        self.rows: dict[str, Row] = {}
        self.plain, self.lent = UserIndex(dimension=DIMENSION, holds_vectors=self.holds), self.empty()

    def empty(self) -> UserIndex:
        return UserIndex(dimension=DIMENSION, holds_vectors=self.holds, room=self.snapshots.scratch)

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(
        number=NUMBERS,
        text=TEXTS,
        conversation=st.integers(0, 2),
        position=st.none() | st.integers(0, 9),
        superseded=st.booleans(),
    )
    def add(self, number: int, text: str, conversation: int, position: int | None, superseded: bool) -> None:
        added = row(number, text, conversation=conversation, position=position, superseded=superseded)
        self.rows[added.id] = added
        for index in (self.plain, self.lent):
            index.add(added)

    @rule(number=NUMBERS)
    def remove(self, number: int) -> None:
        known = self.rows.pop(f"<{number}>", None) is not None

        assert [known] * 2 == [index.remove([f"<{number}>"]) for index in (self.plain, self.lent)]

    @rule(conversation=st.integers(0, 2))
    def remove_conversation(self, conversation: int) -> None:
        within = Filter(conversations=[f"conversation{conversation}"])
        names = {item.id for item in self.rows.values() if item.conversation == f"conversation{conversation}"}
        for index in (self.plain, self.lent):
            assert names == set(index.ids(within))
            index.remove(names)
        self.rows = {name: item for name, item in self.rows.items() if name not in names}

    @rule()
    def save_and_open(self) -> None:
        self.snapshots.save(ANA, self.lent.state())
        self.lent = self.empty()
        self.lent.restore(self.snapshots.load(ANA) or {})

    @rule()
    def release(self) -> None:
        self.snapshots.release()

    def asked(self, text: str) -> RankQuery:
        near = {name: 0.9 - place / 100 for place, name in enumerate(sorted(self.rows)[:5])}
        return RankQuery(text=text, now=NOW, limit=50, near=near)

    @invariant()
    def answers_as_the_plain_one(self) -> None:
        for query in map(self.asked, QUERIES):
            assert rank(self.plain, query) == rank(self.lent, query)

    @invariant()
    def holds_nothing_of_what_is_gone(self) -> None:
        conversations = {item.conversation for item in self.rows.values()}
        kept = b"\n".join(np.ascontiguousarray(part).tobytes() for part in self.lent.state().values())
        for number in range(26):
            assert (f"<{number}>" in self.rows) == (f"<{number}>".encode() in kept)
        for number in range(3):
            there = f"conversation{number}" in conversations

            assert [there] * 2 == [f"{name}{number}".encode() in kept for name in ("conversation", "category")]


class WholeLayouts(Layouts):
    """The same with vectors in the layout: they come with the words or later, and may be reduced."""

    holds = True

    @rule(number=NUMBERS)
    def embed(self, number: int) -> None:
        if (known := self.rows.get(f"<{number}>")) is not None:
            for index in (self.plain, self.lent):
                index.embed(known.id, vector_of(known.text))
            self.rows[known.id] = msgspec.structs.replace(known, embedded=True)

    @rule()
    def reduce(self) -> None:
        assert self.plain.reduced == self.lent.reduced
        for index in (self.plain, self.lent):
            if not index.reduced:
                index.reduce()

    @rule()
    def open_without_vectors(self) -> None:
        words = UserIndex(dimension=DIMENSION, holds_vectors=False)
        words.restore(self.lent.state())

        assert rank(self.plain, super().asked(QUERIES[0])) == rank(words, super().asked(QUERIES[0]))

    def asked(self, text: str) -> RankQuery:
        return RankQuery(text=text, now=NOW, limit=50, vector=vector_of(text))

    @invariant()
    def holds_no_vector_of_what_is_gone(self) -> None:
        kept = [cells for name, cells in self.lent.state().items() if name.startswith("vectors-")]
        held = {number for cells in kept for number in np.nonzero(cells)[0].tolist()}

        assert set(np.flatnonzero(self.lent.column("embedded")).tolist()) == held


@pytest.mark.parametrize("examples", [8, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("layouts", "exact_rows"), [(Layouts, 0), (WholeLayouts, 0), (WholeLayouts, 100)])
def test_a_layout_in_files_answers_as_the_plain_one(
    layouts: type[Layouts], exact_rows: int, examples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through any adding, changing, removing, saving and opening: the same hits, scores and parts, to the bit."""
    monkeypatch.setattr(vectors, "EXACT_ROWS", exact_rows)
    monkeypatch.setattr(vectors, "_RESCORED_LEAST", 8)
    length = settings(max_examples=examples, stateful_step_count=20, deadline=None)
    run_state_machine_as_test(layouts, settings=length)


def test_a_layout_in_files_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a size, what a layout takes of the process's own memory is its vocabulary and what questions left."""
    monkeypatch.setattr(columns, "LENT_BYTES", 4_096)
    rows = [
        row(n, f"pedido {n % 50} da padaria", conversation=n // 20, position=n, superseded=False)
        for n in range(5_000)
    ]
    plain = UserIndex(rows, holds_vectors=False)
    lent = UserIndex(rows, holds_vectors=False, room=FolderSnapshots(tmp_path / "shelves").scratch)

    assert lent.nbytes < plain.nbytes / 3


def test_knowledge_after_the_first_turns_can_go_again() -> None:
    """Nobody speaks in a memory, so that there is nothing of a speaker to forget with it."""
    rows = [row(n, f"pedido {n}", conversation=1, position=n or None, superseded=False) for n in (1, 2, 0)]
    index = UserIndex(rows, holds_vectors=False)

    assert 1 == index.remove(["<0>"])
    assert ["<1>"] == [hit.id for hit in rank(index, RankQuery(text="pedido 1", now=NOW, limit=1))]


def test_without_a_place_for_files_a_layout_is_in_memory(tmp_path: Path) -> None:
    """A folder that cannot be made is no reason to fail."""
    (tmp_path / "file").write_text("no folder")
    scratch = FolderSnapshots(tmp_path / "file" / "shelves").scratch
    only = row(1, "pedido", conversation=1, position=1, superseded=False)
    index = UserIndex([only], holds_vectors=False, room=scratch)

    assert scratch((10,), np.int64) is None
    assert ["<1>"] == [hit.id for hit in rank(index, RankQuery(text="pedido", now=NOW))]


def test_files_of_a_layout_have_no_name(tmp_path: Path) -> None:
    """Whatever becomes of the process, nothing is left in the folder."""
    result = FolderSnapshots(tmp_path / "shelves").scratch((1_000,), np.int64)

    assert result is not None
    assert not result.any()
    assert [] == [*(tmp_path / "shelves").iterdir()]
