"""An embedder: `recall.embedder = "trigrams"` makes vectors of the letter triples of a text, without a model."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rememora.language import fold
from rememora.settings import Settings


class TrigramEmbedder:
    """Texts that share letter triples lie close together: spelling, not meaning."""

    name = "trigrams"

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """Make one unit vector per text."""
        return [self._vector(f"  {fold(text)}  ") for text in texts]

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dimension, dtype=np.float32)
        for start in range(len(text) - 2):
            vector[zlib.crc32(text[start : start + 3].encode("utf-8", "replace")) % self.dimension] += 1
        return vector / np.linalg.norm(vector)


def make_embedder(settings: Settings) -> TrigramEmbedder:
    """Make the embedder, with as many numbers a vector as the settings say."""
    return TrigramEmbedder(settings.recall.dimension)
