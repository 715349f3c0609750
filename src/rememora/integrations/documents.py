"""Documents that a framework keeps beside a person's memory: plain JSON under a name, never read as knowledge.

Each is the metadata of a conversation without messages, so that it shares what conversations have: the tenant's
walls, both engines, export, and the person's erasure. Nothing of it is judged, indexed or told to a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from rememora.domain.message import ConversationRecord
from rememora.errors import NotFound
from rememora.handles.user import UserMemory

PAGE = 500
SPELT_OUT = 150
_NAME, _VALUE = "name", "value"


class Documents:
    """The documents of one kind (`space`) that belong to one person."""

    def __init__(self, person: UserMemory, space: str) -> None:
        self._person = person
        self._space = space

    async def put(self, name: str, value: Mapping[str, Any]) -> None:
        """Store a document in place of the one of this name; at most 64 KiB as JSON."""
        chat = self._person.conversation(self._id(name), channel=self._space)
        await chat.describe(metadata={_NAME: name, _VALUE: dict(value)})

    async def get(self, name: str) -> dict[str, Any] | None:
        """Return the document of this name; None where there is none."""
        try:
            found = await self._person.conversation(self._id(name)).about()
        except NotFound:
            return None
        return dict(found.metadata[_VALUE]) if self._is_ours(found) else None

    async def delete(self, name: str) -> None:
        """Remove the document of this name, where there is one."""
        await self._person.conversation(self._id(name)).delete()

    async def all(self) -> AsyncIterator[tuple[str, dict[str, Any]]]:
        """Yield every document with its name, newest first."""
        after = None
        while True:
            page = await self._person.conversations(limit=PAGE, after=after)
            for found in page.items:
                if self._is_ours(found):
                    yield found.metadata[_NAME], dict(found.metadata[_VALUE])
            if page.next is None:
                return
            after = page.next

    def _is_ours(self, found: ConversationRecord) -> bool:
        return found.channel == self._space and _VALUE in found.metadata

    def _id(self, name: str) -> str:
        """The conversation that a document stands in; a name too long or odd for one is known by its digest."""
        plain = name if name.isprintable() and 0 < len(name) <= SPELT_OUT else ""
        return f"{self._space}/{plain or hashlib.sha256(name.encode()).hexdigest()}"
