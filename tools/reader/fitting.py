"""What fitting the reader and fitting the network of names share. Needs only torch and numpy."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

WORD_BUCKETS, GRAM_BUCKETS, SHAPES, ROW, MOST_GRAMS = 1 << 14, 1 << 13, 12, 1280, 14
BATCH = 96
POOL = 20
"""Batches whose messages are sorted by length together."""
Arrays = dict[str, Any]


class Block(nn.Module):
    """A convolution over three words, through a gate."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.dilation = dilation
        self.norm = nn.LayerNorm(width)
        self.both = nn.Linear(3 * width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, keep: Tensor) -> Tensor:
        x = self.norm(x) * keep
        padded = nn.functional.pad(x, (0, 0, self.dilation, self.dilation))
        parts = [padded[:, shift : shift + x.shape[1]] for shift in (0, self.dilation, 2 * self.dilation)]
        return self.out(nn.functional.glu(self.both(torch.cat(parts, -1))))


class Average:
    """The running average of a network's weights, which reads better than the last ones."""

    def __init__(self, model: nn.Module, most: float) -> None:
        self.weights = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self._most, self._steps = most, 0

    @torch.no_grad()
    def take(self, model: nn.Module) -> None:
        """Take in the weights after a step; the first steps count less and less."""
        self._steps += 1
        keep = min(self._most, self._steps / (self._steps + 20))
        for name, value in model.state_dict().items():
            if value.dtype.is_floating_point:
                self.weights[name].lerp_(value, 1 - keep)
            else:
                self.weights[name].copy_(value)


def batches_of(order: list[int], lengths: Sequence[int], chance: random.Random) -> list[list[int]]:
    """Shuffle messages into batches; neighbours in length share one, so that little of it is padding."""
    chance.shuffle(order)
    size = BATCH * POOL
    pools = [sorted(order[at : at + size], key=lambda i: lengths[i]) for at in range(0, len(order), size)]
    batches = [pool[at : at + BATCH] for pool in pools for at in range(0, len(pool), BATCH)]
    chance.shuffle(batches)
    return batches


def padded_grams(flat: Mapping[str, Any]) -> Any:
    """The pieces of each word in a row of its own."""
    counts = flat["gram_counts"]
    grams = np.full((len(counts), MOST_GRAMS), GRAM_BUCKETS, np.int64)
    grams[np.arange(MOST_GRAMS)[None] < counts[:, None]] = flat["grams"]
    return grams


def arrays_of(weights: Mapping[str, Tensor]) -> Arrays:
    """The weights as arrays."""
    return {name: tensor.detach().cpu().float().numpy() for name, tensor in weights.items()}


def stored_spellings(value: Arrays) -> Arrays:
    """The tables of words and pieces as bytes, with a scale for each row."""
    out: Arrays = {}
    for name, table in (("words", value["words.weight"]), ("grams", value["grams.weight"][:GRAM_BUCKETS])):
        scale = np.abs(table).max(axis=1) / 127 + 1e-9
        out[f"{name}.bytes"] = np.round(table / scale[:, None]).astype(np.int8)
        out[f"{name}.scale"] = scale.astype(np.float32)
    return out


def stored_layers(value: Arrays, linear: Mapping[str, str], normal: Mapping[str, str]) -> Arrays:
    """Layers by the names that numpy looks up, from those that they have in torch."""
    out: Arrays = {}
    for name, source in (*linear.items(), *normal.items()):
        weight = value[f"{source}.weight"]
        out[f"{name}.weight"] = (weight.T if name in linear else weight).astype(np.float16)
        out[f"{name}.bias"] = value[f"{source}.bias"].astype(np.float16)
    return out


def blocks_of(count: int) -> tuple[dict[str, str], dict[str, str]]:
    """The linear layers and the norms of so many blocks, by the names that numpy looks up."""
    linear, normal = dict[str, str](), dict[str, str]()
    for number in range(count):
        linear |= {f"conv{number}": f"blocks.{number}.both", f"conv{number}.out": f"blocks.{number}.out"}
        normal[f"conv{number}.norm"] = f"blocks.{number}.norm"
    return linear, normal
