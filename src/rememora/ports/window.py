"""Port of the window cache: copies of newest turns, trusted only in the store's current edition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.window import CachedWindow, Edition, HotWindow


class WindowCache(Protocol):
    """Caches windows as well as it can: it may be unavailable or lose anything at any time, and never raises."""

    async def get(self, scope: Scope) -> CachedWindow:
        """Return the cached copy, and whether it can be trusted without asking the store."""

    async def put(self, scope: Scope, window: HotWindow, claim: str = "") -> None:
        """Store the window that was read under a claim."""

    async def confirm(self, scope: Scope, edition: Edition, claim: str) -> None:
        """Confirm the edition that the store returned under a claim."""

    async def follow(self, scope: Scope, messages: Sequence[Message], edition: Edition) -> None:
        """Append messages up to `edition` to a cached copy of the edition before it."""

    async def drop(self, scope: Scope) -> int:
        """Drop the cached copy of a conversation, or all of a user's, including those in progress."""
