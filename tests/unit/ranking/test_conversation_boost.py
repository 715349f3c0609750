"""A conversation vouches for its turns: the same for the same rows, whichever way it is worked out."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from rememora.ranking.rank import RankQuery, conversation_scores, rank
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex

AT = datetime(2026, 3, 1, tzinfo=UTC)
ALL = slice(None)


def turn(id: str, conversation: str = "c1", position: int | None = 0) -> Row:
    kind = "episode" if position is None else "message"
    return Row(id=id, kind=kind, text=f"o fornecedor {id}", at=AT, conversation=conversation, position=position)


def talk() -> list[Row]:
    """Three turns of one conversation and an episode of it, which stands in no order."""
    return [*(turn(f"m{place}", position=place) for place in range(3)), turn("e", position=None)]


def scores(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, dtype=np.float32)


@pytest.mark.parametrize(
    ("voices", "mean"), [(1, 4.0), (2, 3.5), (3, 3.0), (5, 2.2)], ids=["one", "two", "three", "more than speak"]
)
def test_the_best_of_a_conversation_speak_for_all_of_it(voices: int, mean: float) -> None:
    """An episode is one of them, and vouches for itself; where fewer speak, the rest say as little as the last."""
    result = conversation_scores(UserIndex(talk()), ALL, scores(1, 2, 4, 3), voices=voices)

    np.testing.assert_allclose([mean, mean, mean, 3], result, rtol=1e-6)


def test_another_conversation_changes_nothing_for_this_one() -> None:
    """Neither one that is there, nor one that was."""
    alone, index = UserIndex(talk()), UserIndex([*talk(), turn("x", "c2")])
    left = UserIndex([*talk(), turn("x", "c2")])
    left.remove(["x"])
    items = [
        conversation_scores(alone, ALL, scores(1, 2, 4, 3), voices=3),
        conversation_scores(index, ALL, scores(1, 2, 4, 3, 1), voices=3)[:4],
        conversation_scores(left, ALL, scores(1, 2, 4, 3, 1), voices=3)[:4],
    ]

    assert items[0].tolist() == items[1].tolist() == items[2].tolist()


def test_what_was_removed_is_not_heard_in_an_answer() -> None:
    """The scores of a index are those of its rows, whatever stood on it before."""
    fresh, used = UserIndex(talk()), UserIndex([turn("x", "c2"), *talk()])
    used.remove(["x"])
    query = RankQuery(text="fornecedor", now=AT, limit=9)

    assert {hit.id: hit.score for hit in rank(fresh, query)} == {hit.id: hit.score for hit in rank(used, query)}
