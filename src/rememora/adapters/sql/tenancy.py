"""Accounts, keys, usage and stored answers in SQL: a tenant's view, and the operator's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

import msgspec

from rememora.adapters.sql.columns import RowDecoder, of_person, to_micros, to_moment
from rememora.adapters.sql.transaction import Repository
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import (
    METERS,
    UNLIMITED,
    WINDOWS,
    AnyMeter,
    ApiKey,
    Meter,
    Plan,
    TenantAccount,
    Window,
    window_of,
)
from rememora.ports.tenancy import IdempotentAnswer, PlanUsage, StoredKey, Tried

EVERY_TABLE = (
    "erase_tenant_messages",
    "erase_tenant_conversations",
    "erase_tenant_summaries",
    "erase_tenant_episodes",
    "erase_tenant_chores",
    "erase_tenant_unread",
    "erase_tenant_memories",
    "erase_tenant_memory_spans",
    "erase_tenant_memory_sources",
    "erase_tenant_mention_sources",
    "erase_tenant_attempts",
    "erase_tenant_proposals",
    "erase_tenant_quarantine",
    "erase_tenant_entities",
    "erase_tenant_documents",
    "erase_tenant_index_entries",
    "erase_tenant_vectors",
    "erase_tenant_missions",
    "erase_tenant_mission_sections",
    "erase_tenant_tasks",
    "erase_tenant_parked",
    "erase_tenant_cursors",
    "erase_tenant_outbox",
    "erase_tenant_tenants",
    "erase_tenant_answers",
    "erase_tenant_usage",
    "erase_tenant_api_keys",
    "erase_tenant_trends",
    "erase_tenant_login_tries",
    "erase_tenant_login_sessions",
    "erase_tenant_login_invitations",
    "erase_tenant_logins",
    "erase_tenant_accounts",
    "erase_tenant_audit",
    "erase_tenant_audit_heads",
)
"""One query for every table that holds anything of a tenant."""

_KEY_COLUMNS = 11
_plan = msgspec.json.Decoder(Plan).decode
_modules = msgspec.json.Decoder(tuple[str, ...]).decode


class SqlKeys(Repository):
    """A tenant's keys, in SQL."""

    def add(self, scope: Scope, key: ApiKey, digest: bytes) -> None:
        self._tx.run(
            "add_key",
            {
                "tenant": scope.tenant,
                "id": key.id,
                "digest": digest,
                "role": key.role,
                "user": key.user,
                "label": key.label,
                "created_at": to_micros(key.created_at),
                "expires_at": _micros(key.expires_at),
                "modules": msgspec.json.encode(key.modules).decode(),
            },
        )

    def all(self, scope: Scope) -> list[ApiKey]:
        return [_key(row) for row in self._tx.all("tenant_keys", {"tenant": scope.tenant})]

    def get(self, scope: Scope, id: str) -> ApiKey | None:
        return self._find("tenant_key", {"tenant": scope.tenant, "id": id}, _key)

    def put(self, scope: Scope, key: ApiKey) -> None:
        self._tx.run(
            "put_key",
            {
                "tenant": scope.tenant,
                "id": key.id,
                "expires_at": _micros(key.expires_at),
                "revoked_at": _micros(key.revoked_at),
                "successor": key.successor,
            },
        )


class SqlUsages(Repository):
    """Usage and quotas of a tenant, in SQL."""

    def plan(self, scope: Scope) -> Plan:
        row = self._tx.one("tenant_plan", {"tenant": scope.tenant})
        return UNLIMITED if row is None else _plan(row[0])

    def count(self, scope: Scope, meter: Meter, *, now: datetime, amount: int) -> PlanUsage:
        began = _began(now.replace(second=0, microsecond=0))
        row = self._tx.one("count_usage", {"tenant": scope.tenant, "meter": meter, "amount": amount, **began})
        assert row is not None
        used, plan = row
        return PlanUsage(UNLIMITED if plan is None else _plan(plan), int(used))

    def take(self, scope: Scope, meter: AnyMeter, *, since: datetime, amount: int) -> int:
        window = {"tenant": scope.tenant, "meter": meter, "since": to_micros(since), "amount": amount}
        row = self._tx.one("take_usage", window)
        assert row is not None
        return int(row[0])

    def used(self, scope: Scope, meter: AnyMeter, *, since: datetime) -> int:
        return self._number("used", {"tenant": scope.tenant, "meter": meter, "since": to_micros(since)})

    def link_secret(self, scope: Scope) -> bytes | None:
        return self._find("link_secret", {"tenant": scope.tenant}, lambda row: bytes(row[0]))


