"""A memory as support sees it: of what kind, since when and from where, and nothing of what it says."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.domain.memory import Memory

DOTS = "•••"
MOST_WORDS = 6


class MaskedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory without its words; only what is named here is taken over, so that a new field stays hidden."""

    id: str
    category: str
    source: str
    suppressed: bool
    confidence: float
    created_at: datetime
    updated_at: datetime
    value: str


def masked(memory: Memory) -> MaskedMemory:
    """Return a memory with dots in place of its words, and no key, because keys may be made of words."""
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
