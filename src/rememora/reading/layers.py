"""Layers that the reader's networks are made of, in numpy.

Tables of embeddings are stored as bytes with one scale a row, the rest as half floats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from rememora.caches import TextRows
from rememora.reading.tokens import Floats, Ints, spell

MOST_WORDS: Final = 8192
"""Most words whose rows are held: most words of a message were said before."""
_GATED: Final = re.compile(r"conv\d+\.(?:weight|bias)")
_TINY: Final = 1e-5


class Layers:
    """The weights of one network by name, and what its layers do with them."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        tables = [name.removesuffix(".bytes") for name in arrays if name.endswith(".bytes")]
        self._tables = {
            name: (arrays[f"{name}.bytes"], arrays[f"{name}.scale"].astype(np.float32)) for name in tables
        }
        plain = (name for name in arrays if "." in name and not name.endswith((".bytes", ".scale")))
        self.weights: dict[str, Any] = {name: arrays[name].astype(np.float32) for name in plain}
        # `value * sigmoid(gate)` is `value / 2 * (tanh(gate / 2) + 1)`; half of a number has the same digits.
        for name in filter(_GATED.fullmatch, self.weights):
            self.weights[name] /= np.float32(2)
        self._width = np.float32(arrays["words.bytes"].shape[1])
        self._mean = np.full(arrays["words.bytes"].shape[1], 1 / self._width, np.float32)
        self._spelled = TextRows(self._spell, most=MOST_WORDS)

    def rows(self, table: str, rows: Any) -> Floats:
        """Rows of a table of embeddings."""
        stored, scale = self._tables[table]
        rows_read: Floats = stored[rows].astype(np.float32) * scale[rows][:, None]
        return rows_read

    def spelled(self, words: Sequence[str]) -> Floats:
        """Sum the row of each folded word with the mean of the rows of its pieces."""
        rows: Floats = np.concatenate(self._spelled(words)).reshape(len(words), -1)
        return rows

    def _spell(self, words: Sequence[str]) -> list[Floats]:
        """Compute the row of each word, an array of its own each: a view would hold those of all words."""
        spelling = spell(words)
        starts = np.cumsum(spelling.counts) - spelling.counts
        grams = np.add.reduceat(self.rows("grams", spelling.grams), starts, axis=0)
        rows = self.rows("words", spelling.rows) + (grams / spelling.counts[:, None]).astype(np.float32)
        return [row.copy() for row in rows]

    def linear(self, x: Floats, name: str) -> Floats:
        """Multiply by a layer's weights and add its bias."""
        product: Floats = x @ self.weights[f"{name}.weight"]
        product += self.weights[f"{name}.bias"]
        return product

    def normal(self, x: Floats, name: str) -> Floats:
        """Centre and scale each row."""
        normal: Floats = x - (x @ self._mean)[..., None]
        normal /= np.sqrt(np.vecdot(normal, normal) / self._width + np.float32(_TINY))[..., None]
        normal *= self.weights[f"{name}.weight"]
        normal += self.weights[f"{name}.bias"]
        return normal

    def convolve(self, x: Floats, number: int, dilation: int) -> Floats:
        """Each token with the ones `dilation` before and after it, through a gate."""
        *texts, count, width = x.shape
        window = np.zeros((*texts, count, 3, width), np.float32)
        window[..., dilation:, 0, :] = x[..., :-dilation, :]
        window[..., 1, :] = x
        window[..., :-dilation, 2, :] = x[..., dilation:, :]
        window = window.reshape(*texts, count, 3 * width)
        # In halves: of a product of more than a million steps OpenBLAS copies the weights each time.
        weight, bias = self.weights[f"conv{number}.weight"], self.weights[f"conv{number}.bias"]
        gated: Floats = window @ weight[:, width:]
        gated += bias[width:]
        np.tanh(gated, out=gated)
        gated += np.float32(1)
        value = window @ weight[:, :width]
        value += bias[:width]
        gated *= value
        return self.linear(gated, f"conv{number}.out")


def softmax(x: Floats) -> Floats:
    """Turn the last axis into chances."""
    highest: Floats = np.maximum.reduce(x, axis=-1, keepdims=True)
    raised: Floats = np.exp(x - highest)
    raised /= np.add.reduce(raised, axis=-1, keepdims=True)
    return raised


def softmax_each(x: Floats, starts: Ints, groups: Ints) -> Floats:
    """Turn groups of neighbouring columns into chances, from where each starts and the group of each column."""
    raised: Floats = x - np.maximum.reduceat(x, starts, axis=-1)[..., groups]
    np.exp(raised, out=raised)
    raised /= np.add.reduceat(raised, starts, axis=-1)[..., groups]
    return raised


def sigmoid(x: Floats) -> Floats:
    """Turn each number into a chance."""
    chances: Floats = np.tanh(x * np.float32(0.5)) * np.float32(0.5) + np.float32(0.5)
    return chances
