"""What was worked out of a index holds until the index changes, and no longer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np

from rememora.ranking.rank import RankQuery, rank
from rememora.userindex.memo import Memo
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex

AT = datetime(2026, 3, 1, tzinfo=UTC)
ALIKE = np.ones(2, dtype=np.float32)


def test_a_standing_fact_is_made_once_until_all_is_cleared() -> None:
    """However often it is asked for."""
    memo, made = Memo(), iter(range(9))
    first = [memo.standing("fact", lambda: next(made)) for _ in range(3)]
    memo.clear()

    assert [0, 0, 0, 1] == [*first, memo.standing("fact", lambda: next(made))]


def test_of_what_few_ask_for_only_the_last_is_kept() -> None:
    """A new question after eight others lets them go; one of the eight is known."""
    memo, made = Memo(), iter(range(99))
    items = [memo.recent(number, lambda: next(made)) for number in (*range(8), 7, 8, 7)]

    assert [*range(8), 7, 8, 9] == items


def test_a_row_that_says_the_same_later_is_newer() -> None:
    """Its time may change without its words, after somebody has asked."""
    rows = [
        Row(id=text, text=text, at=AT + timedelta(minutes=place), conversation="c", position=place, vector=ALIKE)
        for place, text in enumerate(("o café", "o chá", "a água"))
    ]
    index, query = UserIndex(rows, dimension=2), RankQuery(text="o que ela bebe?", now=AT, vector=ALIKE)
    before = [hit.id for hit in rank(index, query) if "recency" in hit.parts]
    index.note(msgspec.structs.replace(rows[0], at=AT + timedelta(days=1)))
    after = [hit.id for hit in rank(index, query) if hit.parts.get("recency", 0) > 0.01]

    assert "o café" not in before
    assert ["o café"] == after
