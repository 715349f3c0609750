"""The seam of tenancy: a tenant's keys and usage, and the operator's view of every account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.scope import Scope
from rememora.domain.tenancy import AnyMeter, ApiKey, Meter, Plan, Standing, TenantAccount, Window
from rememora.ports.erasable import Erasable

Tried = tuple[str, str, str]
"""Where a try at keeping something stands: its tenant, its user, and its id."""


class StoredKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key with the hash of its secret, and the state of its tenant."""

    key: ApiKey
    digest: bytes
    standing: Standing


class IdempotentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request under an idempotency key; without a status it was begun and not answered."""

    fingerprint: bytes
    begun_at: datetime
    status: int | None = None
    body: bytes = b""


class PlanUsage(msgspec.Struct, frozen=True):
    """The plan that says how much may be used, and what the present window holds now."""

    plan: Plan
    used: int


class Keys(Protocol):
    """A tenant's keys."""

    def add(self, scope: Scope, key: ApiKey, digest: bytes) -> None: ...

    def all(self, scope: Scope) -> list[ApiKey]:
        """Newest first."""
        ...

    def get(self, scope: Scope, id: str) -> ApiKey | None: ...

    def put(self, scope: Scope, key: ApiKey) -> None:
        """Write back when it expires, whether it is revoked, and what follows it."""
        ...


class Usages(Protocol):
    """Usage and quotas of a tenant."""

    def plan(self, scope: Scope) -> Plan:
        """The tenant's plan; unlimited where nobody gave it one."""
        ...

    def count(self, scope: Scope, meter: Meter, *, now: datetime, amount: int) -> PlanUsage:
        """Count `amount` into the window that the tenant's plan has for a meter."""
        ...

    def take(self, scope: Scope, meter: AnyMeter, *, since: datetime, amount: int) -> int:
        """Count `amount` into a window; returns what the window holds now."""
        ...

    def used(self, scope: Scope, meter: AnyMeter, *, since: datetime) -> int: ...

    def link_secret(self, scope: Scope) -> bytes | None:
        """Return the secret that signs the tenant's links; None without an account."""
        ...


class Answers(Erasable, Protocol):
    """Answers to requests that named an idempotency key."""

    def get(self, scope: Scope, key: str) -> IdempotentAnswer | None: ...

    def settle(self, scope: Scope, key: str, answered: IdempotentAnswer) -> None:
        """Store the answer under a key."""
        ...

    def spend(self, scope: Scope, token: str, answered: IdempotentAnswer) -> bool:
        """Note that a single-use token was used; False where it was used before."""
        ...


class Accounts(Protocol):
    """An operator's view: every tenant's account, and any key by its public id."""

    def find_key(self, id: str) -> StoredKey | None: ...

    def touch_key(self, id: str, *, at: datetime) -> None:
        """Note roughly when a key was last used."""
        ...

    def put(self, account: TenantAccount, *, secret: bytes | None = None) -> None:
        """Create an account with its signing secret, or change it; without one the secret stays."""
        ...

    def get(self, tenant: str) -> TenantAccount | None: ...

    def page(self, *, limit: int, after: str | None) -> list[TenantAccount]:
        """Accounts by id, from after one on."""
        ...

    def people(self, *, limit: int) -> list[tuple[str, str]]:
        """List the first tenants and users with stored data, with an account or without."""
        ...

    def is_known(self, tenant: str) -> bool:
        """Return whether anything is stored for a tenant, with an account or without."""
        ...

    def without_account(self) -> list[str]:
        """Tenants of which something is stored and that have no account: a library needs none to write."""
        ...

    def first_chain(self) -> str | None:
        """The first tenant that has a chain of changes."""
        ...

    def used_now(self, began: Mapping[Window, datetime]) -> list[tuple[str, Meter, int]]:
        """Return the use of each meter per tenant, for the windows that began at these times."""
        ...

    def users(self, tenant: str) -> list[str]:
        """List the users of a tenant with any conversation."""
        ...

    def erase(self, tenant: str) -> dict[str, int]:
        """Remove every row of a tenant permanently; returns how many per table."""
        ...

    def old_attempts(self, *, before: datetime, limit: int) -> list[Tried]:
        """Tries at keeping something from before a moment, of every tenant."""
        ...

    def forget_attempts(self, tried: Sequence[Tried]) -> int:
        """Remove attempts permanently; returns how many."""
        ...

    def forget_answers(self, *, before: datetime) -> int:
        """Drop stored answers begun before a moment."""
        ...
