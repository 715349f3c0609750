"""Gives each word of a text the view that the bundled sentence encoder has of it among its neighbours.

The encoder (Universal Sentence Encoder multilingual) sums what it makes of each piece of a word: the piece itself,
and convolutions over two, three and five pieces. Before that sum there is a row for each piece; the row of a word
is the mean of its pieces' rows. Words are cut into pieces one by one, so that the cut of a word is looked up
once and a row belongs to exactly one word; the reader is trained on rows made by this same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rememora.caches import person_cache

Floats = npt.NDArray[np.float32]
Word = tuple[str, bool]
"""The text of a word, and whether it stands right behind the one before it, without a space."""

ROW: Final = 1280
"""Numbers of a row: 512 of the piece, 256 for each of three convolutions."""
_BEGIN, _END, _UNKNOWN = 1, 2, 0
_SPACE: Final = "\N{LOWER ONE EIGHTH BLOCK}"
_ORDERS: Final = ((2, 0), (3, 1), (5, 2))
"""Pieces in each convolution's window, and how many of them stand before the piece itself."""
_WIDTH: Final = 256


class BundledWordEncoder:
    """Rows of words by the encoder that the extra `local` installs."""

    def __init__(self, model: Any) -> None:
        self._backend = model._model
        self._tokenizer = model._tokenizer
        self._ids = {piece: at for at, piece in enumerate(self._tokenizer._pieces)}
        self._pieces = person_cache(maxsize=16384)(self._cut)

    def __call__(self, texts: Sequence[Sequence[Word]], /) -> Floats:
        """A row for each word of each text, in order."""
        ids: list[int] = []
        texts_of: list[int] = []
        counts: list[int] = []
        places: list[int] = []
        for number, words in enumerate(texts):
            ids.append(_BEGIN)
            for word in words:
                pieces = self._pieces(*word)
                places.extend(range(len(ids), len(ids) + len(pieces)))
                ids.extend(pieces)
                counts.append(len(pieces))
            ids.append(_END)
            texts_of.extend([number] * (len(ids) - len(texts_of)))
        if not counts:
            return np.zeros((0, ROW), np.float32)
        rows = self._rows(np.array(ids), np.array(texts_of))[places]
        starts = [0, *accumulate(counts)][:-1]
        total: Floats = np.add.reduceat(rows, starts, axis=0)
        return total / np.array(counts, np.float32)[:, None]

    def _cut(self, word: str, glued: bool) -> tuple[int, ...]:
        """Pieces of a word; one that stands right behind another has no space before it."""
        ids = [int(piece) for piece in self._tokenizer._encode_one(word)] or [_UNKNOWN]
        # The tokenizer always writes a space before a word. "I" and "'m" are one word for it, two for the
        # reader: the mark is taken off again, by the piece without it if there is one.
        if glued:
            first = self._tokenizer._pieces[ids[0]]
            if first == _SPACE and len(ids) > 1:
                ids = ids[1:]
            elif first.startswith(_SPACE):
                ids[0] = self._ids.get(first[1:], ids[0])
        return tuple(ids)

    def _rows(self, ids: Any, texts: Any) -> Floats:
        """The encoder's row of each piece; a window that reaches into another text sees zeros there."""
        model = self._backend
        count = len(ids)
        chunk = ids % len(model.scale)
        out = np.empty((count, ROW), np.float32)
        out[:, :512] = model.table[ids] * model.scale[chunk, None] + model.lo[chunk, None]
        x = _normal(out[:, :512] @ model.proj_W + model.proj_b, model.ln_g_all, model.ln_b_all, model.eps)
        # Row `count` is zeros: the place that a window's slots outside of the text point to.
        padded = np.zeros((count + 1, _WIDTH), np.float32)
        position = np.arange(count)[:, None]
        for number, (size, left) in enumerate(_ORDERS):
            window = position + np.arange(-left, size - left)
            inside = (window >= 0) & (window < count)
            inside &= texts[np.clip(window, 0, count - 1)] == texts[:, None]
            window = np.where(inside, window, count)
            part = x[:, number * _WIDTH : (number + 1) * _WIDTH]
            for weights, bias in ((model.w1, model.b1), (model.w2, model.b2)):
                padded[:count] = part
                seen = padded[window].reshape(count, size * _WIDTH) @ weights[number] + bias[number]
                part = np.maximum(seen, 0) + part
            out[:, 512 + number * _WIDTH : 512 + (number + 1) * _WIDTH] = part
        return _normal(out, model.ln_g, model.ln_b, model.eps)


def _normal(x: Floats, gain: Floats, bias: Floats, tiny: float) -> Floats:
    """Centre each row, divide it by its spread, and apply gain and bias."""
    centred = x - x.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", centred, centred) / x.shape[1] + tiny)
    normal: Floats = (centred / spread[:, None] * gain + bias).astype(np.float32, copy=False)
    return normal
