"""Runs the reader's network in numpy: embeddings, convolutions with gates, one attention, and a head per question.

The weights are made by `tools/train_reader.py`. Tables of embeddings are stored as bytes with one scale a row, the
rest as half floats; nothing of the file is executed (`allow_pickle=False`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from rememora.reading.one_thread import one_thread
from rememora.reading.tokens import Floats, TokenFeatures

WEIGHTS = Path(__file__).with_name("weights.npz")
DILATIONS = (1, 2, 4, 8)
ATTENTION_AFTER = 2
HEADS = 4
_TINY = 1e-5
_YES_OR_NO: Final = ("value", "begins", "names", "person", "starts")
_QUESTIONS: Final = ("act", "attribute", "subject", "value", "begins", "names", "person", "starts", "pool")


class Outputs(msgspec.Struct, frozen=True, kw_only=True):
    """Chances for each token of the message, and of each label for the message as a whole."""

    act: Floats
    attribute: Floats
    subject: Floats
    value: Floats
    begins: Floats
    names: Floats
    person: Floats
    starts: Floats
    label: Floats
    hidden: Floats


class Network:
    """The weights, and the one forward pass over a message with its context before it."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        words = str(arrays["vocabulary"]).split("\n")
        self.vocabulary = {word: row for row, word in enumerate(words) if word}
        self._tables = {
            name: (arrays[f"{name}.bytes"], arrays[f"{name}.scale"].astype(np.float32))
            for name in ("words", "grams", "vectors")
        }
        plain = (name for name in arrays if "." in name and not name.endswith((".bytes", ".scale")))
        self._weights = {name: arrays[name].astype(np.float32) for name in plain}
        # One product for all questions about a token: each alone is too small to be worth a call.
        sizes = [self._weights[f"{name}.weight"].shape[1] for name in _QUESTIONS]
        self._answers = dict(zip(_QUESTIONS, _slices(sizes), strict=True))
        for kind in ("weight", "bias"):
            joined = [self._weights.pop(f"{name}.{kind}") for name in _QUESTIONS]
            self._weights[f"questions.{kind}"] = np.concatenate(joined, axis=-1)

    def vectors(self, rows: Any) -> Floats:
        """Vectors of words by their rows in the vocabulary."""
        return self._rows("vectors", rows)

    def _rows(self, table: str, rows: Any) -> Floats:
        stored, scale = self._tables[table]
        rows_read: Floats = stored[rows].astype(np.float32) * scale[rows][:, None]
        return rows_read

    def read(self, described: TokenFeatures, context: int, encoded: Floats | None = None) -> Outputs:
        """Chances for the tokens after the first `context` ones; `encoded` are an encoder's rows of those."""
        with one_thread():
            return self._read(described, context, encoded)

    def _read(self, described: TokenFeatures, context: int, encoded: Floats | None) -> Outputs:
        x = self._embed(described, context)
        # Added to the network's own view of each word, so that the same weights also read without the encoder.
        if encoded is not None:
            x[context:] += self._linear(encoded, "encoded")
        for number, dilation in enumerate(DILATIONS):
            if number == ATTENTION_AFTER:
                x = x + self._attend(self._normal(x, "attend.norm"))
            x = x + self._convolve(self._normal(x, f"conv{number}.norm"), number, dilation)
        x = self._normal(x, "last.norm")[context:]
        answers = self._linear(x, "questions")
        chances = {name: answers[:, columns] for name, columns in self._answers.items()}
        # The label of the whole message: a learned average of its words, and the strongest sign of each kind.
        pooled = np.concatenate([_softmax(chances["pool"].T)[0] @ x, x.max(axis=0)])
        return Outputs(
            **{name: _softmax(chances[name]) for name in ("act", "attribute", "subject")},
            **{name: _sigmoid(chances[name][:, 0]) for name in _YES_OR_NO},
            label=_softmax(self._linear(pooled[None], "label"))[0],
            hidden=x,
        )

    def _embed(self, described: TokenFeatures, context: int) -> Floats:
        """Sum what is known of each token: the word, its pieces, its vector, its shape and its side."""
        grams = np.add.reduceat(self._rows("grams", described.grams), described.gram_starts, axis=0)
        counts = np.diff(np.append(described.gram_starts, len(described.grams)))
        x: Floats = self._rows("words", described.words) + (grams / counts[:, None]).astype(np.float32)
        x += self._linear(self._rows("vectors", described.vectors), "vector")
        x += self._linear(described.shapes, "shape")
        x[:context] += self._weights["side.context"]
        x[context:] += self._weights["side.own"]
        return x

    def _convolve(self, x: Floats, number: int, dilation: int) -> Floats:
        """Each token with the ones `dilation` before and after it, through a gate."""
        padded = np.zeros((len(x) + 2 * dilation, x.shape[1]), np.float32)
        padded[dilation : dilation + len(x)] = x
        window = np.concatenate(
            [padded[: len(x)], padded[dilation : dilation + len(x)], padded[2 * dilation :]], axis=1
        )
        both = self._linear(window, f"conv{number}")
        half = both.shape[1] // 2
        gated: Floats = both[:, :half] * _sigmoid(both[:, half:])
        return self._linear(gated, f"conv{number}.out")

    def _attend(self, x: Floats) -> Floats:
        """Let every token look at every other."""
        parts = self._linear(x, "attend.in").reshape(len(x), 3, HEADS, -1).transpose(1, 2, 0, 3)
        query, key, value = parts
        share = _softmax(query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(query.shape[2])))
        seen = (share @ value).transpose(1, 0, 2).reshape(x.shape)
        return self._linear(seen, "attend.out")

    def _linear(self, x: Floats, name: str) -> Floats:
        product: Floats = x @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return product

    def _normal(self, x: Floats, name: str) -> Floats:
        size = np.float32(x.shape[1])
        centred = x - np.add.reduce(x, axis=1, keepdims=True) / size
        spread: Floats = np.sqrt(np.einsum("ij,ij->i", centred, centred)[:, None] / size + np.float32(_TINY))
        normal: Floats = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normal


def _softmax(x: Floats) -> Floats:
    highest: Floats = np.maximum.reduce(x, axis=-1, keepdims=True)
    raised: Floats = np.exp(x - highest)
    total: Floats = np.add.reduce(raised, axis=-1, keepdims=True)
    return raised / total


def _sigmoid(x: Floats) -> Floats:
    chances: Floats = np.tanh(x * np.float32(0.5)) * np.float32(0.5) + np.float32(0.5)
    return chances


def _slices(sizes: Sequence[int]) -> list[slice]:
    """The columns of each of several tables that stand side by side."""
    ends = list(accumulate(sizes))
    return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]


@cache
def load_network() -> Network:
    """The network that ships with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return Network({name: arrays[name] for name in arrays.files})
