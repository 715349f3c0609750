"""Idempotent requests: the first is carried out once, and every repetition gets its answer.

The writes of a request are recorded under its key in their own transactions (`Store.journal`), so there is no
lock to wait for: after a crash, a timeout or a cancellation the next request with the key continues at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import msgspec

from rememora.domain.check import check_name
from rememora.domain.scope import Scope
from rememora.errors import Conflict
from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.ports.tenancy import IdempotentAnswer
from rememora.settings import AccessSettings
from rememora.tenancy.links import CONFIRM_FOR

KEPT_BYTES = 4 * 1024 * 1024
Act = Callable[[], Awaitable[tuple[int, bytes]]]


async def once(
    store: Store, scope: Scope, key: str, *, fingerprint: bytes, act: Act, clock: Clock
) -> tuple[int, bytes, bool]:
    """Return status and body of the one answer to `key`, and whether it is a repetition."""
    check_name("Idempotency-Key", key)
    earlier = await store.read(scope, lambda work: work.answers.get(scope, key))
    # The same key with another request is a mistake of the caller: to answer with the first result would hide
    # it.
    if earlier is not None and earlier.fingerprint != fingerprint:
        raise Conflict("this Idempotency-Key was used for another request")
    if earlier is not None and earlier.status is not None:
        return earlier.status, earlier.body, True
    begun = IdempotentAnswer(fingerprint=fingerprint, begun_at=clock())
    # What each write of the request returned is stored with it: a repetition after a crash gets those results
    # again and goes on, instead of writing twice.
    with store.journal(scope, key, begun):
        status, body = await act()
    if len(body) <= KEPT_BYTES:
        done = msgspec.structs.replace(begun, status=status, body=body)
        await store.write(scope, lambda work: work.answers.settle(scope, key, done))
    return status, body, False


class IdempotentRequests:
    """The idempotent requests of one process: those with the same key run one after another.

    This only lets the second find the answer of the first; across processes the journal alone separates them.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._locks: dict[tuple[Scope, str], asyncio.Lock] = {}
        self._waiting: Counter[tuple[Scope, str]] = Counter()

    async def once(self, scope: Scope, key: str, *, fingerprint: bytes, act: Act) -> tuple[int, bytes, bool]:
        """Return status and body of the one answer to `key`, and whether it is a repetition."""
        async with self._alone(scope, key):
            return await once(self._store, scope, key, fingerprint=fingerprint, act=act, clock=self._clock)

    @asynccontextmanager
    async def _alone(self, scope: Scope, key: str) -> AsyncIterator[None]:
        place = (scope, key)
        lock = self._locks.setdefault(place, asyncio.Lock())
        self._waiting[place] += 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[place] -= 1
            if not self._waiting[place]:
                del self._waiting[place], self._locks[place]


async def sweep(store: Store, *, settings: AccessSettings, clock: Clock) -> int:
    """Drop expired answers."""
    # A confirmation that was used is noted here too, and must stay noted for as long as it would be fresh.
    before = clock() - max(timedelta(hours=settings.answer_hours), CONFIRM_FOR)
    return await store.accounts(lambda view: view.forget_answers(before=before))
