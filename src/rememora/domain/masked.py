"""A memory as support sees it: its kind, dates and source, without its content."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.domain.memory import Memory

DOTS = "•••"
MOST_WORDS = 6


class MaskedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory without its content; only the fields named here are copied, so that a new field stays hidden."""

    id: str
    category: str
    source: str
    suppressed: bool
    confidence: float
    created_at: datetime
    updated_at: datetime
    value: str


def masked(memory: Memory) -> MaskedMemory:
    """Return a memory with dots instead of its content, and without its key, which may contain personal words."""
    return MaskedMemory(
        id=memory.id,
        category=memory.category,
        source=memory.source,
        suppressed=memory.suppressed,
        confidence=memory.confidence,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        value=" ".join([DOTS] * min(MOST_WORDS, max(1, len(str(memory.value).split())))),
    )
