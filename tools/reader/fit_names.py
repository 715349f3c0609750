"""Fits the network of names with PyTorch, and writes it as numpy runs it. Needs only torch and numpy."""

from __future__ import annotations

import math
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tools.reader import fitting
from tools.reader.fitting import Arrays
from torch import Tensor, nn

WIDTH, SEEN, TAGS = 64, 192, 13
DILATIONS = (1, 2, 4)
RATE, DROPPED, AVERAGED = 3e-3, 0.3, 0.998
FORGOTTEN_WORDS, DROPPED_ROWS = 0.5, 0.1
"""Share of words whose row is forgotten, so that their pieces and neighbours speak; of the encoder's numbers."""
LABELS_SMOOTHED = 0.05


class Names(nn.Module):
    """The network of `rememora.reading.name_network`, with dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(fitting.WORD_BUCKETS, WIDTH)
        self.grams = nn.Embedding(fitting.GRAM_BUCKETS + 1, WIDTH, padding_idx=fitting.GRAM_BUCKETS)
        nn.init.zeros_(self.words.weight)
        nn.init.normal_(self.grams.weight, std=0.1)
        self.grams.weight.data[fitting.GRAM_BUCKETS] = 0
        self.seen, self.shape = nn.Linear(SEEN, WIDTH), nn.Linear(fitting.SHAPES, WIDTH)
        self.encoded = nn.Linear(fitting.ROW, WIDTH)
        self.blocks = nn.ModuleList([fitting.Block(WIDTH, dilation) for dilation in DILATIONS])
        self.last, self.tags = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, TAGS)
        self.drop, self.drop_rows = nn.Dropout(DROPPED), nn.Dropout(DROPPED_ROWS)

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        keep = batch["mask"][..., None].float()
        words = self.words(batch["words"])
        if self.training:
            words = words * (torch.rand_like(keep) > FORGOTTEN_WORDS) / (1 - FORGOTTEN_WORDS)
        counts = (batch["grams"] != fitting.GRAM_BUCKETS).sum(-1, keepdim=True).clamp(min=1)
        x = words + self.grams(batch["grams"]).sum(2) / counts
        x = x + self.seen(self.drop(batch["seen"])) + self.shape(batch["shapes"])
        x = x + self.encoded(self.drop_rows(batch["rows"])) * batch["with_rows"][:, None, None]
        x = self.drop(x) * keep
        for block in self.blocks:
            x = x + self.drop(block(x, keep))
        return self.tags(self.drop(self.last(x)))


class Examples:
    """Flat arrays cut into batches."""

    def __init__(self, flat: dict[str, Any]) -> None:
        self.flat = flat
        self.ends = np.cumsum(flat["lengths"])
        self.grams = fitting.padded_grams(flat)

    def batch(self, which: list[int]) -> dict[str, Tensor]:
        """Messages as padded tensors."""
        flat, size = self.flat, len(which)
        longest = int(max(flat["lengths"][i] for i in which))
        out: dict[str, Any] = {
            "words": np.zeros((size, longest), np.int64), "tags": np.full((size, longest), -1, np.int64),
            "grams": np.full((size, longest, fitting.MOST_GRAMS), fitting.GRAM_BUCKETS, np.int64),
            "seen": np.zeros((size, longest, SEEN), np.float32),
            "rows": np.zeros((size, longest, fitting.ROW), np.float32),
            "shapes": np.zeros((size, longest, fitting.SHAPES), np.float32),
            "mask": np.zeros((size, longest), bool),
        }  # fmt: skip
        for row, i in enumerate(which):
            end, count = int(self.ends[i]), int(flat["lengths"][i])
            part = slice(end - count, end)
            for name in ("words", "tags", "seen", "rows", "shapes"):
                out[name][row, :count] = flat[name][part]
            out["grams"][row, :count] = self.grams[part]
            out["mask"][row, :count] = True
        out["with_rows"] = flat["with_rows"][which].astype(np.float32)
        return {name: torch.from_numpy(array) for name, array in out.items()}


def fit(train: Examples, epochs: int, seed: int) -> dict[str, Tensor]:
    """Train, and return the running average of the weights."""
    torch.manual_seed(seed)
    chance, model, began = random.Random(seed), Names(), time.time()
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.02)
    order = list(range(len(train.flat["lengths"])))
    steps = epochs * math.ceil(len(order) / fitting.BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=RATE, total_steps=steps + 1, pct_start=0.1)
    average = fitting.Average(model, AVERAGED)
    for epoch in range(epochs):
        batches = fitting.batches_of(order, train.flat["lengths"], chance)
        total = 0.0
        for which in batches:
            batch = train.batch(which)
            scores = model(batch)
            loss = nn.functional.cross_entropy(
                scores.flatten(0, 1), batch["tags"].flatten(), ignore_index=-1, label_smoothing=LABELS_SMOOTHED
            )
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            average.take(model)
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: loss {total / len(batches):.3f}, {time.time() - began:.0f} s", flush=True)
    return average.weights


def stored(weights: dict[str, Tensor]) -> Arrays:
    """The weights by the names that `rememora.reading.name_network` looks up."""
    value = fitting.arrays_of(weights)
    linear, normal = fitting.blocks_of(len(DILATIONS))
    linear |= {name: name for name in ("seen", "shape", "encoded", "tags")}
    return fitting.stored_spellings(value) | fitting.stored_layers(value, linear, normal | {"last.norm": "last"})


def main(folder: Path, epochs: int, seed: int) -> None:
    """Fit on `names_train.npz` of a folder and write `names.npz` beside it."""
    weights = fit(Examples(dict(np.load(folder / "names_train.npz"))), epochs, seed)
    np.savez_compressed(folder / "names.npz", **stored(weights))


if __name__ == "__main__":
    # On another machine: the folder, epochs and seed.
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
