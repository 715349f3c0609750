"""Vectors from a sentence-transformers model that the host has on its disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from rememora.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SentenceTransformerEmbedder:
    """Models of the E5 family want `query: ` and `passage: ` before their texts: give them as prefixes."""

    def __init__(self, model: str, *, query_prefix: str = "", text_prefix: str = "", device: str = "cpu") -> None:
        self.name = f"sentence-transformers:{model}"
        self._path, self._device = model, device
        self._query_prefix, self._text_prefix = query_prefix, text_prefix
        self._loading = Lock()

    @property
    def dimension(self) -> int:
        """Known to the model: loads it."""
        return int(self._loaded().get_sentence_embedding_dimension())

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """Return one unit vector per text, computed off the event loop."""
        if not texts:
            return []
        prefix = self._query_prefix if query else self._text_prefix
        return await asyncio.to_thread(self._encode, [prefix + text for text in texts])

    def _encode(self, texts: list[str]) -> list[NDArray[np.float32]]:
        return list(self._loaded().encode(texts, normalize_embeddings=True, convert_to_numpy=True))

    def _loaded(self) -> Any:
        with self._loading:
            return self._model

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as missing:
            raise MissingExtra("sentence-transformers") from missing
        return SentenceTransformer(self._path, device=self._device)
