"""Compares what is said with the likeliest known statements, word by word and all of them at once.

Every word of the message looks for its counterparts in a known statement and the other way round (attention); a
small network compares each word with what it found, and the comparisons are pooled, beside the features of whole
statements (`links.py`). So "agora fecha às 21h" finds the hours inside "abrimos das 9 às 18", although the
sentences as wholes are far apart. Then the known statements look at each other, twice: one of them is meant
because it fits better than its siblings, and "apaga aquele desabafo de quem não me paga" means "a família do Enzo
tá me devendo três meses" because nothing else comes near. `tools/train_comparison.py` makes the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from rememora.caches import person_cache
from rememora.reading.encoders import on_change
from rememora.reading.reader import word_states
from rememora.reading.tokens import Floats
from rememora.statements.layers import FAR, Weights, attended, dense, evened, shares

WEIGHTS: Final = Path(__file__).with_name("comparison.npz")
MEMBERS: Final = 3
"""Networks trained from different beginnings, whose mean counts."""
SHARPNESS: Final = 4.0
"""Factor that lets a word look at few counterparts rather than at all of them."""
MOST_WORDS: Final = 40
"""Words of a text that are compared, the first."""
ROUNDS: Final = 2
"""Times that the known statements look at each other."""
HEADS: Final = 4
LINKS: Final = ("touched", "in_part", "replaces", "part", "forget", "item", "same", "doubts")
"""What each column of the chances says of a statement: whether the message touches it, and how."""
_MOST_SURE: Final = 30.0


class Comparison:
    """The trained comparison."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self._members = [
            {
                name.partition(".")[2]: value.astype(np.float32)
                for name, value in arrays.items()
                if name.startswith(f"{member}.")
            }
            for member in range(MEMBERS)
        ]

    def project(self, states: Floats) -> tuple[Floats, ...]:
        """Words as each network compares them."""
        return tuple(np.tanh(dense(member, "word", states[:MOST_WORDS])) for member in self._members)

    def chances(self, said: tuple[Floats, ...], others: Sequence[tuple[Floats, ...]], features: Floats) -> Floats:
        """The chances of each of `LINKS` for each other statement.

        `features` are those of whole statements, one row for each other, that `links.py` compares by.
        """
        members = [
            _chances(member, said[number], [other[number] for other in others], features)
            for number, member in enumerate(self._members)
        ]
        mean: Floats = np.mean(members, axis=0)
        return mean


def _chances(weights: Weights, said: Floats, others: Sequence[Floats], features: Floats) -> Floats:
    """Compare the message with each statement, let the statements look at each other, and judge each."""
    scaled = (features - weights["mean"]) / weights["spread"]
    rows = np.concatenate(
        [compare_words(weights, said, others), np.maximum(dense(weights, "features", scaled), 0)], axis=1
    )
    fits = np.maximum(dense(weights, "join", rows), 0)
    for number in range(ROUNDS):
        fits = _look_around(weights, f"round{number}", fits)
    judged = dense(weights, "out", evened(weights, "norm", fits))
    chances: Floats = 1 / (1 + np.exp(-judged.clip(-_MOST_SURE, _MOST_SURE)))
    return chances


def compare_words(weights: Weights, said: Floats, others: Sequence[Floats]) -> Floats:
    """Return a row for each statement: its words and the message's, and how each fits its counterparts."""
    count, longest = len(others), max(len(other) for other in others)
    words = np.zeros((count, longest, said.shape[1]), np.float32)
    present = np.zeros((count, longest, 1), bool)
    for row, other in enumerate(others):
        words[row, : len(other)], present[row, : len(other)] = other, True
    message = np.broadcast_to(said, (count, *said.shape))
    every = np.ones((count, len(said), 1), bool)
    looks = message @ words.transpose(0, 2, 1) * np.float32(SHARPNESS / np.sqrt(said.shape[1]))
    theirs = shares(np.where(present.transpose(0, 2, 1), looks, FAR)) @ words
    mine = shares(looks.transpose(0, 2, 1)) @ message
    return np.concatenate(
        [
            *_pooled(message, every),
            *_pooled(words, present),
            *_pooled(_compared(weights, message, theirs), every),
            *_pooled(_compared(weights, words, mine), present),
        ],
        axis=1,
    )


def _compared(weights: Weights, words: Floats, counterparts: Floats) -> Floats:
    joined = np.concatenate([words, counterparts, words * counterparts, np.abs(words - counterparts)], axis=2)
    compared: Floats = np.maximum(dense(weights, "compare", joined), 0)
    return compared


def _pooled(words: Floats, present: Any) -> tuple[Floats, Floats]:
    """The mean of the words of each text, and their strongest values."""
    mean: Floats = (words * present).sum(axis=1) / present.sum(axis=1, dtype=np.float32)
    return mean, np.where(present, words, FAR).max(axis=1)


def _look_around(weights: Weights, name: str, rows: Floats) -> Floats:
    """Let the rows look at each other, then think about what they saw."""
    looks = dense(weights, f"{name}.look", evened(weights, f"{name}.before", rows))
    rows = rows + dense(weights, f"{name}.seen", attended(looks, HEADS))
    thought = np.maximum(dense(weights, f"{name}.think", evened(weights, f"{name}.after", rows)), 0)
    return rows + dense(weights, f"{name}.thought", thought)


@person_cache(maxsize=2048)
def compared_words(text: str) -> tuple[Floats, ...] | None:
    """The words of a text as the networks compare them; None without an encoder, or without words."""
    states = word_states(text)
    return None if states is None else load_comparison().project(states)


on_change(compared_words.cache_clear)


@cache
def load_comparison() -> Comparison:
    """The weights that ship with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return Comparison({name: arrays[name] for name in arrays.files})
