"""Memories and the tries at making them, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from rememora.adapters.sql.columns import RowDecoder, from_json, of_person, to_micros, to_moment, to_moment_or_none
from rememora.adapters.sql.transaction import Repository, Row
from rememora.domain.memory import Attempt, Memory, MemoryFilter, MemoryStanding, Status
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import AGENT_MARK, SHARED, Scope
from rememora.domain.value_span import ValueSpan
from rememora.domain.verdict import Origin
from rememora.ports.knowledge import ActivePeriod

_BEYOND = "\U0010ffff"
"""After every key there can be."""
_BATCH = 1000
"""Number of memories that are read at once where they are narrowed by name."""
_ORIGINS = {origin.value: origin for origin in Origin}


class SqlMemories(Repository):
    """Memories in SQL; their active periods are stored with them."""

    def add(self, scope: Scope, memory: Memory, *, spans: Sequence[ActivePeriod] | None = None) -> None:
        self._tx.send("add_memory", {**_columns(memory), **_place(scope, memory), "user": scope.user})
        place = _place(scope, memory)
        if spans is not None:
            self._tx.many("add_span", [{**place, **_span_columns(span)} for span in spans])
        elif memory.status == "active":
            self._tx.send("open_span", {**place, "key": memory.key, "at": to_micros(memory.created_at)})

    def get(self, scope: Scope, id: str) -> Memory | None:
        return self._find("memory", {**of_person(scope), "id": id}, lambda row: _memory(scope, row))

    def with_ids(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
        params = {**of_person(scope), "ids": msgspec.json.encode(ids).decode()}
        return {row[1]: _memory(scope, row) for row in self._tx.all("memories_with_ids", params)}

    def active(self, scope: Scope, key: str, *, shared: bool) -> Memory | None:
        owner = SHARED if shared else scope.user
        row = self._tx.one("active_memory", {"tenant": scope.tenant, "owner": owner, "key": key})
        return None if row is None else _memory(scope, row)

    def page(
        self, scope: Scope, filters: MemoryFilter, *, limit: int, after: tuple[str, str] | None = None
    ) -> list[Memory]:
        if not filters.names_subject:
            return self._page(scope, filters, limit=limit, after=after)
        matching: list[Memory] = []
        # Names are compared without case and accents, which no engine does alike.
        while len(matching) < limit:
            read = self._page(scope, filters, limit=_BATCH, after=after)
            matching += filter(filters.is_about, read)
            if len(read) < _BATCH:
                break
            after = (read[-1].key, read[-1].id)
        return matching[:limit]

    def _page(
        self, scope: Scope, filters: MemoryFilter, *, limit: int, after: tuple[str, str] | None
    ) -> list[Memory]:
        key, id = after or ("", "")
        suppressed = None if filters.suppressed is None else int(filters.suppressed)
        params = {
            **msgspec.structs.asdict(filters),
            "suppressed": suppressed,
            "first": max(key, filters.prefix or ""),
            # A range of keys instead of LIKE: it uses the index, and no character is a pattern. "/" follows "."
            # in ASCII.
            "last": _BEYOND if filters.prefix is None else f"{filters.prefix}/",
            "tenant": scope.tenant,
            "user": scope.user,
            "after_key": key,
            "after_id": id,
            "limit": limit,
        }
        return [_memory(scope, row) for row in self._tx.all("memories_page", params)]

    def newest(self, scope: Scope, *, shared: bool, limit: int) -> list[Memory]:
        params = {**of_person(scope), "other": SHARED if shared else scope.user, "limit": limit}
        return [_memory(scope, row) for row in reversed(self._tx.all("newest_memories", params))]

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

    def doubt(self, scope: Scope, memory: Memory, by: str | None, *, at: datetime) -> Memory:
        since = None if by is None else at
        marks = {"doubted_at": _micros(since), "doubted_by": by}
        self._tx.send("set_memory_doubt", {**_place(scope, memory), **marks, "at": to_micros(at)})
        return msgspec.structs.replace(memory, doubted_at=since, doubted_by=by, updated_at=at)

    def successors(self, scope: Scope, memory: Memory) -> list[Memory]:
        return [_memory(scope, row) for row in self._tx.all("memory_successors", _place(scope, memory))]

    def succeeded(self, scope: Scope, ids: Sequence[str]) -> set[str]:
        params = {**of_person(scope), "ids": msgspec.json.encode(ids).decode()}
        return {row[0] for row in self._tx.all("succeeded_memories", params)} if ids else set()

    def resting_on(self, scope: Scope, memory: Memory) -> list[Memory]:
        return [_memory(scope, row) for row in self._tx.all("memories_resting_on", _place(scope, memory))]

    def spans(self, scope: Scope, memory: Memory) -> list[ActivePeriod]:
        return [_span(row) for row in self._tx.all("memory_spans", _place(scope, memory))]

    def spans_of_key(self, scope: Scope, key: str) -> list[ActivePeriod]:
        rows = self._tx.all("key_spans", {"tenant": scope.tenant, "owner": scope.user, "key": key})
        return [_span(row) for row in rows]

    def of_key(self, scope: Scope, key: str, *, shared: bool) -> list[Memory]:
        owner = SHARED if shared else scope.user
        rows = self._tx.all("memories_of_key", {"tenant": scope.tenant, "owner": owner, "key": key})
        return [_memory(scope, row) for row in rows]

    def outdated(self, scope: Scope, *, limit: int) -> list[MemoryStanding]:
        return [_state(row) for row in self._tx.all("outdated_memories", {**of_person(scope), "limit": limit})]

    def learned_from(self, scope: Scope, messages: Sequence[tuple[str, str]]) -> dict[str, list[MemoryStanding]]:
        params = {**of_person(scope), "messages": msgspec.json.encode(messages).decode()}
        learned: dict[str, list[MemoryStanding]] = {}
        for message, *state in self._tx.all("memories_learned_from", params) if messages else ():
            learned.setdefault(message, []).append(_state(state))
        return learned

    def agents(self, scope: Scope) -> list[str]:
        first = f"{scope.human}{AGENT_MARK}"
        rows = self._tx.all("agents_of_user", {"tenant": scope.tenant, "first": first})
        return [row[0].removeprefix(first) for row in rows]

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        whose = of_person(scope)
        for id in plan.memories:
            self._tx.run("erase_spans", {**whose, "id": id})
        if plan.person:
            self._tx.run("forget_author", whose)
        return sum(self._tx.run("erase_memory", {**whose, "id": id}) for id in plan.memories)


class SqlAttempts(Repository):
    """Every try at keeping something, in SQL."""

    def add(self, scope: Scope, attempt: Attempt) -> None:
        fields = {**msgspec.structs.asdict(attempt), **of_person(scope)}
        self._tx.send("add_attempt", {**fields, "at": to_micros(attempt.at), "worthy": int(attempt.worthy)})

    def newest(self, scope: Scope, *, limit: int) -> list[Attempt]:
        params = {**of_person(scope), "limit": limit}
        return [_attempt.of(scope, row) for row in self._tx.all("newest_attempts", params)]

    def counts(self, scope: Scope) -> dict[tuple[str, str], int]:
        rows = self._tx.all("count_attempts", {"tenant": scope.tenant})
        return {(verdict, reason): count for verdict, reason, count in rows}

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        whose = of_person(scope)
        if plan.person:
            return self._tx.run("erase_attempts", whose)
        return sum(self._tx.run("erase_attempts_at", {**whose, "key": key}) for key in plan.keys)


def _place(scope: Scope, memory: Memory) -> dict[str, object]:
    owner = SHARED if memory.scope == "tenant_shared" else scope.user
    return {"tenant": scope.tenant, "owner": owner, "id": memory.id}


def _span(row: Row) -> ActivePeriod:
    since, until = row
    return ActivePeriod(since=to_moment(since), until=None if until is None else to_moment(until))


def _span_columns(span: ActivePeriod) -> dict[str, object]:
    until = None if span.until is None else to_micros(span.until)
    return {"since": to_micros(span.since), "until": until}


def _columns(memory: Memory) -> dict[str, object]:
    fields, span = msgspec.structs.asdict(memory), memory.attribute_span
    # The words of the attribute stand in the value: only their place has columns.
    del fields["attribute_span"], fields["attribute_value"]
    return {
        **fields,
        "attribute_start": None if span is None else span.start,
        "attribute_end": None if span is None else span.end,
        "value": msgspec.json.encode(memory.value).decode(),
        "conversation": memory.conversation or "",
        "origin": str(memory.origin),
        "suppressed": int(memory.suppressed),
        **{name: _micros(getattr(memory, name)) for name in ("valid_from", "valid_to", "doubted_at")},
        "created_at": to_micros(memory.created_at),
        "updated_at": to_micros(memory.updated_at),
    }


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def _memory(scope: Scope, row: Row) -> Memory:
    user, id, reach, category, key, value, confidence, status, source, source_ref = row[:10]
    conversation, origin, suppressed, supersedes, evidence, subject, attribute, start, end = row[10:19]
    valid_from, valid_to, follows, because, doubted_at, doubted_by, created_at, updated_at = row[19:]
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
        origin=_ORIGINS[origin],
        suppressed=bool(suppressed),
        supersedes=supersedes,
        evidence=evidence,
        subject=subject,
        attribute=attribute,
        attribute_span=None if start is None or end is None else ValueSpan(start, end),
        valid_from=to_moment_or_none(valid_from),
        valid_to=to_moment_or_none(valid_to),
        follows=follows,
        because=because,
        doubted_at=to_moment_or_none(doubted_at),
        doubted_by=doubted_by,
        created_at=to_moment(created_at),
        updated_at=to_moment(updated_at),
    )


def _state(row: Sequence[Any]) -> MemoryStanding:
    value, evidence, status, doubted_at, updated_at = row
    return MemoryStanding(
        value=from_json(value),
        evidence=evidence,
        status=status,
        doubted_at=to_moment_or_none(doubted_at),
        updated_at=to_moment(updated_at),
    )


_attempt = RowDecoder(Attempt, "id at worthy verdict reason key category source memory", at=to_moment, worthy=bool)
