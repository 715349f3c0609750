"""Remembers the first effect of a message on memory, for a turn that is retried under its key."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from rememora.domain.context import MemoryAction
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.tenancy import idempotency

DONE = 200


async def done_once(
    store: Store,
    scope: Scope,
    question: Message,
    act: Callable[[], Awaitable[Sequence[MemoryAction]]],
    *,
    clock: Clock,
) -> Sequence[MemoryAction]:
    """Act once for a message, and return the same on a retry: a retried "yes" must not answer a new question."""
    key = hashlib.sha256(f"{scope.conversation}\n{question.id}".encode()).hexdigest()
    fingerprint = hashlib.sha256(question.content.encode()).digest()

    async def write_down() -> tuple[int, bytes]:
        return DONE, msgspec.json.encode(tuple(await act()))

    _, body, _ = await idempotency.once(
        store, scope, f"deeds-{key}", fingerprint=fingerprint, act=write_down, clock=clock
    )
    return msgspec.json.decode(body, type=tuple[MemoryAction, ...])
