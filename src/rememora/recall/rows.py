"""How an item of the store stands on a shelf: as which row, and at what price."""

from __future__ import annotations

from sys import getsizeof

from rememora.domain.hit import Item
from rememora.recall.shelf import Row

_BYTES_PER_ITEM = 500
_BYTES_PER_METADATA = 80


def size_of(item: Item) -> int:
    """About how much memory an item takes, without its vector."""
    told = _BYTES_PER_METADATA * len(item.metadata)
    return getsizeof(item.text) + told + _BYTES_PER_ITEM


def row_of(name: str, item: Item, *, shared: bool) -> Row:
    """What a shelf must know of an item."""
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
