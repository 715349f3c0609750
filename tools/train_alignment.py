"""Trains the comparison of statements word by word: `python -m tools.train_alignment [--without WRITER …]`.

Takes the scenarios of `data/reading/links/` as `tools/train_links.py` does, each as it was written, with fewer
known statements, and among those of others. Run it after `tools.train_reader` and `tools.train_links`: it sees
words as the reader does, and statements as the features of the links do. Needs torch and the extra `local`; some
ten minutes on one core.
"""

from __future__ import annotations

import argparse
import random
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tools import train_links
from torch import Tensor, nn

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading.encoders import lend_encoder
from rememora.reading.reader import word_states
from rememora.statements.alignment import MEMBERS, SHARPNESS, WEIGHTS
from rememora.statements.links import load_links
from rememora.statements.meaning import Meaning

WIDTH, COMPARED, HIDDEN = 48, 64, (64, 32)
EPOCHS = 8
BATCH = 128
RATE = 2e-3
MOST_WORDS = 80


class Pair(NamedTuple):
    """A message beside one known statement: their texts, the features of both, and whether it is touched."""

    writer: str
    said: str
    other: str
    features: Any
    target: Any


def pairs_of(scenes: list[train_links.Scene], space: train_links.Beside) -> list[Pair]:
    """Every message beside every known statement of its scenario, in each variation."""
    chance = np.random.default_rng(11)
    labelled = train_links._labelled(scenes)
    changes = [*labelled, *(result for scene in labelled for result in train_links.consequences(scene))]
    items = []
    for scene in changes:
        for rows, places in train_links.varied_places(scene, labelled, chance, space):
            items += [
                Pair(scene.writer, scene.said.text, scene.others[place].text, row, scene.target[place])
                for row, place in zip(rows, places, strict=True)
            ]
    return items


class WordComparer(nn.Module):
    """Compare the words of two texts as `rememora.statements.alignment.compare_words` does, with dropout."""

    def __init__(self, states: int, *, drop_words: float) -> None:
        super().__init__()
        self.word = nn.Linear(states, WIDTH)
        self.compare = nn.Linear(4 * WIDTH, COMPARED)
        self.drop_words = nn.Dropout(drop_words)

    def compare_texts(self, one: Tensor, one_mask: Tensor, other: Tensor, other_mask: Tensor) -> Tensor:
        a, b = (torch.tanh(self.word(self.drop_words(words))) for words in (one, other))
        looks = a @ b.transpose(1, 2) * (SHARPNESS / WIDTH**0.5)
        seen_a = looks.masked_fill(~other_mask[:, None], -1e4).softmax(-1) @ b
        seen_b = looks.transpose(1, 2).masked_fill(~one_mask[:, None], -1e4).softmax(-1) @ a
        return torch.cat([self._pool(a, seen_a, one_mask), self._pool(b, seen_b, other_mask)], -1)

    def _pool(self, states: Tensor, result: Tensor, mask: Tensor) -> Tensor:
        joined = torch.cat([states, result, states * result, (states - result).abs()], -1)
        compared = torch.relu(self.compare(joined)) * mask[..., None]
        return torch.cat([compared.sum(1) / mask.sum(1, keepdim=True), compared.max(1).values], -1)


class Aligner(WordComparer):
    """The network of `rememora.statements.alignment`, with dropout."""

    def __init__(self, states: int, features: int) -> None:
        super().__init__(states, drop_words=0.3)
        sizes = (4 * COMPARED + features, *HIDDEN, 2)
        self.layers = nn.ModuleList([nn.Linear(*pair) for pair in pairwise(sizes)])
        self.drop = nn.Dropout(0.2)

    def forward(self, one: Tensor, one_mask: Tensor, other: Tensor, other_mask: Tensor, x: Tensor) -> Tensor:
        pooled = self.compare_texts(one, one_mask, other, other_mask)
        x = torch.cat([self.drop(pooled), x], -1)
        for number, layer in enumerate(self.layers):
            x = layer(x) if number == 0 else layer(self.drop(torch.relu(x)))
        return x


