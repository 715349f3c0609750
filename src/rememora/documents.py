"""Documents of frameworks: written under a quota, with optimistic locking, and removed when they expire.

The gate does not judge them, nothing indexes them, and no model sees them; export and erasure reach them.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial

from rememora.domain.check import check_name, check_whole
from rememora.domain.document import NewDocument, StoredDocument, document_id
from rememora.domain.message import Page
from rememora.domain.scope import Scope
from rememora.errors import ChangedMeanwhile
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.tenancy.quotas import charge

MOST = 1_000
BATCH = 100
SWEEP_SECONDS = 3600.0
"""Interval at which expired documents of all tenants are removed."""


async def put_document(
    store: Store, scope: Scope, space: str, document: NewDocument, *, clock: Clock, over: int | None = None
) -> StoredDocument:
    """Write a document; with `over`, only over that version (0: only if there is none)."""
    check_name("space", space)
    now = clock()

    def work(unit: UnitOfWork) -> StoredDocument:
        if over is not None:
            _check_version(unit.documents.get(scope, space, document.key), over)
        charge(unit, scope, "documents", 1, now=now)
        return unit.documents.put(scope, space, document, at=now)

    return await store.write(scope, work)


async def delete_document(store: Store, scope: Scope, space: str, key: str, *, over: int | None = None) -> bool:
    """Remove a document; with `over`, only that version. Returns whether there was one."""

    def work(unit: UnitOfWork) -> bool:
        if over is not None:
            _check_version(unit.documents.get(scope, space, key), over)
        return unit.documents.remove(scope, space, key)

    return await store.write(scope, work)


async def list_documents(
    store: Store, scope: Scope, space: str, *, prefix: str, limit: int, after: str | None
) -> Page[StoredDocument]:
    """List documents whose key begins with `prefix`, a page at a time."""
    check_whole("limit", limit, 1, MOST)
    read = await store.read(
        scope,
        lambda unit: unit.documents.page(scope, space, prefix=prefix, limit=limit + 1, after=after),
    )
    page = read[:limit]
    return Page(tuple(page), document_id(page[-1].key) if len(read) > limit else None)


async def expire_due(store: Store, *, clock: Clock) -> bool:
    """Remove all expired documents; True when more remain."""
    now = clock()
    due = await store.chores(lambda view: view.expired_documents(now=now, limit=BATCH))
    for scope, space in due:
        await store.write(scope, partial(_expire, scope=scope, space=space, now=now))
    return len(due) == BATCH


def _expire(unit: UnitOfWork, *, scope: Scope, space: str, now: datetime) -> int:
    return unit.documents.expire(scope, space, now=now)


def _check_version(stored: StoredDocument | None, version: int) -> None:
    if (0 if stored is None else stored.version) != version:
        raise ChangedMeanwhile
