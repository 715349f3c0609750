"""What is known of somebody, as scenarios compare it."""

from __future__ import annotations

from typing import Unpack

from rememora import UserMemory
from rememora.domain.memory import MemoryFilterOptions


async def known(user: UserMemory, **narrowed: Unpack[MemoryFilterOptions]) -> dict[str, object]:
    """What is known now, by key."""
    return {memory.key: memory.value for memory in (await user.memories.list(**narrowed)).items}
