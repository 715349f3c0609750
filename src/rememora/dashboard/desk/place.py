"""The tenant of a page of the desk, and the handles of its visitor there."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from rememora.dashboard import dates, sentences
from rememora.dashboard.answering import PageRequest
from rememora.dashboard.frame import html
from rememora.domain.rights import ADMIN, AUDITOR, OPERATOR, SUPPORT, SUPPORT_UNMASKED, Rights
from rememora.domain.scope import split_owner
from rememora.domain.tenancy import EVERY_TENANT, Caller, TenantAccount
from rememora.errors import InvalidInput, NotFound
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory

MOST_TENANTS = 200


class TenantDesk(msgspec.Struct, frozen=True, kw_only=True):
    """One tenant at the desk, and who sits there."""

    officer: Caller
    account: TenantAccount
    company: Tenant
    tenants: tuple[TenantAccount, ...] = ()

    @property
    def id(self) -> str:
        """The tenant."""
        return self.account.id


async def place_of(request: PageRequest) -> TenantDesk:
    """The tenant of the visitor's key; an operator names one, or gets the first."""
    officer = request.visitor.officer
    assert officer is not None
    operator = request.rememora.operator(acting=officer.name)
    tenants: tuple[TenantAccount, ...] = ()
    chosen = officer.tenant
    if officer.tenant == EVERY_TENANT:
        tenants = (await operator.tenants.list(limit=MOST_TENANTS, adopting=False)).items
        chosen = request.query.get("tenant") or request.form.get("tenant") or (tenants[0].id if tenants else "")
        if not chosen:
            raise NotFound("tenant", "*")
    account = await operator.tenants.get(chosen)
    company = request.rememora.tenant(account.id, acting=officer.name, rights=rights_in(officer, account.id))
    return TenantDesk(officer=officer, account=account, company=company, tenants=tenants)


def rights_in(officer: Caller, tenant: str) -> Rights:
    """Return an officer's rights in a tenant; support sees personal data only after breaking the glass."""
    if officer.role == "support":
        return SUPPORT_UNMASKED if officer.glass_tenant == tenant else SUPPORT
    if officer.role in ("owner", "operator"):
        return OPERATOR if officer.tenant == EVERY_TENANT else ADMIN
    return ADMIN if officer.role == "admin" else AUDITOR


async def person_at(request: PageRequest, place: TenantDesk, user: str, *, reason: str) -> UserMemory:
    """A person's memory as somebody at the desk reads it: put on record once, however much of it a page shows."""
    if not reason.strip():
        raise InvalidInput("reason", "must say why a person's memory is read by another")
    rights, name = rights_in(place.officer, place.id), place.officer.name
    person, agent = split_owner(user)
    scope: dict[str, Any] = {"tenant": place.id, "agent": agent, "acting": name, "reason": reason}
    await request.rememora.user(person, rights=rights, **scope).audit.note_access()
    noted = msgspec.structs.replace(rights, act_for_users=True)
    return request.rememora.user(person, rights=noted, **scope)


def show(request: PageRequest, place: TenantDesk, template: str, *, status: int = 200, **values: Any) -> Response:
    """A page of the desk."""
    return request.page(f"desk/{template}", status=status, **_telling(request, place), **values)


def drawn(request: PageRequest, place: TenantDesk, template: str, **values: Any) -> str:
    """Part of a page of the desk, as text."""
    return html(request.visitor, f"desk/{template}", **_telling(request, place), **values)


def _telling(request: PageRequest, place: TenantDesk) -> dict[str, Any]:
    """Words of every template of the desk."""
    policy, language = request.rememora.policy, request.visitor.language
    return {
        "place": place,
        "officer": place.officer,
        "reason_text": lambda reason: sentences.reason_text(policy, reason, language),
        "category": lambda name: sentences.category_text(policy, name, language),
        "audited": lambda action: sentences.audited_text(action, language),
        "happened": lambda kind: sentences.event_text(kind, language),
        "on_day": lambda day: dates.day(language, day),
        "plan": lambda name: sentences.plan_text(name, language),
        "hit_text": lambda hit: sentences.hit_text(hit, language),
        "about": lambda named: sentences.subject_name(named, language),
        "score": lambda value: sentences.score_text(value, language),
        "number": lambda value: sentences.number_text(value, language),
        "act_text": lambda action: sentences.action_text(action, language),
        "fact": lambda key, value: sentences.fact_text(key, value, language),
    }
