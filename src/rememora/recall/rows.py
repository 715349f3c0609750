"""How an item of the store stands on a shelf: under which name, as which row, and at what price."""

from __future__ import annotations

from sys import getsizeof
from typing import cast

from rememora.domain.hit import Item, ItemKey, Kind
from rememora.recall.shelf import Row

_BYTES_PER_ITEM = 500
_BYTES_PER_METADATA = 80
_BETWEEN = "\x1f"


def name_of(key: ItemKey) -> str:
    """One text for a key; the separator cannot stand in any of its parts."""
    return f"{key.kind}{_BETWEEN}{key.conversation}{_BETWEEN}{key.id}"


def key_of(name: str) -> ItemKey:
    """The key that a name stands for."""
    kind, conversation, id = name.split(_BETWEEN, 2)
    return ItemKey(cast("Kind", kind), id, conversation)


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
