"""Tells how likely a statement touches each known one, for whoever asks why; nothing is planned."""

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

MOST_COMPARED: Final = 8
"""Known statements that are compared word by word: the likeliest by their words."""


@one_thread()
def touch_chances(
    spoken: MessageReading,
    statement: ComparedStatement,
    known: Sequence[ComparedStatement],
    meaning: Meaning | None = None,
) -> Floats:
    """Return the chance that a statement touches each known one; with an encoder, none beyond those compared."""
    if not known:
        return np.zeros(0, np.float32)
    chances: Floats = load_links().chances(features(spoken, statement, known))[:, 0]
    mine = None if meaning is None else compared_words(statement.text)
    if meaning is None or mine is None:
        return chances
    likeliest = sorted(range(len(known)), key=lambda at: -chances[at])[:MOST_COMPARED]
    theirs = {at: words for at in sorted(likeliest) if (words := compared_words(known[at].text)) is not None}
    if not theirs:
        return chances
    near = [known[at] for at in theirs]
    rows = np.concatenate(
        [features(spoken, statement, near), meaning_features(meaning, load_links().space, statement, near)], axis=1
    )
    compared = np.zeros_like(chances)
    compared[list(theirs)] = load_comparison().chances(mine, list(theirs.values()), rows)[:, 0]
    return compared
