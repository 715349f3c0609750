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

from rememora.reading.layers import Layers, sigmoid, softmax, softmax_each
from rememora.reading.one_thread import one_thread
from rememora.reading.tokens import Floats, TokenFeatures

WEIGHTS = Path(__file__).with_name("weights.npz")
DILATIONS = (1, 2, 4, 8)
ATTENTION_AFTER = 2
HEADS = 4
_CHOICES: Final = ("act", "attribute", "subject")
_YES_OR_NO: Final = ("value", "begins", "names", "starts")
_QUESTIONS: Final = (*_CHOICES, *_YES_OR_NO, "pool")


class Outputs(msgspec.Struct, frozen=True, kw_only=True):
    """Chances for each token of the message, and of each label for the message as a whole."""

    act: Floats
    attribute: Floats
    subject: Floats
    value: Floats
    begins: Floats
    names: Floats
    starts: Floats
    label: Floats
    embedded: Floats
    hidden: Floats


class Network:
    """The weights, and the one forward pass over a message with its context before it."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        words = str(arrays["vocabulary"]).split("\n")
        self.vocabulary = {word: row for row, word in enumerate(words) if word}
        self._layers = Layers(arrays)
        # One product for all questions about a token: each alone is too small to be worth a call.
        weights = self._layers.weights
        sizes = [weights[f"{name}.weight"].shape[1] for name in _QUESTIONS]
        self._choices = dict(zip(_CHOICES, _slices(sizes[: len(_CHOICES)]), strict=True))
        self._starts = np.array([columns.start for columns in self._choices.values()])
        self._groups = np.repeat(np.arange(len(_CHOICES)), sizes[: len(_CHOICES)])
        for kind in ("weight", "bias"):
            joined = [weights.pop(f"{name}.{kind}") for name in _QUESTIONS]
            weights[f"questions.{kind}"] = np.concatenate(joined, axis=-1)
            # Attention divides each product of a query with a key by the root of their width.
            width = weights["attend.out.bias"].size
            weights[f"attend.in.{kind}"][..., :width] /= np.float32(np.sqrt(width // HEADS))

    def vectors(self, rows: Any) -> Floats:
        """Vectors of words by their rows in the vocabulary."""
        return self._layers.rows("vectors", rows)

    def read(self, described: TokenFeatures, context: int, encoded: Floats | None = None) -> Outputs:
        """Chances for the tokens after the first `context` ones; `encoded` are an encoder's rows of those."""
        with one_thread():
            return self._judged(self._embed(described, context, encoded), context)

    def read_each(
        self, described: Sequence[TokenFeatures], context: int, encoded: Sequence[Floats] | None = None
    ) -> Outputs:
        """Read several texts of one length at once, each after the same context; all outputs by text first."""
        with one_thread():
            rows = (
                self._embed(text, context, None if encoded is None else encoded[number])
                for number, text in enumerate(described)
            )
            x = np.stack(list(rows))
            return self._judged(x, context)

    def _judged(self, x: Floats, context: int) -> Outputs:
        """The chances for one text, or for several of one length that stand behind each other."""
        embedded = x[..., context:, :].copy()
        for number, dilation in enumerate(DILATIONS):
            if number >= ATTENTION_AFTER:
                # Nothing looks back further than the convolutions that follow.
                near = min(context, sum(DILATIONS[number:]))
                x, whole, context = x[..., context - near :, :], x, near
                if number == ATTENTION_AFTER:
                    x += self._attend(self._layers.normal(whole, "attend.norm"), x.shape[-2])
            x += self._layers.convolve(self._layers.normal(x, f"conv{number}.norm"), number, dilation)
        x = self._layers.normal(x[..., context:, :], "last.norm")
        answers = self._layers.linear(x, "questions")
        choices = softmax_each(answers[..., : len(self._groups)], self._starts, self._groups)
        yes = sigmoid(answers[..., len(self._groups) : -1])
        # The label of the whole message: a learned average of its words, and the strongest sign of each kind.
        average = softmax(np.swapaxes(answers[..., -1:], -1, -2)) @ x
        pooled = np.concatenate([average, x.max(axis=-2, keepdims=True)], axis=-1)
        return Outputs(
            **{name: choices[..., columns] for name, columns in self._choices.items()},
            **{name: yes[..., column] for column, name in enumerate(_YES_OR_NO)},
            label=softmax(self._layers.linear(pooled, "label"))[..., 0, :],
            embedded=embedded,
            hidden=x,
        )

    def _embed(self, described: TokenFeatures, context: int, encoded: Floats | None) -> Floats:
        """Sum what is known of each token: the word, its pieces, its vector, its shape, its side, its encoding."""
        x = self._layers.spelled(described.words)
        x += self._layers.linear(self._layers.rows("vectors", described.vectors), "vector")
        x += self._layers.linear(described.shapes, "shape")
        x[:context] += self._layers.weights["side.context"]
        x[context:] += self._layers.weights["side.own"]
        # Added to the network's own view of each word, so that the same weights also read without the encoder.
        if encoded is not None:
            x[context:] += self._layers.linear(encoded, "encoded")
        return x

    def _attend(self, x: Floats, last: int) -> Floats:
        """Let the last tokens look at every token."""
        # By head first, then by token; several texts stay in front.
        parts = np.swapaxes(self._layers.linear(x, "attend.in").reshape(*x.shape[:-1], 3 * HEADS, -1), -3, -2)
        query, key, value = (parts[..., at : at + HEADS, :, :] for at in range(0, 3 * HEADS, HEADS))
        share = softmax(query[..., -last:, :] @ np.swapaxes(key, -1, -2))
        seen = np.swapaxes(share @ value, -3, -2).reshape(*x.shape[:-2], last, x.shape[-1])
        return self._layers.linear(seen, "attend.out")


def _slices(sizes: Sequence[int]) -> list[slice]:
    """The columns of each of several tables that stand side by side."""
    ends = list(accumulate(sizes))
    return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]


@cache
def load_network() -> Network:
    """The network that ships with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return Network({name: arrays[name] for name in arrays.files})
