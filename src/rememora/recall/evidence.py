"""What speaks for each row of a shelf, before anything is chosen: words, meaning, and who says it when."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.recall import fuse
from rememora.recall.neighbours import leaning, shared
from rememora.recall.question import Question
from rememora.recall.shelf import Shelf
from rememora.recall.speakers import ASSISTANT, USER
from rememora.recall.weights import Weights
from rememora.recall.when import Span

Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]

_SLACK_SECONDS = 3 * 86_400


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One value per row: `words` and `meaning` on one scale, `similarity` 0 to 1, `lifts` as factors."""

    words: Scores
    meaning: Scores
    similarity: Scores
    lifts: dict[str, Scores]

    def lifted(self) -> Scores:
        """The score by which rows come into the pool."""
        total = self.words + self.meaning
        for factor in self.lifts.values():
            total = total * factor
        return total


def gather(
    shelf: Shelf,
    question: Question,
    *,
    cosines: Scores | None,
    allowed: Mask,
    weights: Weights,
) -> Evidence:
    """All that the shelf, and the cosine of each of its rows with the question, say."""
    raw, full = shelf.wording().score(question.terms, weights)
    raw = np.where(allowed, raw, np.float32(0))
    covered = np.clip(raw / np.float32(full or 1.0), 0, 1)
    words = fuse.of_words(raw, full, weights.coverage)
    lifts = _lifts(shelf, question, weights)
    if cosines is None or not weights.vector:
        return Evidence(words=words, meaning=np.zeros_like(words), similarity=covered, lifts=lifts)
    embedded = shelf.column("embedded")
    meaning = fuse.of_meaning(_with_neighbours(shelf, cosines, weights), allowed & embedded)
    return Evidence(
        words=words,
        meaning=meaning * np.float32(weights.vector),
        similarity=np.where(embedded, np.clip(cosines, 0, 1), covered),
        lifts=lifts,
    )


def _with_neighbours(shelf: Shelf, cosines: Scores, weights: Weights) -> Scores:
    shares = (weights.vector_before, weights.vector_after)
    lean = leaning(shelf.column("length"), weights, shelf.speakers.assistance())
    heard = shared(cosines, *shelf.beside(), shares)
    alone = (1 - lean) * np.float32(sum(shares)) * cosines
    return np.asarray(cosines + lean * heard + alone, dtype=np.float32)


def _lifts(shelf: Shelf, question: Question, weights: Weights) -> dict[str, Scores]:
    speaker = shelf.column("speaker")
    lifts = {
        "asking": 1 - np.float32(weights.asking) * shelf.column("asking"),
        "filler": 1 - np.float32(weights.filler) * (speaker >= 0) / (1 + shelf.column("length")),
    }
    if len(question.named) == 1:
        (named,) = question.named
        lifts["speaker"] = 1 + np.float32(weights.speaker) * (speaker == named)
    if ASSISTANT not in question.named:
        # Asked for what the assistant said, the user's words are the echo.
        echo = weights.echo * shelf.speakers.assistance()
        lifts["echo"] = 1 - np.float32(echo) * (speaker == (USER if question.of_assistant else ASSISTANT))
    if question.span is not None:
        lifts["time"] = 1 + np.float32(weights.time) * _closeness(shelf.column("at"), question.span)
    return lifts


def _closeness(at: NDArray[np.float64], span: Span) -> Scores:
    """1 inside the span, one half within some days after it, when people still talk about it."""
    since, until = span.since.timestamp(), span.until.timestamp()
    slack = max(_SLACK_SECONDS, (until - since) / 4)
    inside = (at >= since) & (at < until)
    soon_after = (at >= until) & (at < until + slack)
    return inside.astype(np.float32) + np.float32(0.5) * soon_after.astype(np.float32)
