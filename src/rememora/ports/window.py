"""The seam of the window cache: hot copies of newest turns, trusted only in the store's own edition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.window import CachedWindow, Edition, HotWindow


class WindowCache(Protocol):
    """Holds hot windows as well as it can: it may be away, and may lose anything at any time; it never raises."""

    async def get(self, scope: Scope) -> CachedWindow:
        """The hot copy, and whether it may be believed as it is."""
        ...

    async def put(self, scope: Scope, window: HotWindow, claim: str = "") -> None:
        """Store the window that was read under that claim."""
        ...

    async def confirm(self, scope: Scope, edition: Edition, claim: str) -> None:
        """Confirm the edition that the store returned under that claim."""
        ...

    async def follow(self, scope: Scope, messages: Sequence[Message], edition: Edition) -> None:
        """Messages were added at the end, up to `edition`: a hot copy of the one before it holds them too."""
        ...

    async def drop(self, scope: Scope) -> int:
        """Let go of a conversation's hot copy, or of all of a user's, also of those that are just being made."""
        ...
