"""Access and quotas: keys, rights, plans and usage."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from rememora.domain.check import check_name
from rememora.errors import InvalidInput

KeyRole = Literal["user", "service", "admin", "operator", "auditor", "module"]
Role = Literal["user", "service", "admin", "operator", "auditor", "module", "owner", "support"]
"""Roles of callers: those of keys, and two that only signed-in people have."""
Right = Literal["memory", "serve", "tenant", "audit", "work", "operate", "assist", "accounts"]
Meter = Literal["messages", "memories", "documents", "searches", "tokens"]
Window = Literal["minute", "hour", "day", "month"]
Standing = Literal["active", "suspended"]

AnyMeter = Meter | Literal["reading"]
"""Names of meters: those of plans, and the tokens of a model's reading, which a setting limits."""

METERS: tuple[Meter, ...] = get_args(Meter)
WINDOWS: tuple[Window, ...] = get_args(Window)
EVERY_TENANT = "*"
"""Tenant of the operators' keys; no tenant may have this id."""

KEY_ROLES: tuple[KeyRole, ...] = get_args(KeyRole)
RIGHTS: Mapping[Role, frozenset[Right]] = {
    "user": frozenset({"memory"}),
    "service": frozenset({"memory", "serve"}),
    "admin": frozenset({"memory", "serve", "tenant", "audit", "work", "assist"}),
    "operator": frozenset({"memory", "serve", "tenant", "audit", "work", "assist", "operate"}),
    "auditor": frozenset({"audit"}),
    "module": frozenset({"work"}),
    "owner": frozenset({"memory", "serve", "tenant", "audit", "work", "assist", "operate", "accounts"}),
    "support": frozenset({"audit", "assist"}),
}
"""Rights of each role; everything not named here is refused.

`serve` is for applications: links for their users, and instructions and situation above the fence. `assist`
shows people's data masked; `accounts` decides who may sign in. Only an owner of every tenant may `operate`.
"""

OVERSEERS: frozenset[Role] = frozenset({"admin", "operator", "owner"})
"""Roles that administer other people's memory: they read a person's data only for a recorded reason."""

SERVICE_NAME = "service:"
"""Prefix of an application's name in the audit chain."""


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """A credential as it is stored and shown: never the secret itself."""

    tenant: str
    id: str
    role: KeyRole
    user: str | None = None
    label: str = ""
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None
    successor: str | None = None
    modules: tuple[str, ...] = ()

    def usable(self, now: datetime) -> bool:
        """Return whether the key is valid now."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class IssuedKey(msgspec.Struct, frozen=True, kw_only=True):
    """A new key with its secret, which is shown once and not stored."""

    key: ApiKey
    secret: str


class IssuedLink(msgspec.Struct, frozen=True, kw_only=True):
    """A temporary credential for one person's own page."""

    token: str
    user: str
    expires_at: datetime
    read_only: bool = False


class Confirmation(msgspec.Struct, frozen=True, kw_only=True):
    """A single-use, short-lived token that lets a link do one erasure."""

    token: str
    expires_at: datetime


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Owner of a credential."""

    tenant: str
    role: Role
    user: str | None = None
    key: str = ""
    modules: tuple[str, ...] = ()
    link: bool = False
    read_only: bool = False
    glass_tenant: str = ""
    glass_reason: str = ""
    """Tenant whose personal data this caller may see for a while, and the recorded reason."""

    @property
    def oversees(self) -> bool:
        """Return whether the caller may read people's memory only for a recorded reason."""
        return self.role in OVERSEERS

    @property
    def rights(self) -> frozenset[Right]:
        """Return the rights of the caller's role."""
        if self.role == "owner" and self.tenant != EVERY_TENANT:
            return RIGHTS["owner"] - {"operate"}
        return RIGHTS[self.role]

    @property
    def name(self) -> str:
        """Return the caller's name for the audit log."""
        return self.user or f"{self.role}:{self.key}"


class Quota(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A limit on one meter within a window of the UTC calendar."""

    limit: Annotated[int, Meta(ge=0, le=10**12)]
    per: Window = "month"


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Quotas of a tenant; a meter without a quota is counted but not limited."""

    name: Annotated[str, Meta(min_length=1, max_length=255)] = "unlimited"
    messages: Quota | None = None
    memories: Quota | None = None
    documents: Quota | None = None
    searches: Quota | None = None
    tokens: Quota | None = None

    def quota(self, meter: Meter) -> Quota | None:
        """Return the limit of one meter."""
        limit: Quota | None = getattr(self, meter)
        return limit

    def window(self, meter: Meter) -> Window:
        """Return the window over which a meter is counted."""
        quota = self.quota(meter)
        return "month" if quota is None else quota.per


UNLIMITED = Plan()
PLANS: Mapping[str, Plan] = {
    "unlimited": UNLIMITED,
    "free": Plan(
        name="free",
        messages=Quota(1_000, "day"),
        memories=Quota(500, "month"),
        documents=Quota(1_000, "day"),
        searches=Quota(1_000, "day"),
        tokens=Quota(200_000, "day"),
    ),
    "pro": Plan(
        name="pro",
        messages=Quota(100_000, "day"),
        memories=Quota(100_000, "month"),
        documents=Quota(100_000, "day"),
        searches=Quota(100_000, "day"),
        tokens=Quota(20_000_000, "day"),
    ),
}
"""Plans with a name; a tenant may also have a custom one."""


class TenantAccount(msgspec.Struct, frozen=True, kw_only=True):
    """A company that is served."""

    id: str
    name: str
    status: Standing = "active"
    plan: Plan = UNLIMITED
    created_at: datetime
    updated_at: datetime


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Usage of one meter by a tenant in the current window."""

    meter: Meter
    used: int
    limit: int | None
    per: Window
    since: datetime
    resets_at: datetime


def window_of(now: datetime, per: Window) -> tuple[datetime, datetime]:
    """Return the window that contains `now`: its start, and its end."""
    return _window_of_minute(now.astimezone(UTC).replace(second=0, microsecond=0), per)


# Every search asks, and all of a minute lie in the same windows.
@lru_cache(maxsize=64)
def _window_of_minute(now: datetime, per: Window) -> tuple[datetime, datetime]:
    day = now.replace(hour=0, minute=0)
    if per == "minute":
        return now, now + timedelta(minutes=1)
    if per == "hour":
        start = now.replace(minute=0)
        return start, start + timedelta(hours=1)
    if per == "day":
        return day, day + timedelta(days=1)
    start = day.replace(day=1)
    return start, (start + timedelta(days=32)).replace(day=1)


def plan_of(value: Plan | str | Mapping[str, Any]) -> Plan:
    """Return a plan given by name, as a noun, or as a mapping."""
    if isinstance(value, Plan):
        return value
    if isinstance(value, str):
        if value not in PLANS:
            raise InvalidInput("plan", f"must be one of {', '.join(PLANS)}, or spelled out")
        return PLANS[value]
    try:
        return msgspec.convert(dict(value), Plan)
    except msgspec.ValidationError as error:
        raise InvalidInput("plan", str(error)) from None


def check_tenant(value: object) -> str:
    """Check a tenant's id; the name for all tenants is refused."""
    tenant = check_name("tenant", value)
    if tenant == EVERY_TENANT:
        raise InvalidInput("tenant", f"{EVERY_TENANT!r} is reserved for all tenants")
    return tenant
