"""The tenant of a page of the desk, and the handles of its visitor there."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from rememora.dashboard import sentences
from rememora.dashboard.answering import Asked
from rememora.domain.rights import ADMIN, AUDITOR, OPERATOR, SUPPORT, SUPPORT_UNMASKED, Rights
from rememora.domain.tenancy import EVERY_TENANT, Caller, TenantAccount
from rememora.errors import InvalidInput, NotFound
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory

MOST_TENANTS = 200


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """One tenant at the desk, and who sits there."""

    officer: Caller
    account: TenantAccount
    company: Tenant
    tenants: tuple[TenantAccount, ...] = ()

    @property
    def id(self) -> str:
        """The tenant."""
        return self.account.id


async def place_of(asked: Asked) -> Place:
    """The tenant of the visitor's key; an operator names one, or gets the first."""
    officer = asked.visitor.officer
    assert officer is not None
    operator = asked.rememora.operator(acting=officer.name)
    tenants: tuple[TenantAccount, ...] = ()
    wanted = officer.tenant
    if officer.tenant == EVERY_TENANT:
        tenants = (await operator.tenants(limit=MOST_TENANTS, adopting=False)).items
        wanted = asked.query.get("tenant") or asked.form.get("tenant") or (tenants[0].id if tenants else "")
        if not wanted:
            raise NotFound("tenant", "*")
    account = await operator.tenant(wanted)
    company = asked.rememora.tenant(account.id, acting=officer.name, rights=rights_in(officer, account.id))
    return Place(officer=officer, account=account, company=company, tenants=tenants)


def rights_in(officer: Caller, tenant: str) -> Rights:
    """What somebody at the desk may do in a tenant; support sees personal data only where the glass is broken."""
    if officer.role == "support":
        return SUPPORT_UNMASKED if officer.glass_tenant == tenant else SUPPORT
    if officer.role in ("owner", "operator"):
        return OPERATOR if officer.tenant == EVERY_TENANT else ADMIN
    return ADMIN if officer.role == "admin" else AUDITOR


async def person_at(asked: Asked, place: Place, user: str, *, reason: str) -> UserMemory:
    """A person's memory as somebody at the desk reads it: put on record once, however much of it a page shows."""
    if not reason.strip():
        raise InvalidInput("reason", "must say why a person's memory is read by another")
    rights, name = rights_in(place.officer, place.id), place.officer.name
    await asked.rememora.user(user, tenant=place.id, rights=rights, acting=name, reason=reason).note_access()
    noted = msgspec.structs.replace(rights, act_for_users=True)
    return asked.rememora.user(user, tenant=place.id, rights=noted, acting=name, reason=reason)


def show(asked: Asked, place: Place, template: str, *, status: int = 200, **values: Any) -> Response:
    """A page of the desk."""
    policy, language = asked.rememora.policy, asked.visitor.language
    return asked.page(
        f"desk/{template}",
        status=status,
        place=place,
        officer=place.officer,
        reason_text=lambda reason: sentences.reason_text(policy, reason, language),
        category=lambda name: sentences.category_text(policy, name, language),
        act_text=lambda action: sentences.action_text(action, language),
        fact=lambda key, value: sentences.fact_text(key, value, language),
        **values,
    )
