"""Compares texts by meaning, with the directions that a sentence encoder gives them.

Words tell that "o de peixe cru" shares nothing with "o japonês Umi-Bô"; an encoder that has read a web of texts
tells that they are near. Encoding costs milliseconds, so a text is encoded once, and only where words have left a
few candidates. The weights of the comparison belong to one encoder's space; with another, or with none, words
alone decide.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Final

import numpy as np

from rememora.caches import forgets
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
        self._encode = encode
        self._remembered = remembered
        self._rows: OrderedDict[str, Floats] = OrderedDict()
        self._lock = Lock()
        forgets(self.clear)

    def clear(self) -> None:
        """Let go of every text."""
        with self._lock:
            self._rows.clear()

    def rows(self, texts: Sequence[str]) -> Floats:
        """The direction of each text, a row each."""
        with self._lock:
            known = {text: self._rows[text] for text in texts if text in self._rows}
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        if missing:
            with one_thread():
                known |= zip(missing, self._encode(missing), strict=True)
            self._remember({text: known[text] for text in missing})
        return np.stack([np.asarray(known[text], np.float32) for text in texts])

    def _remember(self, rows: dict[str, Floats]) -> None:
        with self._lock:
            self._rows.update(rows)
            while len(self._rows) > self._remembered:
                self._rows.popitem(last=False)


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
