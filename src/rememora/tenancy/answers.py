"""Requests that may be repeated: the first is worked on, the others get its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import msgspec

from rememora.domain.check import check_name
from rememora.domain.scope import Scope
from rememora.errors import Conflict
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.ports.tenancy import Answered
from rememora.settings import Access
from rememora.tenancy.links import CONFIRM_FOR

ABANDONED_AFTER = timedelta(minutes=5)
KEPT_BYTES = 4 * 1024 * 1024


async def once(
    store: Store,
    scope: Scope,
    key: str,
    *,
    fingerprint: bytes,
    act: Callable[[], Awaitable[tuple[int, bytes]]],
    clock: Clock,
) -> tuple[int, bytes, bool]:
    """Status and body of the one answer to `key`, and whether it is given again."""
    check_name("Idempotency-Key", key)
    begun = Answered(fingerprint=fingerprint, begun_at=clock())
    earlier = await store.write(scope, lambda work: _claim(work, scope, key, begun))
    if earlier is not None and earlier.status is not None:
        return earlier.status, earlier.body, True
    try:
        status, body = await act()
    except BaseException:
        # Nothing came of it: the same key may be tried again at once.
        await store.write(scope, lambda work: work.answers.drop(scope, key))
        raise
    if len(body) <= KEPT_BYTES:
        done = msgspec.structs.replace(begun, status=status, body=body)
        await store.write(scope, lambda work: work.answers.settle(scope, key, done))
    return status, body, False


async def sweep(store: Store, *, settings: Access, clock: Clock) -> int:
    """Drop answers that have been kept long enough."""
    # A confirmation that was used is noted here too, and must stay noted for as long as it would be fresh.
    before = clock() - max(timedelta(hours=settings.answer_hours), CONFIRM_FOR)
    return await store.accounts(lambda view: view.forget_answers(before=before))


def _claim(work: UnitOfWork, scope: Scope, key: str, begun: Answered) -> Answered | None:
    """The answer there is, or None when it is ours to give."""
    if work.answers.claim(scope, key, begun):
        return None
    held = work.answers.get(scope, key)
    assert held is not None
    _check_same(held, begun.fingerprint, begun.begun_at)
    if held.status is None:
        work.answers.settle(scope, key, begun)
        return None
    return held


def _check_same(held: Answered, fingerprint: bytes, now: datetime) -> None:
    if held.fingerprint != fingerprint:
        raise Conflict("this Idempotency-Key was used for another request")
    if held.status is None and now - held.begun_at < ABANDONED_AFTER:
        raise Conflict("a request with this Idempotency-Key is being worked on")