class SqlAnswers(Repository):
    """Answers to requests that named an idempotency key, in SQL."""

    def get(self, scope: Scope, key: str) -> IdempotentAnswer | None:
        row = self._tx.one("answer", _answer_key(scope, key))
        if row is None:
            return None
        fingerprint, begun_at, status, body = row
        return IdempotentAnswer(
            fingerprint=bytes(fingerprint), begun_at=to_moment(begun_at), status=status, body=bytes(body or b"")
        )

    def settle(self, scope: Scope, key: str, answered: IdempotentAnswer) -> None:
        given = {"fingerprint": answered.fingerprint, "status": answered.status, "body": answered.body}
        begun = {"begun_at": to_micros(answered.begun_at)}
        self._tx.send("settle_answer", {**_answer_key(scope, key), **given, **begun})

    def spend(self, scope: Scope, token: str, answered: IdempotentAnswer) -> bool:
        given = {"fingerprint": answered.fingerprint, "begun_at": to_micros(answered.begun_at)}
        return self._tx.run("spend_once", {**_answer_key(scope, token), **given}) == 1

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        # An answer may repeat whatever was asked for, so that all of the user's go with any erasure.
        return self._tx.run("erase_answers", of_person(scope))


class SqlAccounts(Repository):
    """The operator's view: every tenant's account, and any key."""

    def find_key(self, id: str) -> StoredKey | None:
        row = self._tx.one("find_key", {"id": id})
        if row is None:
            return None
        return StoredKey(key=_key(row[:_KEY_COLUMNS]), digest=bytes(row[-2]), standing=row[-1])

    def touch_key(self, id: str, *, at: datetime) -> None:
        self._tx.run("touch_key", {"id": id, "at": to_micros(at)})

    def put(self, account: TenantAccount, *, secret: bytes | None = None) -> None:
        columns = {
            "tenant": account.id,
            "name": account.name,
            "status": account.status,
            "plan": msgspec.json.encode(account.plan).decode(),
            "updated_at": to_micros(account.updated_at),
        }
        if secret is None:
            self._tx.run("change_account", columns)
        else:
            fresh = {"secret": secret, "created_at": to_micros(account.created_at)}
            self._tx.run("add_account", {**columns, **fresh})

    def get(self, tenant: str) -> TenantAccount | None:
        return self._find("account", {"tenant": tenant}, _account)

    def page(self, *, limit: int, after: str | None) -> list[TenantAccount]:
        return [_account(row) for row in self._tx.all("accounts_after", {"after": after or "", "limit": limit})]

    def people(self, *, limit: int) -> list[tuple[str, str]]:
        return [(row[0], row[1]) for row in self._tx.all("people_held", {"limit": limit, "shared": SHARED})]

    def is_known(self, tenant: str) -> bool:
        row = self._tx.one("tenant_is_known", {"tenant": tenant})
        return row is not None and bool(row[0])

    def without_account(self) -> list[str]:
        return [row[0] for row in self._tx.all("tenants_without_account", {})]

    def first_chain(self) -> str | None:
        return self._find("first_chain", {}, lambda row: str(row[0]))

    def used_now(self, began: Mapping[Window, datetime]) -> list[tuple[str, Meter, int]]:
        rows = self._tx.all("used_now", {per: to_micros(moment) for per, moment in began.items()})
        return [(tenant, meter, used) for tenant, meter, used in rows if meter in METERS]

    def users(self, tenant: str) -> list[str]:
        return [row[0] for row in self._tx.all("tenant_users", {"tenant": tenant})]

    def erase(self, tenant: str) -> dict[str, int]:
        whose = {"tenant": tenant}
        return {query.removeprefix("erase_tenant_"): self._tx.run(query, whose) for query in EVERY_TABLE}

    def old_attempts(self, *, before: datetime, limit: int) -> list[Tried]:
        rows = self._tx.all("old_attempts", {"before": to_micros(before), "limit": limit})
        return [(row[0], row[1], row[2]) for row in rows]

    def forget_attempts(self, tried: Sequence[Tried]) -> int:
        whose = ({"tenant": tenant, "user": user, "id": id} for tenant, user, id in tried)
        return sum(self._tx.run("forget_attempt", place) for place in whose)

    def forget_answers(self, *, before: datetime) -> int:
        return self._tx.run("forget_answers", {"before": to_micros(before)})


@lru_cache(maxsize=4)
def _began(minute: datetime) -> Mapping[str, object]:
    """Return the start of each window that contains a minute; needed by every append."""
    return {per: to_micros(window_of(minute, per)[0]) for per in WINDOWS}


def _answer_key(scope: Scope, key: str) -> dict[str, object]:
    return {**of_person(scope), "id": key}


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


# Columns in the order of the queries of keys.
_key = RowDecoder(
    ApiKey,
    "tenant id role user label created_at expires_at revoked_at used_at successor modules",
    modules=_modules,
)


_account = RowDecoder(TenantAccount, "id name status plan created_at updated_at", plan=_plan)
