"""Memories that an answer rests on, as far as can be seen from outside a model."""

from __future__ import annotations

from rememora.domain.context import ContextPack, Item
from rememora.language import tokens

ECHO_SHARE = 0.6
"""How much of a memory's words an answer must repeat to count as having used it."""


def used_memories(pack: ContextPack, answer: str) -> tuple[str, ...]:
    """The given memories that the question called for or the answer repeats, in the order of the pack."""
    said = set(tokens(answer, pack.language))
    telling = (item for item in pack.items if item.memory_ids)
    used = (item.memory_ids for item in telling if item.score > 0 or _echoed(item, said, pack))
    return tuple(dict.fromkeys(id for ids in used for id in ids))


def _echoed(item: Item, said: set[str], pack: ContextPack) -> bool:
    words = set(tokens(item.text, pack.language))
    return bool(words) and len(words & said) >= ECHO_SHARE * len(words)
