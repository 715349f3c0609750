"""Compares two statements word by word, each word as the sentence encoder and the reader see it in its place.

Every word of the one looks for its counterparts in the other (attention); a small network compares each word
with what it found, and the comparisons are pooled. So "agora fecha às 21h" finds the hours inside "abrimos das 9
às 18", although the sentences as wholes are far apart. The result is averaged with the comparison of whole
statements (`links.py`). On scenarios of three writers left out, both together find 66 to 77 of 100 touched
statements where the latter alone finds 56 to 69, at the same precision. `tools/train_alignment.py` makes the
weights.
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

WEIGHTS: Final = Path(__file__).with_name("alignment.npz")
MEMBERS: Final = 2
"""Networks trained from different beginnings, whose mean counts."""
SHARPNESS: Final = 4.0
"""Factor that lets a word look at few counterparts rather than at all of them."""
LAYERS: Final = 3
MOST_SURE: Final = 30.0


class Alignment:
    """The trained comparison by words."""

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
        return tuple(np.tanh(states @ member["word.weight"] + member["word.bias"]) for member in self._members)

    def chances(self, said: tuple[Floats, ...], others: Sequence[tuple[Floats, ...]], features: Floats) -> Floats:
        """The chances that each other statement is touched, and that only a part of it is.

        `features` are those of whole statements, one row for each other, that `links.py` compares by.
        """
        members = [
            _chances(member, said[number], [other[number] for other in others], features)
            for number, member in enumerate(self._members)
        ]
        mean: Floats = np.mean(members, axis=0)
        return mean


def _chances(weights: Mapping[str, Floats], said: Floats, others: Sequence[Floats], features: Floats) -> Floats:
    rows = np.stack([compare_words(weights, said, other) for other in others])
    x = np.concatenate([rows, (features - weights["mean"]) / weights["spread"]], axis=1)
    for number in range(LAYERS):
        x = x @ weights[f"layer{number}.weight"] + weights[f"layer{number}.bias"]
        if number < LAYERS - 1:
            x = np.maximum(x, 0)
    chances: Floats = 1 / (1 + np.exp(-np.clip(x, -MOST_SURE, MOST_SURE)))
    return chances


def compare_words(weights: Mapping[str, Floats], one: Floats, other: Floats) -> Floats:
    """Return the mean and the strongest comparison of the words of either statement with the other."""
    looks = one @ other.T * np.float32(SHARPNESS / np.sqrt(one.shape[1]))
    pairs = ((one, _share(looks) @ other), (other, _share(looks.T) @ one))
    pooled = []
    for word, aligned in pairs:
        joined = np.concatenate([word, aligned, word * aligned, np.abs(word - aligned)], axis=1)
        compared = np.maximum(joined @ weights["compare.weight"] + weights["compare.bias"], 0)
        pooled += [compared.mean(axis=0), compared.max(axis=0)]
    return np.concatenate(pooled)


def _share(looks: Floats) -> Floats:
    """Return the share of each row's attention that goes to each column."""
    raised = np.exp(looks - looks.max(axis=1, keepdims=True))
    share: Floats = raised / raised.sum(axis=1, keepdims=True)
    return share


@person_cache(maxsize=2048)
def aligned_words(text: str) -> tuple[Floats, ...] | None:
    """The words of a text as the networks compare them; None without an encoder, or without words."""
    states = word_states(text)
    return None if states is None else load_alignment().project(states)


on_change(aligned_words.cache_clear)


@cache
def load_alignment() -> Alignment:
    """The weights that ship with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return Alignment({name: arrays[name] for name in arrays.files})
