"""What a message did to memory the first time, for a turn that is tried again under its key."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from rememora.domain.context import Deed
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.tenancy import answers

DONE = 200


async def done_once(
    store: Store, scope: Scope, asked: Message, act: Callable[[], Awaitable[Sequence[Deed]]], *, clock: Clock
) -> Sequence[Deed]:
    """Act once for a message, and tell the same ever after: a retried "yes" must not answer the next question."""
    key = hashlib.sha256(f"{scope.conversation}\n{asked.id}".encode()).hexdigest()
    fingerprint = hashlib.sha256(asked.content.encode()).digest()

    async def write_down() -> tuple[int, bytes]:
        return DONE, msgspec.json.encode(tuple(await act()))

    _, body, _ = await answers.once(
        store, scope, f"deeds-{key}", fingerprint=fingerprint, act=write_down, clock=clock
    )
    return msgspec.json.decode(body, type=tuple[Deed, ...])
