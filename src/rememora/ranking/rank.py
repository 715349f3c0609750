"""The one ranking: words and meaning fused, lifted by what conversations offer, explained part by part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import Hit
from rememora.language.packs import CODES
from rememora.language.parsed import parse_text
from rememora.language.wordlists import UNTOLD
from rememora.ranking.evidence import ALL, Evidence, Rows, Scores, at, gather
from rememora.ranking.fuse import ScoreBoard
from rememora.ranking.question import ParsedQuestion, understand
from rememora.ranking.update import put_newest_first
from rememora.settings.weights import Weights
from rememora.userindex.largest import largest
from rememora.userindex.user_index import EVERYTHING, Filter, UserIndex
from rememora.userindex.vectors import Vector, as_vector

S = TypeVar("S", "Ranked", Hit)
DEFAULT: Final = Weights()
MOST_POOLED = 240
_LOOKED_AT_FOR_REPEATS = 3
_POOL_STEPS = np.float32(1024)
"""Steps of a point that first scores are told apart by: less does not decide who is looked at again."""


class RankQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A question and its time, the rows to search, and the number of hits."""

    text: str
    now: datetime
    vector: bytes | Vector | None = None
    # Cosines by id that an engine found, for the nearest rows: then the index's own vectors are not asked.
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


def rank(index: UserIndex, query: RankQuery, *, weights: Weights = DEFAULT) -> list[Ranked]:
    """The best rows of `index` for `query`, best first; a row that nothing speaks for is never among them."""
    allowed = index.allowed(query.within)
    if query.limit < 1 or not np.count_nonzero(allowed):
        return []
    question = _understood(index, query)
    evidence = gather(index, question, cosines=_cosines(index, query), allowed=allowed, weights=weights)
    scores = _worth(evidence, query)
    # Two stages: words and meaning are cheap for all rows at once, the rest is computed for a pool of the best.
    places = _pool(scores, _pool_size(query.limit, weights))
    pool = evidence.numbers(places)
    board = _second_look(index, question, evidence, places, weights=weights)
    board.leave_out(scores[places] <= 0)
    _mark_repeats(index, pool, board, looked_at=query.limit * _LOOKED_AT_FOR_REPEATS, weights=weights)
    # Who asks for the past wants the old statement, and not the one that replaced it.
    if not question.of_past:
        put_newest_first(index, pool, board, query_words=question.terms, weights=weights)
    best = board.order[: query.limit]
    if query.related:
        best = best[~evidence.unrelated(at(places, best), of_unknown=question.of_unknown)]
    facts = (at(pool, best), board.scores(best), evidence.similarity(at(places, best)))
    return [
        Ranked(id=index.name(number), score=score, similarity=similarity, parts=parts)
        for number, score, similarity, parts in zip(
            *(fact.tolist() for fact in facts), board.explain(best), strict=True
        )
    ]


def _understood(index: UserIndex, query: RankQuery) -> ParsedQuestion:
    """The question, once for all who ask it of an unchanged index; the hour says enough of the time."""
    hour = query.now.replace(minute=0, second=0, microsecond=0)
    return index.memo.recent(
        ("question", query.text, hour),
        lambda: understand(
            parse_text(query.text),
            now=hour,
            spoken=index.memo.standing("spoken", lambda: spoken(index.column("language"))),
            holds=index.postings.holds,
            kin=index.postings.kin,
            speakers=index.speakers.names(),
        ),
    )


def blend(hits: Sequence[S], opinions: Sequence[float], *, share: float) -> list[S]:
    """Hits in the order that a reranker's `opinions` (0 to 1 each) give with `share` of the say.

    A good opinion of the same words twice is one good opinion: the second counts for as little as its score does.
    """
    # Opinions are brought to the scale of the scores before the two are mixed.
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
    """Return the share of its score that a repeated hit keeps; 1 for a text that occurs once."""
    lost = hit.parts.get("repeat", 0.0)
    return hit.score / (hit.score - lost) if lost else 1.0


def _cosines(index: UserIndex, query: RankQuery) -> Scores | None:
    exact = bool(query.min_similarity)
    if query.near is not None:
        return index.scattered(query.near, exact=exact)
    return None if query.vector is None else index.cosines(as_vector(query.vector), exact=exact)


def _worth(evidence: Evidence, query: RankQuery) -> Scores:
    """Return the first score of each row; 0 where it is not near enough."""
    if not query.min_similarity:
        return evidence.lifted
    return np.where(evidence.similarity() >= query.min_similarity, evidence.lifted, np.float32(0))


def _pool_size(limit: int, weights: Weights) -> int:
    """Rows for the second look: some for each that is wanted, and of many wanted only twice as many."""
    return max(min(limit * weights.pool_each, MOST_POOLED), limit * 2, weights.pool_least)


def _pool(scores: Scores, size: int) -> Rows:
    """The places of rows to be looked at again; of few it costs less to look at all.

    Sums end in other digits on another processor. Rounded, rows that say as much as each other stay equal, and
    which of them are in the pool, by which all of it is measured, is the same everywhere.
    """
    return largest(np.rint(scores * _POOL_STEPS), size) if len(scores) > size else ALL


