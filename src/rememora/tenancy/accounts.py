"""Tenants' accounts: created, found, listed and changed by an operator."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from rememora.domain.check import check_name, check_whole
from rememora.domain.message import Page
from rememora.domain.tenancy import UNLIMITED, Plan, Standing, TenantAccount, check_tenant, plan_of
from rememora.errors import Conflict, InvalidInput, NotFound
from rememora.ports.outside import Clock
from rememora.ports.store import Store
from rememora.ports.tenancy import Accounts

SECRET_BYTES = 32
PAGE_LIMIT = 1000
AnyPlan = Plan | str | Mapping[str, Any]


async def create(
    store: Store, tenant: str, *, name: str | None = None, plan: AnyPlan = UNLIMITED, clock: Clock
) -> TenantAccount:
    """Create an account; an id that is taken is a conflict."""
    now = clock()
    account = TenantAccount(
        id=check_tenant(tenant),
        name=check_name("name", tenant if name is None else name),
        plan=plan_of(plan),
        created_at=now,
        updated_at=now,
    )

    def put(view: Accounts) -> TenantAccount:
        if view.get(account.id) is not None:
            raise Conflict(f"tenant {account.id!r} already exists")
        view.put(account, secret=secrets.token_bytes(SECRET_BYTES))
        return account

    return await store.accounts(put)


async def adopt(store: Store, *, clock: Clock) -> list[str]:
    """Create an account for every tenant that the library wrote for without one; returns their ids."""
    tenants = await store.accounts(lambda view: view.without_account(), reading=True)
    now = clock()
    return (
        await store.accounts(lambda view: [tenant for tenant in tenants if _adopt(view, tenant, now)])
        if tenants
        else []
    )


async def get(store: Store, tenant: str, *, clock: Clock) -> TenantAccount:
    """Return one tenant's account; a tenant that the library wrote for gets one now."""
    account = await store.accounts(lambda view: view.get(tenant), reading=True)
    if account is None and await store.accounts(lambda view: view.is_known(tenant), reading=True):
        now = clock()
        account = await store.accounts(lambda view: _adopt(view, tenant, now) or view.get(tenant))
    return _held(account, tenant)


def _adopt(view: Accounts, tenant: str, now: datetime) -> TenantAccount | None:
    if view.get(tenant) is not None:
        return None
    account = TenantAccount(id=tenant, name=tenant, plan=UNLIMITED, created_at=now, updated_at=now)
    view.put(account, secret=secrets.token_bytes(SECRET_BYTES))
    return account


async def page(
    store: Store, *, limit: int, after: str | None, clock: Clock, adopting: bool = True
) -> Page[TenantAccount]:
    """List accounts by id, page by page; `adopting` includes tenants that the library wrote for, which is slow."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    if after is not None:
        check_name("after", after)
    if adopting:
        await adopt(store, clock=clock)
    accounts = await store.accounts(lambda view: view.page(limit=limit + 1, after=after), reading=True)
    return Page(tuple(accounts[:limit]), accounts[limit - 1].id if len(accounts) > limit else None)


async def change(
    store: Store,
    tenant: str,
    *,
    name: str | None = None,
    plan: AnyPlan | None = None,
    status: Standing | None = None,
    end_links: bool = False,
    clock: Clock,
) -> TenantAccount:
    """Change a tenant's name, plan or status; `end_links` invalidates every link issued so far."""
    await get(store, tenant, clock=clock)
    if status not in (None, "active", "suspended"):
        raise InvalidInput("status", "must be active or suspended")
    changed = {
        "name": None if name is None else check_name("name", name),
        "plan": None if plan is None else plan_of(plan),
        "status": status,
        "updated_at": clock(),
    }

    def put(view: Accounts) -> TenantAccount:
        account = _held(view.get(tenant), tenant)
        account = msgspec.structs.replace(account, **{key: value for key, value in changed.items() if value})
        # Links are signed with the tenant's secret: a new one ends all of them, without a list of links.
        view.put(account, secret=secrets.token_bytes(SECRET_BYTES) if end_links else None)
        return account

    return await store.accounts(put)


def _held(account: TenantAccount | None, tenant: str) -> TenantAccount:
    if account is None:
        raise NotFound("tenant", tenant)
    return account
