"""Port of tenancy: a tenant's keys and usage, and the operator's view of every account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.scope import Scope
from rememora.domain.tenancy import AnyMeter, ApiKey, Meter, Plan, Standing, TenantAccount, Window
from rememora.ports.erasable import Erasable

Tried = tuple[str, str, str]
"""Place of an attempt: its tenant, its user, and its id."""


class StoredKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key with the hash of its secret, and the state of its tenant."""

    key: ApiKey
    digest: bytes
    standing: Standing


class IdempotentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request with an idempotency key; without a status the request is still in progress."""

    fingerprint: bytes
    begun_at: datetime
    status: int | None = None
    body: bytes = b""


class PlanUsage(msgspec.Struct, frozen=True):
    """The plan with its limits, and the usage in the current window."""

    plan: Plan
    used: int


class Keys(Protocol):
    """A tenant's keys."""

    def add(self, scope: Scope, key: ApiKey, digest: bytes) -> None: ...

    def all(self, scope: Scope) -> list[ApiKey]:
        """List keys, newest first."""

    def get(self, scope: Scope, id: str) -> ApiKey | None: ...

    def put(self, scope: Scope, key: ApiKey) -> None:
        """Store the expiry, revocation and successor of a key."""


class Usages(Protocol):
    """Usage and quotas of a tenant."""

    def plan(self, scope: Scope) -> Plan:
        """Return the tenant's plan; unlimited if none was set."""

    def count(self, scope: Scope, meter: Meter, *, now: datetime, amount: int) -> PlanUsage:
        """Count `amount` into the window of the tenant's plan for a meter."""

    def take(self, scope: Scope, meter: AnyMeter, *, since: datetime, amount: int) -> int:
        """Count `amount` into a window; returns its new total."""

    def used(self, scope: Scope, meter: AnyMeter, *, since: datetime) -> int: ...

    def link_secret(self, scope: Scope) -> bytes | None:
        """Return the secret that signs the tenant's links; None without an account."""


class Answers(Erasable, Protocol):
    """Answers to requests with an idempotency key."""

    def get(self, scope: Scope, key: str) -> IdempotentAnswer | None: ...

    def settle(self, scope: Scope, key: str, answered: IdempotentAnswer) -> None:
        """Store the answer under a key."""

    def spend(self, scope: Scope, token: str, answered: IdempotentAnswer) -> bool:
        """Record that a single-use token was used; False if it was used before."""


class Accounts(Protocol):
    """An operator's view: every tenant's account, and any key by its public id."""

    def find_key(self, id: str) -> StoredKey | None: ...

    def touch_key(self, id: str, *, at: datetime) -> None:
        """Record roughly when a key was last used."""

    def put(self, account: TenantAccount, *, secret: bytes | None = None) -> None:
        """Create an account with its signing secret, or change it; without a secret the old one stays."""

    def get(self, tenant: str) -> TenantAccount | None: ...

    def page(self, *, limit: int, after: str | None) -> list[TenantAccount]:
        """List accounts by id, after one."""

    def people(self, *, limit: int) -> list[tuple[str, str]]:
        """List the first tenants and users with stored data, with an account or without."""

    def is_known(self, tenant: str) -> bool:
        """Return whether anything is stored for a tenant, with an account or without."""

    def without_account(self) -> list[str]:
        """List tenants with stored data and no account: the library needs none to write."""

    def first_chain(self) -> str | None:
        """Return the first tenant that has an audit chain."""

    def used_now(self, began: Mapping[Window, datetime]) -> list[tuple[str, Meter, int]]:
        """Return the usage of each meter per tenant, for the windows that began at these times."""

    def users(self, tenant: str) -> list[str]:
        """List the users of a tenant with any conversation."""

    def erase(self, tenant: str) -> dict[str, int]:
        """Remove every row of a tenant permanently; returns how many per table."""

    def old_attempts(self, *, before: datetime, limit: int) -> list[Tried]:
        """List attempts from before a moment, of every tenant."""

    def forget_attempts(self, tried: Sequence[Tried]) -> int:
        """Remove attempts permanently; returns how many."""

    def forget_answers(self, *, before: datetime) -> int:
        """Drop stored answers from before a moment."""
