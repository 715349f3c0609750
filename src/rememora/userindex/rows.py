"""Rows of an index, and how much memory an item of the store takes as one."""

from __future__ import annotations

from datetime import datetime
from sys import getsizeof
from typing import TYPE_CHECKING

import msgspec

from rememora.domain.hit import IndexItem

if TYPE_CHECKING:
    from rememora.userindex.vectors import Vector

_BYTES_PER_ITEM = 500
_BYTES_PER_METADATA = 80


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One row of an index: a message, summary, episode, entity or memory."""

    id: str
    text: str
    # Other words it is found by, which are not its text.
    also: str = ""
    at: datetime
    kind: str = "message"
    conversation: str = ""
    # Order inside the conversation; without it the row stands alone (a memory, a summary).
    position: int | None = None
    role: str = "user"
    # Who speaks, where it is a name; `Ana: hello` at the start of the text says so too.
    speaker: str | None = None
    category: str = ""
    importance: float = 0.0
    superseded: bool = False
    # float32 values, or their bytes; absent until the row is embedded.
    vector: bytes | Vector | None = None
    # Whether the row is embedded, where an engine has the vectors.
    embedded: bool = False
    # The number of its last change, and whether that counts the tenant's or the user's changes.
    number: int = 0
    shared: bool = False

    @property
    def searched(self) -> str:
        """The text as it is read."""
        return f"{self.text}\n{self.also}" if self.also else self.text


def size_of(item: IndexItem) -> int:
    """About how much memory an item takes, without its vector."""
    metadata = _BYTES_PER_METADATA * len(item.metadata)
    return getsizeof(item.text) + metadata + _BYTES_PER_ITEM


def row_of(name: str, item: IndexItem, *, shared: bool) -> Row:
    """Make the row of an item."""
    speaker = item.metadata.get("speaker")
    return Row(
        id=name,
        text=item.text,
        also=item.also,
        at=item.at,
        kind=item.key.kind,
        conversation=item.key.conversation,
        position=item.position,
        role=item.role or "user",
        speaker=speaker if isinstance(speaker, str) else None,
        category=item.category,
        importance=item.importance,
        superseded=item.superseded,
        number=item.number,
        shared=shared,
        vector=item.vector,
        embedded=item.embedded,
    )
