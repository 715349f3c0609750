"""Layers that the reader's networks are made of, in numpy.

Tables of embeddings are stored as bytes with one scale a row, the rest as half floats.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rememora.reading.tokens import Floats, TokenFeatures

_TINY = 1e-5


class Layers:
    """The weights of one network by name, and what its layers do with them."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        tables = [name.removesuffix(".bytes") for name in arrays if name.endswith(".bytes")]
        self._tables = {
            name: (arrays[f"{name}.bytes"], arrays[f"{name}.scale"].astype(np.float32)) for name in tables
        }
        plain = (name for name in arrays if "." in name and not name.endswith((".bytes", ".scale")))
        self.weights: dict[str, Any] = {name: arrays[name].astype(np.float32) for name in plain}

    def rows(self, table: str, rows: Any) -> Floats:
        """Rows of a table of embeddings."""
        stored, scale = self._tables[table]
        rows_read: Floats = stored[rows].astype(np.float32) * scale[rows][:, None]
        return rows_read

    def spelled(self, described: TokenFeatures) -> Floats:
        """Sum the row of each token with the mean of the rows of its pieces."""
        grams = np.add.reduceat(self.rows("grams", described.grams), described.gram_starts, axis=0)
        counts = np.diff(np.append(described.gram_starts, len(described.grams)))
        x: Floats = self.rows("words", described.words) + (grams / counts[:, None]).astype(np.float32)
        return x

    def linear(self, x: Floats, name: str) -> Floats:
        """Multiply by a layer's weights and add its bias."""
        product: Floats = x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return product

    def normal(self, x: Floats, name: str) -> Floats:
        """Centre and scale each row."""
        size = np.float32(x.shape[-1])
        centred = x - np.add.reduce(x, axis=-1, keepdims=True) / size
        squares = np.einsum("...j,...j->...", centred, centred)[..., None]
        spread: Floats = np.sqrt(squares / size + np.float32(_TINY))
        normal: Floats = centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return normal

    def convolve(self, x: Floats, number: int, dilation: int) -> Floats:
        """Each token with the ones `dilation` before and after it, through a gate."""
        *texts, count, width = x.shape
        padded = np.zeros((*texts, count + 2 * dilation, width), np.float32)
        middle = padded[..., dilation : dilation + count, :]
        middle[...] = x
        window = np.concatenate([padded[..., :count, :], middle, padded[..., 2 * dilation :, :]], axis=-1)
        both = self.linear(window, f"conv{number}")
        half = both.shape[-1] // 2
        gated: Floats = both[..., :half] * sigmoid(both[..., half:])
        return self.linear(gated, f"conv{number}.out")


def softmax(x: Floats) -> Floats:
    """Turn the last axis into chances."""
    highest: Floats = np.maximum.reduce(x, axis=-1, keepdims=True)
    raised: Floats = np.exp(x - highest)
    total: Floats = np.add.reduce(raised, axis=-1, keepdims=True)
    return raised / total


def sigmoid(x: Floats) -> Floats:
    """Turn each number into a chance."""
    chances: Floats = np.tanh(x * np.float32(0.5)) * np.float32(0.5) + np.float32(0.5)
    return chances
