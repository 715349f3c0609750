"""Test doubles for the outside: the clock and the models; for your tests and ours."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rememora.errors import ModelUnavailable
from rememora.language import tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SettableClock:
    """A clock that stays at one time until it is advanced."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        """Advance the time."""
        self.now += timedelta(seconds=seconds)


class WordEmbedder:
    """Embeds texts so that texts with common words are close together; deterministic.

    `fail` makes it unavailable, like a remote model; `calls` counts the calls.
    """

    def __init__(self, *, name: str = "words", dimension: int = 64) -> None:
        self.name = name
        self.dimension = dimension
        self.fail = False
        self.calls = 0

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """Return one unit vector per text."""
        self.calls += 1
        if self.fail:
            raise ModelUnavailable
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        vector = np.zeros(self.dimension, dtype=np.float32)
        for word in tokens(text) or [text]:
            digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
            vector[int.from_bytes(digest[:4]) % self.dimension] += 1 if digest[4] % 2 else -1
        return vector / (float(np.linalg.norm(vector)) or 1.0)


class WordReranker:
    """Scores a text by the share of the query's words that it contains.

    `fail` makes it unavailable, `seconds` slow; `calls` counts the calls.
    """

    def __init__(self, *, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.fail = False
        self.calls = 0

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one number from 0 to 1 per text."""
        self.calls += 1
        await asyncio.sleep(self.seconds)
        if self.fail:
            raise ModelUnavailable
        words = set(tokens(query))
        return [len(words & set(tokens(text))) / (len(words) or 1) for text in texts]


class ScriptedModel:
    """A language model that returns scripted answers, one per call, and is unavailable after the last."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    @property
    def calls(self) -> int:
        """Return the number of calls."""
        return len(self.asked)

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        """Return the next answer of the script."""
        self.asked.append(text)
        if not self._answers:
            raise ModelUnavailable
        return self._answers.pop(0)
