"""The seam of the window cache: hot copies of newest turns, trusted only in the store's own edition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.window import HotWindow


class WindowCache(Protocol):
    """Holds hot windows as well as it can: it may be away, and may lose anything at any time; it never raises."""

    async def get(self, scope: Scope) -> HotWindow | None: ...

    async def put(self, scope: Scope, window: HotWindow) -> None: ...

    async def follow(self, scope: Scope, messages: Sequence[Message]) -> None:
        """Messages were added at the end: the hot copy, if it stood just before them, holds them too."""
        ...

    async def drop(self, scope: Scope) -> int:
        """Let go of a conversation's hot copy, or of all of a user's, also of those that are just being made."""
        ...
