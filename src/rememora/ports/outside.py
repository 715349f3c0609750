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
    """Records erasures, which must be repeated after an older backup is restored."""

    async def note(self, scope: Scope, line: LedgerEntry) -> None:
        """Append an entry; it is durable when this returns."""


class Clock(Protocol):
    """Returns the current time, always in UTC."""

    def __call__(self) -> datetime: ...


class Embedder(Protocol):
    """Converts texts into vectors of one length; texts with similar meaning are close together."""

    @property
    def name(self) -> str:
        """Name that the index stores: embedders with the same name make comparable vectors."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """Return one unit vector per text, in order; `query` for models that treat questions differently."""


class Reranker(Protocol):
    """Scores how well each of some texts answers a question."""

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score from 0 to 1 per text, in order; raises if it has none."""


class Passwords(Protocol):
    """Hashes passwords irreversibly."""

    async def hash(self, password: str) -> str: ...

    async def verify(self, hashed: str, password: str) -> bool:
        """Verify a password; it takes equally long if `hashed` is empty."""

    def is_outdated(self, hashed: str) -> bool:
        """Return whether a hash should be renewed while the password is known."""


class Signer(Protocol):
    """Signs what must not be forged, with a private key that never leaves it."""

    @property
    def public_key(self) -> bytes: ...

    def sign(self, content: bytes) -> bytes: ...

    def verify(self, content: bytes, signature: bytes) -> bool: ...

    @property
    def vouched(self) -> set[str]:
        """Tenants whose chain is known in this process to end with a signature of this key."""

    def seal(self, content: bytes) -> bytes:
        """Return a keyed fingerprint, so that guesses cannot be checked against it."""


class Model(Protocol):
    """A language model: text in, text out; raises if it cannot answer in time."""

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        """Return the answer to `text`, which may be untrusted, under our instructions."""
