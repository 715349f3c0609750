"""Features: what is kept of a text gives the same index as the text itself, row for row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rememora.ranking.rank import RankQuery, rank
from rememora.userindex.features import is_current, pack, renew
from rememora.userindex.neighbours import NOBODY, NOWHERE
from rememora.userindex.rows import Row
from rememora.userindex.unpack import unpack
from rememora.userindex.user_index import Batch, UserIndex
from rememora.userindex.version import MARK

NOW = datetime(2026, 5, 20, tzinfo=UTC)
TEXTS = (
    "a reunião é na sexta, viu Ana? A reunião mudou",
    "Caroline: Hey Melanie! I went camping, my kids loved it",
    "Melanie: Hey Caroline! Camping is great",
    "Note: buy bread",
    "",
    "🎉",
    "the budget is R$ 4.500,00 (C++)",
    "ok",
    "Bom dia, Ana! Saí da Acme e agora trabalho na Boreal",
)
ROWS = st.lists(
    st.builds(
        lambda text, kind, place, conversation, role, speaker: (text, kind, place, conversation, role, speaker),
        st.sampled_from(TEXTS) | st.text(max_size=40),
        st.sampled_from(["message", "message", "memory", "episode"]),
        st.integers(0, 20),
        st.sampled_from(["c1", "c2", ""]),
        st.sampled_from(["user", "assistant", "tool"]),
        st.sampled_from([None, None, "Ana", "Caroline"]),
    ),
    max_size=14,
)


def rows_of(reply: Sequence[Any]) -> list[Row]:
    return [
        Row(
            id=f"{kind}:{number}",
            text=text,
            also="outro nome" if kind == "memory" else "",
            at=NOW + timedelta(minutes=7 * number),
            kind=kind,
            conversation=conversation,
            position=place if kind == "message" else None,
            role=role,
            speaker=speaker if kind == "message" else None,
            category="fact" if kind == "memory" else "",
            importance=0.3 if kind == "memory" else 0.0,
            superseded=number % 5 == 4,
            number=number + 1,
            vector=None if number % 4 == 3 else np.array([1, number, -2, 0.5], dtype=np.float32).tobytes(),
        )
        for number, (text, kind, place, conversation, role, speaker) in enumerate(reply)
    ]


def batch_of(rows: Sequence[Row]) -> Batch:
    return Batch(
        names=[row.id for row in rows],
        kinds=[row.kind for row in rows],
        conversations=[row.conversation for row in rows],
        categories=[row.category for row in rows],
        numbers=[row.number for row in rows],
        superseded=[row.superseded for row in rows],
        embedded=[row.vector is not None for row in rows],
        vectors=[row.vector if isinstance(row.vector, bytes) else None for row in rows],
        features=[pack(row) for row in rows],
        shared=False,
    )


def held(index: UserIndex) -> dict[str, object]:
    """All that a index holds; where its names lie in their table depends on how they came."""
    return {name: filled(cells) for name, cells in index.state().items() if not name.endswith("-slots")}


def filled(cells: NDArray[Any]) -> list[Any]:
    """Cells without the empty ones at the end, of which there are more or fewer."""
    values: list[Any] = cells.tolist()
    while values and values[-1] in (0, NOBODY, NOWHERE, [0.0] * 4):
        values.pop()
    return values


@given(ROWS, st.integers(0, 14))
def test_many_rows_from_features_are_the_rows_one_by_one(events: list[Any], first: int) -> None:
    """However many came before, words, speakers, neighbours, facts and vectors are those of the texts."""
    rows = rows_of(events)
    one_by_one, at_once = UserIndex(dimension=4), UserIndex(dimension=4)
    for row in rows:
        one_by_one.add(row)
    for row in rows[:first]:
        at_once.add(row)
    if rows[first:]:
        at_once.add_many(batch_of(rows[first:]))

    assert held(one_by_one) == held(at_once)


@given(ROWS, st.sampled_from(["reunião", "who went camping?", "what did Ana say?", "Acme", "4.500"]))
def test_both_rank_alike(events: list[Any], question: str) -> None:
    rows = rows_of(events)
    one_by_one, at_once = UserIndex(rows, dimension=4), UserIndex(dimension=4)
    if rows:
        at_once.add_many(batch_of(rows))
    query = RankQuery(text=question, now=NOW, vector=np.array([1, 1, 0, 0], dtype=np.float32), limit=8)

    assert rank(one_by_one, query) == rank(at_once, query)


def test_rows_that_are_there_are_replaced() -> None:
    """What comes again stands once, with its new words, and goes as any other row does."""
    rows = rows_of([(text, "message", place, "c1", "user", None) for place, text in enumerate(TEXTS)])
    index = UserIndex(rows, dimension=4)
    index.add_many(batch_of([msgspec.structs.replace(row, text="pão de queijo") for row in rows[:3]]))

    assert (len(rows), 3) == (len(index), len(index.postings.cells("queij")))
    assert not index.postings.cells("camp")
    index.remove([row.id for row in rows])
    assert 0 == len(index)


def test_what_changes_beside_the_text_is_renewed() -> None:
    row = rows_of([("a reunião é na sexta", "memory", 0, "", "user", None)])[0]
    later = msgspec.structs.replace(row, at=NOW + timedelta(days=3), importance=0.75)
    renewed = renew(pack(row), importance=later.importance, at=later.at)
    head = unpack([renewed]).head[0]

    assert (later.at.timestamp(), 0.75) == (head["at"], head["importance"])
    assert pack(later) == renewed


@pytest.mark.parametrize("kept", [None, b"", b"\x00", bytes([MARK[0] + 1]) + b"rest"])
def test_what_another_version_kept_is_not_read(kept: bytes | None) -> None:
    assert not is_current(kept)
    assert is_current(pack(rows_of([("oi", "message", 0, "c1", "user", None)])[0]))