def batch_of(texts: list[str], states: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """The words of some texts, padded, and which of them are words."""
    longest = max(len(states[text]) for text in texts)
    words = np.zeros((len(texts), longest, next(iter(states.values())).shape[1]), np.float32)
    mask = np.zeros((len(texts), longest), bool)
    for row, text in enumerate(texts):
        words[row, : len(states[text])], mask[row, : len(states[text])] = states[text], True
    return torch.from_numpy(words), torch.from_numpy(mask)


def fit(pairs: list[Pair], states: dict[str, Any], seed: int) -> tuple[Aligner, Any, Any]:
    """Train one network; returns it with the mean and the spread of the features."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    rows = np.stack([pair.features for pair in pairs]).astype(np.float32)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-3
    x = torch.from_numpy((rows - mean) / spread)
    y = torch.from_numpy(np.stack([pair.target for pair in pairs]).astype(np.float32))
    model = Aligner(next(iter(states.values())).shape[1], rows.shape[1])
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.02)
    steps = EPOCHS * (len(pairs) // BATCH + 20)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.15)
    order = list(range(len(pairs)))
    for epoch in range(EPOCHS):
        chance.shuffle(order)
        # Neighbours in length share a batch, so that little of it is padding.
        pools = [
            sorted(order[at : at + 20 * BATCH], key=lambda n: len(states[pairs[n].other]))
            for at in range(0, len(order), 20 * BATCH)
        ]
        batches = [pool[at : at + BATCH] for pool in pools for at in range(0, len(pool), BATCH)]
        chance.shuffle(batches)
        total = 0.0
        for which in batches:
            said, known = ([getattr(pairs[n], name) for n in which] for name in ("said", "other"))
            out = model(*batch_of(said, states), *batch_of(known, states), x[which])
            reply = ~torch.isnan(y[which])
            loss = nn.functional.binary_cross_entropy_with_logits(out[reply], y[which][reply])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        print(f"network {seed}, epoch {epoch + 1}: loss {total / len(batches):.3f}", flush=True)
    return model, mean, spread


def stored(model: Aligner, mean: Any, spread: Any) -> dict[str, Any]:
    """The weights by the names that `rememora.statements.alignment` looks up."""
    out = {"mean": mean.astype(np.float32), "spread": spread.astype(np.float32)}
    named = {"word": model.word, "compare": model.compare}
    named |= {f"layer{number}": layer for number, layer in enumerate(model.layers)}
    for name, layer in named.items():
        out[f"{name}.weight"] = layer.weight.detach().numpy().T.astype(np.float16)
        out[f"{name}.bias"] = layer.bias.detach().numpy().astype(np.float16)
    return out


def main() -> None:
    """Train on all scenarios, or on those of some writers, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", nargs="*", default=[], help="writers that are left out")
    parser.add_argument("--to", type=Path, default=WEIGHTS)
    chosen = parser.parse_args()
    embedder = OfflineEmbedder()
    lend_encoder(embedder.encode_words)
    scenes = [train_links.described(scenario) for scenario in train_links.scenarios()]
    meaning = Meaning(embedder.embed_now, remembered=train_links.TEXTS)
    pairs = pairs_of(scenes, train_links.Beside(meaning, load_links().space))
    texts = {text for pair in pairs for text in (pair.said, pair.other)}
    states = {
        text: result[:MOST_WORDS].astype(np.float16) for text in texts if (result := word_states(text)) is not None
    }
    pairs = [
        pair
        for pair in pairs
        if pair.writer not in chosen.without and pair.said in states and pair.other in states
    ]
    print(f"{len(pairs)} pairs of {len(states)} texts", flush=True)
    arrays: dict[str, Any] = {}
    for member in range(MEMBERS):
        model, mean, spread = fit(pairs, states, member + 1)
        arrays |= {f"{member}.{name}": value for name, value in stored(model.eval(), mean, spread).items()}
    np.savez_compressed(chosen.to, **arrays)


if __name__ == "__main__":
    main()