def _second_look(
    index: UserIndex, question: ParsedQuestion, evidence: Evidence, places: Rows, *, weights: Weights
) -> ScoreBoard:
    board, pool = ScoreBoard(), evidence.numbers(places)
    # `plus` adds to the score, `gain` multiplies it: words and meaning are evidence, all others only say how
    # much that evidence counts.
    board.plus("words", evidence.words[places])
    board.plus("meaning", evidence.meaning[places])
    if weights.conversation and len(board.total):
        said = conversation_scores(index, pool, board.total, voices=weights.conversation_voices)
        board.plus("conversation", weights.conversation * said)
    for name, gain in evidence.lifts.items():
        board.gain(name, gain[places])
    newer = weights.recency + (weights.latest if question.wants_latest else 0.0)
    newness = _newness(index, pool)
    board.gain("recency", np.float32(newer) * newness)
    board.newness = newness.astype(np.float64)
    for name, weight in (("importance", weights.importance), ("superseded", -weights.superseded)):
        fact = index.column(name)[pool]
        if np.count_nonzero(fact):
            board.gain(name, np.float32(weight) * fact)
    return board


def _newness(index: UserIndex, pool: Rows) -> Scores:
    """Return the age of each row of the pool between its oldest, 0, and its newest, 1."""
    at = index.column("at")
    if isinstance(pool, slice):
        return index.memo.standing("newness", lambda: _between(at))
    return _between(at[pool])


def _between(at: NDArray[np.float64]) -> Scores:
    oldest, newest = (at.min(), at.max()) if len(at) else (0.0, 0.0)
    if newest <= oldest:
        return np.zeros(len(at), dtype=np.float32)
    newness: Scores = ((at - oldest) / (newest - oldest)).astype(np.float32)
    return newness


def _mark_repeats(index: UserIndex, pool: Rows, board: ScoreBoard, *, looked_at: int, weights: Weights) -> None:
    """The best of several rows with the same words stays; the others make room."""
    best = board.order[:looked_at]
    sayings = index.column("saying")[at(pool, best)].tolist()
    # The usual case, without a loop.
    if len(set(sayings)) == len(sayings):
        return
    seen: set[int] = set()
    repeats: list[int] = []
    for place, saying in zip(best.tolist(), sayings, strict=True):
        if saying and saying in seen:
            repeats.append(place)
        seen.add(saying)
    if repeats:
        lost = np.zeros(len(board.total), dtype=np.float32)
        lost[repeats] = -weights.repeat
        board.gain("repeat", lost)


# Below this share of rows in the other language, questions are not matched in it.
_SELDOM: Final = 10


def spoken(languages: NDArray[Any]) -> tuple[str, ...]:
    """The languages of rows, the one of most first, which decides how a query of one word is read."""
    rows = _rows(languages)
    total = sum(rows.values())
    said = [code for code in CODES if rows[code] * _SELDOM >= total and (rows[code] or code in UNTOLD)]
    return tuple(sorted(said, key=lambda language: -rows[language]))


def _rows(languages: NDArray[Any]) -> dict[str, int]:
    counted = np.bincount(languages, minlength=len(CODES) + 1)[1:].tolist()
    return dict(zip(CODES, counted, strict=True))


def conversation_scores(index: UserIndex, pool: Rows, scores: Scores, *, voices: int) -> Scores:
    """Return for each row the mean of its conversation's best scores; a single row counts for itself.

    A turn of a relevant conversation is worth more than a stray one.
    """
    alone = _alone(index)[pool]
    conversations = index.column("conversation")[pool]
    least = float(scores.min())
    only = index.memo.standing("only conversation", lambda: _only_conversation(index))
    # The usual case of an agent with one long conversation, without a Python loop over its rows.
    if only is not None:
        ordered = scores[conversations == only]
        best = np.partition(ordered, -voices)[-voices:] if len(ordered) > voices else ordered
        return np.where(alone, scores, np.float32(_mean(best.tolist(), voices, least)))
    codes = conversations.tolist()
    said: defaultdict[int, list[float]] = defaultdict(list)
    for code, score in zip(codes, scores.tolist(), strict=True):
        said[code].append(score)
    means = {code: _mean(rows, voices, least) for code, rows in said.items()}
    return np.where(alone, scores, np.fromiter(map(means.__getitem__, codes), np.float32, len(codes)))


def _mean(scores: list[float], voices: int, least: float) -> float:
    """The mean of the best; where fewer speak, the others say as little as the least of all."""
    best = sorted(scores)[-voices:] if len(scores) > voices else scores
    return (sum(best) + least * (voices - len(best))) / voices


def _alone(index: UserIndex) -> NDArray[np.bool_]:
    """Return the rows without an order, each its own neighbour."""
    return index.memo.standing("alone", lambda: np.asarray(index.beside()[0] == np.arange(index.size)))


def _only_conversation(index: UserIndex) -> int | None:
    """Return the only conversation, if all ordered rows belong to one."""
    conversations = index.column("conversation")[index.column("alive") & ~_alone(index)]
    if not len(conversations) or conversations.min() != conversations.max():
        return None
    return int(conversations[0])
