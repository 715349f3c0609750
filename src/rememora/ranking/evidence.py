"""Evidence for each row of an index before any is chosen: words, meaning, speaker and time."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import FOLDED
from rememora.ranking import fuse
from rememora.ranking.leaning import lean_of, shared
from rememora.ranking.question import ParsedQuestion
from rememora.ranking.when import EVER, TimeSpan
from rememora.ranking.wording import word_scores
from rememora.settings.weights import Weights
from rememora.userindex.listening import ASSISTANT, USER
from rememora.userindex.user_index import Filter, UserIndex

Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.intp]
Rows = Numbers | slice
"""Which rows are looked at; a slice where it is all of them, for that copies nothing."""

ALL = slice(None)
RETOLD = Filter(kinds=FOLDED)
UNRELATED = 0.1
"""Cosine, neighbours included, under which hardly any row was the answer to a question (`bench/recall.py`)."""
OF_ANOTHER = 0.4
"""Cosine, neighbours included, that speaks for a row although nobody has heard of whom the question is about."""
SAID_OF_ANOTHER = 1 / 3
"""Share of the question that such a row must say otherwise (docs/why/recall.md has both measured)."""
_SLACK_SECONDS = 3 * 86_400


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One value for each row that is looked at: `words` and `meaning` on one scale.

    `lifts` are what each point of a score gains, and `lifted` is the score by which rows come into the pool.
    """

    rows: Rows
    words: Scores
    meaning: Scores
    lifts: dict[str, Scores]
    lifted: Scores
    # How much of the `full` question each row says; its cosine, where it has one, is the better measure.
    said: Scores
    full: float
    cosines: Scores | None
    embedded: Mask
    # Cosines with those of the neighbours, before they are brought to the scale of the words.
    near: Scores | None = None

    def numbers(self, places: Rows) -> Rows:
        """Return the rows at these places."""
        return places if isinstance(self.rows, slice) else self.rows[places]

    def similarity(self, places: Rows = ALL) -> Scores:
        """Return the similarity of rows to the question, from 0 to 1."""
        covered = _covered(self.said[places], self.full)
        if self.cosines is None:
            return covered
        near = np.minimum(np.maximum(self.cosines[places], np.float32(0)), np.float32(1))
        return np.where(self.embedded[places], near, covered)

    def unrelated(self, places: Numbers, *, of_unknown: bool = False) -> Mask:
        """Return the rows that share no word with the question and are no nearer to it than unrelated text is.

        Of a question about somebody unknown a row must say more, or be nearer.
        """
        said = self.said[places]
        if self.near is None:
            silent: Mask = said <= 0
            return silent
        least, near = (SAID_OF_ANOTHER, OF_ANOTHER) if of_unknown else (0.0, UNRELATED)
        silent = (_covered(said, self.full) < least) | (said <= 0)
        return silent & ((self.near[places] < near) | ~self.embedded[places])


def at(rows: Rows, places: Numbers) -> Numbers:
    """Return those of `rows` at these places."""
    return places if isinstance(rows, slice) else rows[places]


def gather(
    index: UserIndex,
    question: ParsedQuestion,
    *,
    cosines: Scores | None,
    allowed: Mask,
    weights: Weights,
) -> Evidence:
    """All that the index, and the cosine of each of its rows with the question, say."""
    raw, full = _said(index, question, weights)
    meant = cosines is not None and bool(weights.vector)
    rows = _looked_at(allowed if meant else allowed & (raw > 0))
    said = raw[rows]
    words = fuse.of_words(said, full, weights.coverage)
    embedded = index.column("embedded")[rows]
    near = None if cosines is None or not meant else _with_neighbours(index, cosines, rows, weights)
    if near is None:
        meaning = np.zeros_like(words)
    else:
        meaning = fuse.of_meaning(near, embedded, weights.vector)
        if np.count_nonzero(embedded) < len(embedded):
            # What was written a moment ago has no vector yet: its words speak for its meaning too, or it would
            # stand behind anything that is merely nearest.
            words = words * (1 + np.float32(weights.vector) * ~embedded)
    style = index.memo.standing(("style", weights), lambda: _style(index, weights))
    lifts = _lifts(index, question, rows, weights)
    lifted = (words + meaning) * style.factor[rows]
    for gain in lifts.values():
        lifted *= 1 + gain
    return Evidence(
        rows=rows,
        words=words,
        meaning=meaning,
        lifts={name: gain[rows] for name, gain in style.gains.items()} | lifts,
        lifted=lifted,
        said=said,
        full=full,
        cosines=cosines[rows] if cosines is not None and meant else None,
        embedded=embedded,
        near=near,
    )


