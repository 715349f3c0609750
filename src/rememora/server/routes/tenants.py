"""Every tenant's account, for operators."""

from __future__ import annotations

import msgspec

from rememora.domain.message import Page
from rememora.domain.receipt import Receipt
from rememora.domain.tenancy import Plan, Standing, TenantAccount
from rememora.handles.operator import Operator
from rememora.server.auth import ApiRequest
from rememora.server.routes.memories import Why
from rememora.server.routing import Routes
from rememora.server.words import Name, Paging

routes = Routes("tenants", right="operate")


class NewTenant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An account to create."""

    id: Name
    name: Name | None = None
    plan: Plan | Name = Plan()
    """A plan as an object, or by name: unlimited, free, pro."""


class TenantChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to an account; an absent field stays."""

    name: Name | None = None
    plan: Plan | Name | None = None
    status: Standing | None = None
    end_links: bool = False


class TenantErasureQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Confirmation: the tenant's id once more, and the reason."""

    confirm: Name
    why: Why = ""


@routes.get("/tenants")
async def list_tenants(ask: ApiRequest, query: Paging) -> Page[TenantAccount]:
    """List all accounts, by id."""
    return await _operator(ask).tenants.list(limit=query.limit, after=query.after)


@routes.post("/tenants", status=201)
async def create_tenant(ask: ApiRequest, body: NewTenant) -> TenantAccount:
    """Create an account."""
    return await _operator(ask).tenants.create(body.id, name=body.name, plan=body.plan)


@routes.get("/tenants/{tenant}")
async def get_tenant(ask: ApiRequest, tenant: Name) -> TenantAccount:
    """Return one tenant's account."""
    return await _operator(ask).tenants.get(tenant)


@routes.patch("/tenants/{tenant}")
async def change_tenant(ask: ApiRequest, tenant: Name, body: TenantChange) -> TenantAccount:
    """Change a tenant's name, plan or status."""
    return await _operator(ask).tenants.change(
        tenant, name=body.name, plan=body.plan, status=body.status, end_links=body.end_links
    )


@routes.delete("/tenants/{tenant}", once=False)
async def erase_tenant(ask: ApiRequest, tenant: Name, query: TenantErasureQuery) -> Receipt:
    """Erase a tenant permanently; `confirm` repeats its id. The receipt has the counts."""
    return await _operator(ask).tenants.erase(tenant, confirm=query.confirm, why=query.why)


def _operator(ask: ApiRequest) -> Operator:
    return ask.rememora.operator(acting=ask.caller.name)
