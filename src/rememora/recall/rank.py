"""The one ranking: words and meaning fused, lifted by what conversations offer, explained part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import Hit
from rememora.recall.evidence import ALL, Evidence, Rows, Scores, at, gather
from rememora.recall.fuse import Tally
from rememora.recall.question import Question, understand
from rememora.recall.shelf import EVERYTHING, Filter, Shelf
from rememora.recall.spoken import spoken
from rememora.recall.update import put_newest_first
from rememora.recall.vectors import Vector, as_vector
from rememora.recall.voices import vouched
from rememora.settings.weights import Weights

S = TypeVar("S", "Ranked", Hit)
DEFAULT: Final = Weights()
MOST_POOLED = 240
_LOOKED_AT_FOR_REPEATS = 3


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked and when, among which rows, and how many are wanted."""

    text: str
    now: datetime
    vector: bytes | Vector | None = None
    # Cosines by id that were found elsewhere, for the nearest rows: then the shelf's own vectors are not asked.
    near: Mapping[str, float] | None = None
    limit: int = 5
    within: Filter = EVERYTHING
    min_similarity: float | None = None
    # Whether rows are left out that share no word with the question and are as far from it as unrelated text.
    related: bool = False


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the answer; `parts` add up to `score`, `similarity` is between 0 and 1."""

    id: str
    score: float
    similarity: float
    parts: dict[str, float]


def rank(shelf: Shelf, query: Query, *, weights: Weights = DEFAULT) -> list[Ranked]:
    """The best rows of `shelf` for `query`, best first; a row that nothing speaks for is never among them."""
    allowed = shelf.allowed(query.within)
    if query.limit < 1 or not np.count_nonzero(allowed):
        return []
    question = _understood(shelf, query)
    evidence = gather(shelf, question, cosines=_cosines(shelf, query), allowed=allowed, weights=weights)
    scores = _worth(evidence, query)
    places = _pool(scores, _pool_size(query.limit, weights))
    pool = evidence.numbers(places)
    tally = _second_look(shelf, question, evidence, places, weights=weights)
    tally.leave_out(scores[places] <= 0)
    _mark_repeats(shelf, pool, tally, looked_at=query.limit * _LOOKED_AT_FOR_REPEATS, weights=weights)
    if not question.of_past:
        put_newest_first(shelf, pool, tally, asked=question.terms, weights=weights)
    best = tally.order[: query.limit]
    if query.related:
        best = best[~evidence.unrelated(at(places, best))]
    facts = (at(pool, best), tally.total[best], evidence.similarity(at(places, best)))
    return [
        Ranked(id=shelf.name(number), score=score, similarity=similarity, parts=parts)
        for number, score, similarity, parts in zip(
            *(fact.tolist() for fact in facts), tally.explain(best), strict=True
        )
    ]


def _understood(shelf: Shelf, query: Query) -> Question:
    """The question, once for all who ask it of an unchanged shelf; the hour says enough of the time."""
    hour = query.now.replace(minute=0, second=0, microsecond=0)
    return shelf.memo.lately(
        ("question", query.text, hour),
        lambda: understand(
            query.text,
            now=hour,
            spoken=shelf.memo.standing("spoken", lambda: spoken(shelf.column("language"))),
            holds=shelf.lexicon.held.__contains__,
            speakers=shelf.speakers.names(),
        ),
    )


def blend(hits: Sequence[S], opinions: Sequence[float], *, share: float) -> list[S]:
    """Hits in the order that a reranker's `opinions` (0 to 1 each) give with `share` of the say.

    A good opinion of the same words twice is one good opinion: the second counts for as little as its score does.
    """
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    changes = [
        share * (opinion * best * _once(hit) - hit.score) for hit, opinion in zip(hits, opinions, strict=True)
    ]
    blended = [
        msgspec.structs.replace(hit, score=hit.score + change, parts={**hit.parts, "reranker": change})
        for hit, change in zip(hits, changes, strict=True)
    ]
    return sorted(blended, key=lambda hit: -hit.score)


def _once(hit: Ranked | Hit) -> float:
    """What a repeat has left of its score; 1 for what is said once."""
    lost = hit.parts.get("repeat", 0.0)
    return hit.score / (hit.score - lost) if lost else 1.0


def _cosines(shelf: Shelf, query: Query) -> Scores | None:
    exact = bool(query.min_similarity)
    if query.near is not None:
        return shelf.scattered(query.near, exact=exact)
    return None if query.vector is None else shelf.cosines(as_vector(query.vector), exact=exact)


def _worth(evidence: Evidence, query: Query) -> Scores:
    """What each row is worth at first sight; nothing where it is not near enough."""
    if not query.min_similarity:
        return evidence.lifted
    return np.where(evidence.similarity() >= query.min_similarity, evidence.lifted, np.float32(0))


def _pool_size(limit: int, weights: Weights) -> int:
    """Rows for the second look: some for each that is wanted, and of many wanted only twice as many."""
    return max(min(limit * weights.pool_each, MOST_POOLED), limit * 2, weights.pool_least)


def _pool(scores: Scores, size: int) -> Rows:
    """The places of rows to be looked at again; of few it costs less to look at all."""
    return np.sort(np.argpartition(-scores, size)[:size]) if len(scores) > size else ALL


def _second_look(shelf: Shelf, question: Question, evidence: Evidence, places: Rows, *, weights: Weights) -> Tally:
    tally, pool = Tally(), evidence.numbers(places)
    tally.plus("words", evidence.words[places])
    tally.plus("meaning", evidence.meaning[places])
    if weights.conversation and len(tally.total):
        said = vouched(shelf, pool, tally.total, voices=weights.conversation_voices)
        tally.plus("conversation", weights.conversation * said)
    for name, gain in evidence.lifts.items():
        tally.gain(name, gain[places])
    newer = weights.recency + (weights.latest if question.wants_latest else 0.0)
    tally.gain("recency", np.float32(newer) * _newness(shelf, pool))
    for name, weight in (("importance", weights.importance), ("superseded", -weights.superseded)):
        fact = shelf.column(name)[pool]
        if np.count_nonzero(fact):
            tally.gain(name, np.float32(weight) * fact)
    return tally


def _newness(shelf: Shelf, pool: Rows) -> Scores:
    """Where each row of the pool lies between its oldest, 0, and its newest, 1."""
    at = shelf.column("at")
    if isinstance(pool, slice):
        return shelf.memo.standing("newness", lambda: _between(at))
    return _between(at[pool])


def _between(at: NDArray[np.float64]) -> Scores:
    oldest, newest = (at.min(), at.max()) if len(at) else (0.0, 0.0)
    if newest <= oldest:
        return np.zeros(len(at), dtype=np.float32)
    newness: Scores = ((at - oldest) / (newest - oldest)).astype(np.float32)
    return newness


def _mark_repeats(shelf: Shelf, pool: Rows, tally: Tally, *, looked_at: int, weights: Weights) -> None:
    """The best of several rows with the same words stays; the others make room."""
    best = tally.order[:looked_at]
    sayings = shelf.column("saying")[at(pool, best)].tolist()
    if len(set(sayings)) == len(sayings):
        return
    seen: set[int] = set()
    repeats: list[int] = []
    for place, saying in zip(best.tolist(), sayings, strict=True):
        if saying and saying in seen:
            repeats.append(place)
        seen.add(saying)
    if repeats:
        lost = np.zeros(len(tally.total), dtype=np.float32)
        lost[repeats] = -weights.repeat
        tally.gain("repeat", lost)
