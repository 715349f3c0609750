"""Fits the question whether a name is a person's: `python -m tools.train_person`.

A line through what the shipped reader sees at each word of a name, fitted to `data/reading/things.txt`; all else
of the reader stays as it is. Numpy alone; a minute on one core. Prints how many names it gets right when it is
fitted to half of the messages and asked about the others, then fits it to all and writes it into the weights.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from tools.reader.prepare import Example, load

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading.encoders import WordEncoder, words_of
from rememora.reading.network import WEIGHTS, load_network
from rememora.reading.tokens import describe, tokenise

STEPS, RATE, DECAY = 1500, 0.5, 1e-3
SEED = 1
SURE = 0.5
"""Chance from which the reader takes a name for a person's."""


class Name(NamedTuple):
    """The words of a name as the reader sees them, and whether it is a person's."""

    rows: Any
    person: int


def names_of(examples: Sequence[Example], encode: WordEncoder) -> list[Name]:
    """Every name that something is told of, in the message that tells it."""
    network, names = load_network(), list[Name]()
    for example in examples:
        tokens = tokenise(example.text)
        seen = network.read(
            describe(example.text, tokens, network.vocabulary), 0, encode([words_of(tokens)])
        ).hidden
        for name, person in example.kinds.items():
            start = example.text.find(name)
            words = [
                at
                for at, token in enumerate(tokens)
                if start >= 0 and token.start >= start and token.end <= start + len(name)
            ]
            if words:
                names.append(Name(seen[words], person))
    return names


def fitted(names: Sequence[Name]) -> tuple[Any, float]:
    """The weights and the bias, by gradient descent; both kinds count the same in all."""
    rows = np.concatenate([name.rows for name in names])
    true = np.concatenate([np.full(len(name.rows), name.person, np.float32) for name in names])
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    scaled, share = (rows - mean) / spread, true.mean()
    counts = np.where(true > 0, 0.5 / share, 0.5 / (1 - share))
    weights, bias = np.zeros(rows.shape[1]), 0.0
    for _ in range(STEPS):
        error = (1 / (1 + np.exp(-(scaled @ weights + bias))) - true) * counts
        weights -= RATE * (scaled.T @ error / len(true) + DECAY * weights)
        bias -= RATE * error.mean()
    return weights / spread, bias - float(mean / spread @ weights)


def measure(line: tuple[Any, float], names: Sequence[Name]) -> str:
    """Tell how many names of each kind are right."""
    chances = [(1 / (1 + np.exp(-(name.rows @ line[0] + line[1])))).mean() for name in names]
    right = [(chance >= SURE) == bool(name.person) for chance, name in zip(chances, names, strict=True)]
    parts = (
        (kind, [hit for hit, name in zip(right, names, strict=True) if name.person == person])
        for kind, person in (("people", 1), ("others", 0))
    )
    return ", ".join(f"{kind} {sum(hits)} of {len(hits)}" for kind, hits in parts)


def main() -> None:
    """Measure on one half, then fit to all and write the weights."""
    examples = [example for example in load() if example.kinds]
    random.Random(SEED).shuffle(examples)
    encode = OfflineEmbedder().encode_words
    halves = [names_of(examples[at::2], encode) for at in (0, 1)]
    print(measure(fitted(halves[0]), halves[1]))
    weights, bias = fitted([*halves[0], *halves[1]])
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays |= {"person.weight": weights[:, None].astype(np.float16), "person.bias": np.array([bias], np.float16)}
    np.savez_compressed(WEIGHTS, **arrays)


if __name__ == "__main__":
    main()
