"""Questions asked lately: embedded once, kept as marks without their words, and not past an erasure."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from tests.clock import SetClock

from rememora import Rememora, Settings
from rememora.language import detection, stems, words
from rememora.recall import query_vectors
from rememora.recall.query_vectors import QueryVectors
from rememora.testing import WordEmbedder

SECRET = "o cofre é xyzzy4711"


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
async def rememora(settings: Settings, clock: SetClock, embedder: WordEmbedder) -> AsyncIterator[Rememora]:
    async with Rememora.open(settings=settings, clock=clock, embedder=embedder, background=False) as opened:
        for user in ("ana", "bia"):
            await opened.user(user, tenant="acme").conversation("c1").append("user", SECRET)
        await opened.settle()
        yield opened


def kept(rememora: Rememora) -> QueryVectors:
    return rememora._parts.searcher()._queries


async def test_a_question_is_embedded_once(rememora: Rememora, embedder: WordEmbedder, clock: SetClock) -> None:
    """And again when it was not asked for long, or too many others were."""
    calls = []
    for wait in (timedelta(), timedelta(), query_vectors.KEPT, query_vectors.KEPT + timedelta(seconds=1)):
        clock.advance(wait.total_seconds())
        await rememora.user("ana", tenant="acme").recall(SECRET)
        calls.append(embedder.calls)

    assert [0, 0, 0, 1] == [count - calls[0] for count in calls]


async def test_no_question_is_kept_in_words(rememora: Rememora) -> None:
    """What is kept has nothing of the text in it, and is not the same in another process."""
    await rememora.user("ana", tenant="acme").recall(SECRET)
    held, other = kept(rememora), QueryVectors(rememora._parts.clock)
    other.put(other.mark(SECRET), next(iter(held._vectors.values()))[1])

    assert 1 == len(held)
    assert "xyzzy4711" not in repr(vars(held))
    assert held._vectors.keys().isdisjoint(other._vectors.keys())


def remembered(rememora: Rememora) -> str:
    indexes = rememora._parts.searcher()._indexes._indexes.values()
    return repr([vars(index.index.memo) for index in indexes])


def held_words() -> int:
    held = (
        *words._KNOWN.values(),
        words._known_words,
        words.forms,
        detection.language_of_text,
        detection._balance,
        stems.stem,
    )
    return sum(item.cache_info().currsize for item in held)


async def test_no_question_outlives_an_erasure(rememora: Rememora) -> None:
    """Whoever is erased, every question and every word goes: nobody can tell whose it was."""
    for user in ("ana", "bia"):
        await rememora.user(user, tenant="acme").recall(SECRET)
    before = len(kept(rememora)), held_words()
    asked_of = remembered(rememora).count(f"'question', {SECRET!r}")
    await rememora.user("ana", tenant="acme").erase(person=True)
    after = len(kept(rememora)), held_words()
    left = remembered(rememora)

    assert (1, True) == (before[0], before[1] > 0)
    assert (0, 0) == after
    assert 2 == asked_of
    assert "xyzzy4711" not in left


def test_only_so_many_are_kept(clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was asked longest ago leaves first."""
    monkeypatch.setattr(query_vectors, "MOST", 2)
    held, vector = QueryVectors(clock), WordEmbedder()._vector("a")
    one, two, three = map(held.mark, ("um", "dois", "três"))
    held.put(one, vector)
    held.put(two, vector)
    held.get(one)
    held.put(three, vector)

    assert [True, False, True] == [held.get(mark) is not None for mark in (one, two, three)]