def _said(index: UserIndex, question: ParsedQuestion, weights: Weights) -> tuple[Scores, float]:
    """Return how much of the question each row says, and how much there is to say."""
    if question.of_time and question.span is not None and weights.time:
        # To be of that time is all that a row can say to it; to be from soon after it, little.
        return np.square(_closeness(index.column("at"), question.span)), 1.0
    return word_scores(index, question.terms, weights)


def _covered(scores: Scores, full: float) -> Scores:
    return np.asarray(np.minimum(scores / np.float32(full or 1.0), np.float32(1)))


def _looked_at(mask: Mask) -> Rows:
    return ALL if np.count_nonzero(mask) == len(mask) else np.flatnonzero(mask)


def _with_neighbours(index: UserIndex, cosines: Scores, rows: Rows, weights: Weights) -> Scores:
    shares = (weights.vector_before, weights.vector_after)
    lean = lean_of(index, weights)
    # Who does not lean on the neighbours is heard once more alone.
    alone = index.memo.standing(("alone", weights), lambda: 1 + np.float32(sum(shares)) * (1 - lean))
    before, after = index.beside()
    heard = shared(cosines, before[rows], after[rows], shares)
    return np.asarray(cosines[rows] * alone[rows] + lean[rows] * heard)


def _lifts(index: UserIndex, question: ParsedQuestion, rows: Rows, weights: Weights) -> dict[str, Scores]:
    """Return what rows gain by this question: the names in it, the speaker and the time it asks for."""
    lifts: dict[str, Scores] = {}
    if len(question.named) == 1:
        (named,) = question.named
        lifts["speaker"] = np.float32(weights.speaker) * (index.column("speaker")[rows] == named)
    # Asked for what the assistant said, the user's words are the echo.
    echoing = USER if question.of_assistant else ASSISTANT
    echo = index.memo.standing(("echo", echoing, weights), lambda: _echo(index, echoing, weights))
    if echo is not None and ASSISTANT not in question.named:
        lifts["echo"] = echo[rows]
    if question.span is not None:
        lifts["time"] = np.float32(weights.time) * _closeness(index.column("at")[rows], question.span)
    return lifts


def _echo(index: UserIndex, speaker: int, weights: Weights) -> Scores | None:
    """Return what the words of one speaker lose; None where that is nothing, as between people."""
    loss = -weights.echo * index.speakers.assistance()
    return np.float32(loss) * (index.column("speaker") == speaker) if loss else None


class _Style(NamedTuple):
    """Score of the style of rows, independent of the question, and its effect on their scores."""

    gains: dict[str, Scores]
    factor: Scores


def _style(index: UserIndex, weights: Weights) -> _Style:
    """Less for a question, less for few words, less for what messages say themselves."""
    gains = {
        "asking": np.float32(-weights.asking) * index.column("asking"),
        "filler": np.float32(-weights.filler) * (index.column("speaker") >= 0) / (1 + index.column("length")),
        "retold": np.float32(-weights.retold) * index.allowed(RETOLD),
    }
    effective = {name: gain for name, gain in gains.items() if np.count_nonzero(gain)}
    factor = np.ones(index.size, dtype=np.float32)
    for gain in effective.values():
        factor *= 1 + gain
    return _Style(effective, factor)


def _closeness(at: NDArray[np.float64], span: TimeSpan) -> Scores:
    """1 inside the span, one half within some days after it, when people still talk about it.

    What is over before a time has nothing after it.
    """
    since, until = span.since.timestamp(), span.until.timestamp()
    slack = 0 if span.since == EVER else max(_SLACK_SECONDS, (until - since) / 4)
    inside = (at >= since) & (at < until)
    soon_after = (at >= until) & (at < until + slack)
    return inside.astype(np.float32) + np.float32(0.5) * soon_after.astype(np.float32)
