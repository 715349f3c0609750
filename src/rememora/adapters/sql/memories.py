"""Memories and the tries at making them, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from rememora.adapters.sql.columns import from_json, of_person, to_micros, to_moment
from rememora.adapters.sql.transaction import Row, Transaction
from rememora.domain.memory import Attempt, Memory, MemoryFilter, Status
from rememora.domain.receipt import Doomed
from rememora.domain.scope import SHARED, Scope
from rememora.domain.verdict import Origin
from rememora.ports.knowledge import Span

_BEYOND = "\U0010ffff"
"""After every key there can be."""


class SqlMemories:
    """What is known, in SQL; the times in which a memory was active stand beside it."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def add(self, scope: Scope, memory: Memory, *, spans: Sequence[Span] | None = None) -> None:
        self._tx.send("add_memory", {**_columns(memory), **_place(scope, memory), "user": scope.user})
        place = _place(scope, memory)
        if spans is not None:
            self._tx.many("add_span", [{**place, **_span_columns(span)} for span in spans])
        elif memory.status == "active":
            self._tx.send("open_span", {**place, "key": memory.key, "at": to_micros(memory.created_at)})

    def get(self, scope: Scope, id: str) -> Memory | None:
        row = self._tx.one("memory", {**of_person(scope), "id": id})
        return None if row is None else _memory(scope, row)

    def with_ids(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
        params = {**of_person(scope), "ids": msgspec.json.encode(ids).decode()}
        return {row[1]: _memory(scope, row) for row in self._tx.all("memories_with_ids", params)}

    def active(self, scope: Scope, key: str, *, shared: bool) -> Memory | None:
        owner = SHARED if shared else scope.user
        row = self._tx.one("active_memory", {"tenant": scope.tenant, "owner": owner, "key": key})
        return None if row is None else _memory(scope, row)

    def page(
        self, scope: Scope, wanted: MemoryFilter, *, limit: int, after: tuple[str, str] | None = None
    ) -> list[Memory]:
        key, id = after or ("", "")
        suppressed = None if wanted.suppressed is None else int(wanted.suppressed)
        params = {
            **msgspec.structs.asdict(wanted),
            "suppressed": suppressed,
            "first": max(key, wanted.prefix or ""),
            "last": _BEYOND if wanted.prefix is None else f"{wanted.prefix}/",
            "tenant": scope.tenant,
            "user": scope.user,
            "after_key": key,
            "after_id": id,
            "limit": limit,
        }
        return [_memory(scope, row) for row in self._tx.all("memories_page", params)]

    def are_more(self, scope: Scope, *, than: int) -> bool:
        params = {**of_person(scope), "limit": than + 1}
        return bool(self._tx.all("mentionable_memories", params)[0][0] > than)

    def as_of(self, scope: Scope, moment: datetime) -> list[Memory]:
        params = {**of_person(scope), "at": to_micros(moment)}
        return [_memory(scope, row) for row in self._tx.all("memories_as_of", params)]

    def mark(self, scope: Scope, memory: Memory, status: Status, *, at: datetime) -> Memory:
        place = {**_place(scope, memory), "at": to_micros(at)}
        self._tx.send("set_memory_status", {**place, "status": status})
        if status == "active":
            self._tx.send("open_span", {**place, "key": memory.key})
        else:
            self._tx.send("close_span", place)
        return msgspec.structs.replace(memory, status=status, updated_at=at)

    def suppress(self, scope: Scope, memory: Memory, suppressed: bool, *, at: datetime) -> Memory:
        place = {**_place(scope, memory), "at": to_micros(at), "suppressed": int(suppressed)}
        self._tx.send("set_memory_suppressed", place)
        return msgspec.structs.replace(memory, suppressed=suppressed, updated_at=at)

    def spans(self, scope: Scope, memory: Memory) -> list[Span]:
        return [_span(row) for row in self._tx.all("memory_spans", _place(scope, memory))]

    def spans_of_key(self, scope: Scope, key: str) -> list[Span]:
        rows = self._tx.all("key_spans", {"tenant": scope.tenant, "owner": scope.user, "key": key})
        return [_span(row) for row in rows]

    def of_key(self, scope: Scope, key: str, *, shared: bool) -> list[Memory]:
        owner = SHARED if shared else scope.user
        rows = self._tx.all("memories_of_key", {"tenant": scope.tenant, "owner": owner, "key": key})
        return [_memory(scope, row) for row in rows]

    def erase(self, scope: Scope, doomed: Doomed) -> int:
        whose = of_person(scope)
        for id in doomed.memories:
            self._tx.run("erase_spans", {**whose, "id": id})
        if doomed.person:
            self._tx.run("forget_author", whose)
        return sum(self._tx.run("erase_memory", {**whose, "id": id}) for id in doomed.memories)


class SqlAttempts:
    """Every try at keeping something, in SQL."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def add(self, scope: Scope, attempt: Attempt) -> None:
        fields = {**msgspec.structs.asdict(attempt), **of_person(scope)}
        self._tx.send("add_attempt", {**fields, "at": to_micros(attempt.at), "worthy": int(attempt.worthy)})

    def newest(self, scope: Scope, *, limit: int) -> list[Attempt]:
        params = {**of_person(scope), "limit": limit}
        return [_attempt(scope, row) for row in self._tx.all("newest_attempts", params)]

    def counts(self, scope: Scope) -> dict[tuple[str, str], int]:
        rows = self._tx.all("count_attempts", {"tenant": scope.tenant})
        return {(verdict, reason): count for verdict, reason, count in rows}

    def erase(self, scope: Scope, doomed: Doomed) -> int:
        whose = of_person(scope)
        if doomed.person:
            return self._tx.run("erase_attempts", whose)
        return sum(self._tx.run("erase_attempts_at", {**whose, "key": key}) for key in doomed.keys)


def _place(scope: Scope, memory: Memory) -> dict[str, object]:
    owner = SHARED if memory.scope == "tenant_shared" else scope.user
    return {"tenant": scope.tenant, "owner": owner, "id": memory.id}


def _span(row: Row) -> Span:
    since, until = row
    return Span(since=to_moment(since), until=None if until is None else to_moment(until))


def _span_columns(span: Span) -> dict[str, object]:
    until = None if span.until is None else to_micros(span.until)
    return {"since": to_micros(span.since), "until": until}


def _columns(memory: Memory) -> dict[str, object]:
    return {
        **msgspec.structs.asdict(memory),
        "value": msgspec.json.encode(memory.value).decode(),
        "conversation": memory.conversation or "",
        "origin": str(memory.origin),
        "suppressed": int(memory.suppressed),
        "created_at": to_micros(memory.created_at),
        "updated_at": to_micros(memory.updated_at),
    }


def _memory(scope: Scope, row: Row) -> Memory:
    user, id, reach, category, key, value, confidence, status, source, source_ref = row[:10]
    conversation, origin, suppressed, supersedes, evidence, created_at, updated_at = row[10:]
    return Memory(
        tenant=scope.tenant,
        user=user,
        id=id,
        scope=reach,
        category=category,
        key=key,
        value=from_json(value),
        confidence=confidence,
        status=status,
        source=source,
        source_ref=source_ref,
        conversation=conversation or None,
        origin=Origin(origin),
        suppressed=bool(suppressed),
        supersedes=supersedes,
        evidence=evidence,
        created_at=to_moment(created_at),
        updated_at=to_moment(updated_at),
    )


def _attempt(scope: Scope, row: Row) -> Attempt:
    id, at, worthy, verdict, reason, key, category, source, memory = row
    return Attempt(
        tenant=scope.tenant,
        user=scope.user,
        id=id,
        at=to_moment(at),
        worthy=bool(worthy),
        verdict=verdict,
        reason=reason,
        key=key,
        category=category,
        source=source,
        memory=memory,
    )
