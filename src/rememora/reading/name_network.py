"""Says of each word of a text whether it is part of a name, and of what: a second small network on the reader's.

It sees each word as the reader sees it before and after looking at its neighbours, its own memory of spellings,
the shape of the word, and the encoder's row where there is one. The weights are made by `tools/train_names.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from rememora.reading.layers import Layers, softmax
from rememora.reading.network import Outputs
from rememora.reading.one_thread import one_thread
from rememora.reading.tokens import Floats, TokenFeatures

WEIGHTS: Final = Path(__file__).with_name("names.npz")
DILATIONS: Final = (1, 2, 4)


class NameNetwork:
    """The weights, and the one forward pass over the words of a message."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self._layers = Layers(arrays)

    def tags(self, described: TokenFeatures, read: Outputs, encoded: Floats | None = None) -> Floats:
        """Chances of each of `NAME_TAGS` for each word, from what the reader made of the same words."""
        with one_thread():
            return self._tags(described, read, encoded)

    def _tags(self, described: TokenFeatures, read: Outputs, encoded: Floats | None) -> Floats:
        layers = self._layers
        x = layers.spelled(described.words)
        x += layers.linear(np.concatenate([read.embedded, read.hidden], axis=1), "seen")
        x += layers.linear(described.shapes, "shape")
        if encoded is not None:
            x += layers.linear(encoded, "encoded")
        for number, dilation in enumerate(DILATIONS):
            x += layers.convolve(layers.normal(x, f"conv{number}.norm"), number, dilation)
        return softmax(layers.linear(layers.normal(x, "last.norm"), "tags"))


@cache
def load_name_network() -> NameNetwork:
    """The network that ships with the package."""
    with np.load(WEIGHTS, allow_pickle=False) as arrays:
        return NameNetwork({name: arrays[name] for name in arrays.files})
