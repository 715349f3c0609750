"""Requests about persons from the audit chain: erasures with receipts, and accesses by others with reasons."""

from __future__ import annotations

from rememora.domain.audit import AuditEntry
from rememora.domain.check import check_whole
from rememora.domain.scope import Scope
from rememora.knowledge.audit import PAGE, entry_of
from rememora.ports.store import Store


async def requests(store: Store, scope: Scope, *, limit: int) -> list[AuditEntry]:
    """The newest erasures and looks of a tenant, newest first; an erasure's entry names its receipt."""
    check_whole("limit", limit, 1, PAGE)
    links = await store.read(scope, lambda work: work.audit.newest_requests(scope, limit=limit))
    return [entry_of(link) for link in links]
