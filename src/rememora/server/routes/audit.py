"""The tenant's audit chain, and its verification."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from rememora.domain.audit import AuditEntry, ChainReport
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes
from rememora.server.words import ItemList, Limit

routes = Routes("audit", right="audit")


class ChainQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Part of the chain."""

    after: Annotated[int, Meta(ge=0, le=2**62)] = 0
    limit: Limit = 100


class ChainAnchor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A head of the chain that was recorded earlier."""

    anchor: Annotated[str, Meta(min_length=1, max_length=255, pattern="^[0-9a-f]+$")] | None = None


@routes.get("/audit")
async def list_audit(ask: ApiRequest, query: ChainQuery) -> ItemList[AuditEntry]:
    """List the tenant's audit chain, oldest first; an auditor sees that something changed, not what."""
    return ItemList(items=await ask.company.audit.list(after=query.after, limit=query.limit))


@routes.get("/audit/verify")
async def verify_audit(ask: ApiRequest, query: ChainAnchor) -> ChainReport:
    """Verify the chain: nothing edited, removed, reordered or truncated."""
    return await ask.company.audit.verify(anchor=query.anchor)
