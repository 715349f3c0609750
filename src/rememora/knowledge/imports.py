"""Limits on one import: sizes that are refused, counts that are clipped, and the size of its batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from rememora.domain.entity import Entity
from rememora.errors import InvalidInput
from rememora.settings import ImportSettings

T = TypeVar("T")


class Admitted(msgspec.Struct, frozen=True, kw_only=True):
    """The entities of an import that may come in, and what was done to the others."""

    entities: tuple[Entity, ...]
    clipped: int
    left_out: int


def check_size(sizes: dict[str, int], limits: ImportSettings) -> None:
    """Refuse a document that holds more of anything than an import may bring."""
    for name, size in sizes.items():
        most: int = getattr(limits, name)
        if size > most:
            raise InvalidInput(name, f"holds {size}, more than imports.{name} = {most} allows")


def admitted(entities: Sequence[Entity], *, cap: int, mentions: int) -> Admitted:
    """Return as many entities as a user may have, the most mentioned first, with counts clipped to the limit."""
    clipped = [msgspec.structs.replace(entity, mentions=min(entity.mentions, mentions)) for entity in entities]
    # As the store evicts them: forgotten ones first, then the least mentioned, then the oldest.
    ordered = sorted(clipped, key=lambda each: (each.forgotten, -each.mentions, -each.updated_at.timestamp()))
    return Admitted(
        entities=tuple(ordered[:cap]),
        clipped=sum(entity.mentions > mentions for entity in entities),
        left_out=max(0, len(ordered) - cap),
    )


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The items in pieces, each for a transaction of its own: others get their turn between two."""
    return (items[start : start + size] for start in range(0, len(items), size))
