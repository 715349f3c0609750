"""The audit chain in SQL."""

from __future__ import annotations

import msgspec

from rememora.adapters.sql.columns import RowDecoder, of_person
from rememora.adapters.sql.transaction import Repository
from rememora.domain.audit import Head, Link
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope

_GENESIS = b""
LAST = 20_000
"""Entries at the end of a chain in which the newest of a kind are looked for."""


class SqlAudit(Repository):
    """A tenant's chain of changes, in SQL."""

    def head(self, scope: Scope) -> Head | None:
        row = self._tx.one("audit_head", {"tenant": scope.tenant})
        if row is None:
            return None
        return Head(tenant=scope.tenant, position=row[0], hash=row[1], signature=row[2])

    def follow(self, scope: Scope) -> tuple[int, bytes]:
        row = self._tx.one("next_audit_position", {"tenant": scope.tenant, "genesis": _GENESIS})
        assert row is not None
        return row[0], row[1]

    def add(self, scope: Scope, link: Link, *, signature: bytes) -> None:
        self._tx.send("add_audit_entry", {**msgspec.structs.asdict(link), "tenant": scope.tenant})
        end = {"position": link.position, "hash": link.hash, "signature": signature}
        self._tx.send("sign_audit_head", {"tenant": scope.tenant, **end})

    def after(self, scope: Scope, *, position: int, limit: int) -> list[Link]:
        params = {"tenant": scope.tenant, "after": position, "limit": limit}
        return [_link(row, tenant=scope.tenant) for row in self._tx.all("audit_after", params)]

    def newest(self, scope: Scope, *, before: int, limit: int) -> list[Link]:
        params = {"tenant": scope.tenant, "before": before, "limit": limit}
        return [_link(row, tenant=scope.tenant) for row in self._tx.all("audit_before", params)]

    def of_memory(self, scope: Scope, memory: str) -> list[Link]:
        params = {"tenant": scope.tenant, "memory": memory}
        return [_link(row, tenant=scope.tenant) for row in self._tx.all("audit_of_memory", params)]

    def of_owner(self, scope: Scope, *, position: int, limit: int) -> list[Link]:
        params = {**of_person(scope), "after": position, "limit": limit}
        return [_link(row, tenant=scope.tenant) for row in self._tx.all("audit_of_owner", params)]

    def newest_of_owner(self, scope: Scope, *, before: int, limit: int) -> list[Link]:
        params = {**of_person(scope), "before": before, "limit": limit}
        return [_link(row, tenant=scope.tenant) for row in self._tx.all("newest_audit_of_owner", params)]

    def newest_requests(self, scope: Scope, *, limit: int) -> list[Link]:
        params = {"tenant": scope.tenant, "limit": limit, "entries": LAST}
        return [_link(row, tenant=scope.tenant) for row in self._tx.all("newest_requests", params)]

    def redact(self, scope: Scope, plan: ErasurePlan) -> list[int]:
        places = {place for memory in plan.memories for place in self._places(scope, memory)}
        if plan.person:
            rows = self._tx.all("audit_doomed_person", of_person(scope))
            places |= {row[0] for row in rows}
        for position in sorted(places):
            self._tx.send("redact_audit_entry", {"tenant": scope.tenant, "position": position})
        return sorted(places)

    def unaudited(self, scope: Scope) -> int:
        return self._number("memories_unaudited", {"tenant": scope.tenant})

    def _places(self, scope: Scope, memory: str) -> list[int]:
        return [row[0] for row in self._tx.all("audit_doomed", {"tenant": scope.tenant, "memory": memory})]


_link = RowDecoder(Link, "position at action actor owner memory key why before after salt digest hash")
