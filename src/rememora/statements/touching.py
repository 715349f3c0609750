"""Chances that a statement touches each known one, and in part: for the planner, and for whoever asks why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rememora.reading.one_thread import one_thread
from rememora.reading.results import MessageReading
from rememora.reading.tokens import Floats
from rememora.statements.comparison import compared_words, load_comparison
from rememora.statements.links import ComparedStatement, features, load_links, meaning_features
from rememora.statements.meaning import Meaning

CANDIDATES: Final = 8
"""Known statements that are looked at again by meaning."""
WISHED: Final = 16
"""The same for a wish to forget, beside the newest."""


@one_thread()
def touch_chances(
    spoken: MessageReading,
    statement: ComparedStatement,
    known: Sequence[ComparedStatement],
    meaning: Meaning | None,
    newest: int = 0,
) -> Floats:
    """Chances that each known statement is touched, and in part.

    With an encoder, the likeliest by their words are compared with each other, among them so many of the `newest`;
    no other is touched.
    """
    chances = load_links().chances(features(spoken, statement, known))
    if meaning is None:
        return chances
    likeliest = sorted(range(len(known)), key=lambda at: -chances[at, 0])[: WISHED if newest else CANDIDATES]
    places = sorted({*likeliest, *range(max(0, len(known) - newest), len(known))})
    mine, theirs = compared_words(statement.text), [compared_words(known[at].text) for at in places]
    places = [at for at, words in zip(places, theirs, strict=True) if words is not None]
    if mine is None or not places:
        return chances
    near = [known[at] for at in places]
    rows = np.concatenate(
        [features(spoken, statement, near), meaning_features(meaning, load_links().space, statement, near)], axis=1
    )
    compared = np.zeros_like(chances)
    judged = load_comparison().chances(mine, [words for words in theirs if words is not None], rows)
    compared[places] = judged[:, : chances.shape[1]]
    return compared
