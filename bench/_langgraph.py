"""LangGraph's stores as a peer of history: a namespace for each conversation, an item for each message."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bench._rounds import PER_CONVERSATION, TURNS
from langgraph.store.base import PutOp

from rememora.domain.ids import new_id

CHUNK = 500


class LangGraphPeer:
    """Keeps history in a store that a subclass opens; keys of items sort by time."""

    _store: Any

    def space(self, user: str) -> tuple[str, str, str]:
        """Return the namespace of a user's only conversation."""
        return "acme", user, "c1"

    def value(self, content: str) -> dict[str, Any]:
        """Return the item of a message."""
        now = datetime.now(UTC).isoformat()
        return {"role": "user", "content": content, "modality": "chat", "created_at": now}

    async def append(self, user: str, content: str) -> None:
        self._store.put(self.space(user), new_id(), self.value(content))

    async def bulk(self, user: str, contents: list[str]) -> None:
        space = self.space(user)
        for start in range(0, len(contents), CHUNK):
            piece = contents[start : start + CHUNK]
            self._store.batch([PutOp(space, new_id(), self.value(content)) for content in piece])

    async def last(self, user: str) -> int:
        items = self._store.search(self.space(user), limit=TURNS)
        return len(sorted(items, key=lambda item: str(item.key)))

    async def delete(self, user: str) -> None:
        space = self.space(user)
        items = self._store.search(space, limit=PER_CONVERSATION * 10)
        self._store.batch([PutOp(space, item.key, None) for item in items])
