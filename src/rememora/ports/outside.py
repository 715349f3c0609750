"""Ports to the outside, which adapters implement and tests replace: the clock, models and services."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
from rememora.domain.ledger import LedgerEntry
from rememora.domain.scope import Scope


class Ledger(Protocol):
    """Records erasure requests: restoring an older backup brings erased data back, and they must be replayed."""

    async def note(self, scope: Scope, line: LedgerEntry) -> None:
        """Durable when this returns."""
        ...


class Clock(Protocol):
    """Returns the time, always in UTC."""

    def __call__(self) -> datetime: ...


class Embedder(Protocol):
    """Turns texts into vectors of one length; texts that mean the same come out close together."""

    @property
    def name(self) -> str:
        """Name that the index stores: two embedders of one name make comparable vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """One unit vector per text, in order; `query` where the model treats questions apart."""
        ...


class Reranker(Protocol):
    """Reads a question with each of some texts, and says how well each answers it."""

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """An opinion from 0 to 1 per text, in order; it raises when it has none."""
        ...


class Passwords(Protocol):
    """Hashes passwords so that nobody can read them back."""

    async def hash(self, password: str) -> str: ...

    async def verify(self, hashed: str, password: str) -> bool:
        """Return whether a password is the one that was hashed; it takes as long where `hashed` is empty."""
        ...

    def is_outdated(self, hashed: str) -> bool:
        """Return whether a hash should be renewed from the password at hand."""
        ...


class Signer(Protocol):
    """Signs what must not be forged, with a key that never leaves it."""

    @property
    def public_key(self) -> bytes: ...

    def sign(self, content: bytes) -> bytes: ...

    def verify(self, content: bytes, signature: bytes) -> bool: ...

    @property
    def vouched(self) -> set[str]:
        """Tenants whose chain this process has seen to end with a signature of this key."""
        ...

    def seal(self, content: bytes) -> bytes:
        """A fingerprint that only this key's holder can compute, so that guesses cannot be checked against it."""
        ...


class Model(Protocol):
    """A language model: text in, text out; it raises when it cannot, or not in time."""

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        """The answer to `text`, which may be anybody's words, under instructions that are ours."""
        ...
