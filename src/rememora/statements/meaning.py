"""Compares texts by meaning, with the directions that a sentence encoder gives them.

Words tell that "o de peixe cru" shares nothing with "o japonês Umi-Bô"; an encoder that has read a web of texts
tells that they are near. Encoding costs milliseconds, so a text is encoded once, and only where words have left a
few candidates. The weights of the comparison belong to one encoder's space; with another, or with none, words
alone decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from rememora.caches import TextRows
from rememora.reading.one_thread import one_thread
from rememora.reading.tokens import Floats

SPACE: Final = "use-multilingual-3"
"""Name of the encoder whose space the weights were trained in."""
REMEMBERED: Final = 4096
"""Texts whose directions are held, 2 KB each."""
_PIECE_END: Final = re.compile(r"(?<=[.!?;:,])\s++")
_LEAST_WORDS: Final = 2


Encode = Callable[[Sequence[str]], Sequence[Any]]
"""Gives each text a direction: a unit vector, near another where the texts mean the same."""


class Meaning:
    """Directions of texts, each worked out once and let go by an erasure."""

    def __init__(self, encode: Encode, *, remembered: int = REMEMBERED) -> None:
        self._rows = TextRows(encode, most=remembered)

    def rows(self, texts: Sequence[str]) -> Floats:
        """The direction of each text, a row each."""
        with one_thread():
            return np.stack([np.asarray(row, np.float32) for row in self._rows(texts)])


def pieces_of(text: str) -> list[str]:
    """The text, and its clauses: a wish often stands beside its reason."""
    pieces = (piece.strip() for piece in _PIECE_END.split(text))
    return list(dict.fromkeys([text, *(piece for piece in pieces if len(piece.split()) >= _LEAST_WORDS)]))


def nearness(meaning: Meaning, text: str, others: Sequence[str]) -> tuple[Floats, Floats]:
    """Return how near each other text is to the whole text, and to its nearest piece."""
    pieces = pieces_of(text)
    rows = meaning.rows([*pieces, *others])
    table = rows[: len(pieces)] @ rows[len(pieces) :].T
    return table[0], table.max(axis=0)
