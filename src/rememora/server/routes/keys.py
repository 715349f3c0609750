"""A tenant's keys, links to one person's page, and usage."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from rememora.domain.tenancy import ApiKey, IssuedKey, IssuedLink, KeyRole, Plan, Usage
from rememora.server.auth import ApiRequest
from rememora.server.routing import Routes
from rememora.server.words import ItemList, Name

routes = Routes("keys", right="tenant")
KeyId = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[a-z0-9]+$")]


class NewKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to issue: a user's key names its user, a module's key its modules; no other key names either."""

    role: KeyRole
    user: Name | None = None
    modules: Annotated[list[Name], Meta(max_length=32)] = []
    label: Annotated[str, Meta(max_length=255)] = ""
    days: Annotated[float, Meta(gt=0, le=3660)] | None = None


class NewLink(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A link to issue; a read-only link cannot change anything."""

    user: Name
    read_only: bool = False
    minutes: Annotated[float, Meta(gt=0, le=1440)] | None = None


class UsageReport(msgspec.Struct, frozen=True, kw_only=True):
    """The current plan, and its usage."""

    plan: Plan
    usage: list[Usage]


@routes.get("/keys")
async def list_keys(ask: ApiRequest) -> ItemList[ApiKey]:
    """List the tenant's keys, newest first, without their secrets."""
    return ItemList(items=await ask.company.access.keys())


@routes.post("/keys", status=201, once=False)
async def issue_key(ask: ApiRequest, body: NewKey) -> IssuedKey:
    """Issue a key; its secret is only in this answer."""
    return await ask.company.access.issue_key(
        body.role, user=body.user, modules=body.modules, label=body.label, days=body.days
    )


@routes.post("/keys/{key}/rotate", status=201, once=False)
async def rotate_key(ask: ApiRequest, key: KeyId) -> IssuedKey:
    """Issue the successor of a key; the old key remains valid for a while."""
    return await ask.company.access.rotate_key(key)


@routes.delete("/keys/{key}", once=False)
async def revoke_key(ask: ApiRequest, key: KeyId) -> ApiKey:
    """Revoke a key at once."""
    return await ask.company.access.revoke_key(key)


@routes.post("/links", right="serve", status=201, once=False)
async def issue_link(ask: ApiRequest, body: NewLink) -> IssuedLink:
    """Issue a temporary credential for one person's own page."""
    return await ask.company.access.link(body.user, minutes=body.minutes, read_only=body.read_only)


@routes.get("/usage", right="audit")
async def get_usage(ask: ApiRequest) -> UsageReport:
    """Return the tenant's usage of each meter in its current window, and the limits."""
    access = ask.company.access
    return UsageReport(plan=await access.plan(), usage=await access.usage())
