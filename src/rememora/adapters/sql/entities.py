"""Entities in SQL: a mention is counted by the statement that stores it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.adapters.sql.columns import from_json, to_micros, to_moment
from rememora.adapters.sql.index import SqlIndex
from rememora.adapters.sql.transaction import Row, Transaction
from rememora.domain.entity import Entity, Mention
from rememora.domain.hit import ItemKey
from rememora.domain.receipt import Doomed
from rememora.domain.scope import Scope


class SqlEntities:
    """The structured things a user mentions, in SQL."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def mention(self, scope: Scope, mention: Mention, *, at: datetime, cap: int) -> Entity:
        before = self._tx.one("entity_value", {**_whose(scope), "key": mention.key})
        row = self._tx.one(
            "mention_entity",
            {
                **_whose(scope),
                "key": mention.key,
                "type": mention.type,
                "value": msgspec.json.encode(mention.value).decode(),
                "confidence": mention.confidence,
                "conversation": mention.conversation or "",
                "at": to_micros(at),
            },
        )
        assert row is not None
        evicted = self._tx.all("evict_entities", {**_whose(scope), "keep": mention.key, "others": cap - 1})
        index = SqlIndex(self._tx)
        index.drop(scope, [ItemKey("entity", key) for (key,) in evicted])
        if before is None or before[0] != row[2]:
            index.put(scope, [ItemKey("entity", mention.key)])
        return _entity(scope, row)

    def add(self, scope: Scope, entity: Entity) -> bool:
        columns = {
            **msgspec.structs.asdict(entity),
            **_whose(scope),
            "value": msgspec.json.encode(entity.value).decode(),
            "conversation": entity.conversation or "",
            "created_at": to_micros(entity.created_at),
            "updated_at": to_micros(entity.updated_at),
        }
        added = self._tx.run("add_entity", columns) == 1
        if added:
            SqlIndex(self._tx).put(scope, [ItemKey("entity", entity.key)])
        return added

    def top(self, scope: Scope, *, limit: int, type: str | None = None) -> list[Entity]:
        rows = self._tx.all("entities", {**_whose(scope), "limit": limit, "type": type})
        return [_entity(scope, row) for row in rows]

    def erase(self, scope: Scope, doomed: Doomed) -> int:
        whose = _whose(scope)
        if doomed.person:
            return self._tx.run("erase_entities", whose)
        gone = sum(self._tx.run("erase_entity", {**whose, "key": key}) for key in doomed.keys)
        if doomed.conversation is not None:
            there = {**whose, "conversation": doomed.conversation}
            gone += self._tx.run("erase_entities_of_conversation", there)
        return gone


def _whose(scope: Scope) -> dict[str, object]:
    return {"tenant": scope.tenant, "user": scope.user}


def _entity(scope: Scope, row: Row) -> Entity:
    key, type, value, confidence, conversation, mentions, created_at, updated_at = row
    return Entity(
        tenant=scope.tenant,
        user=scope.user,
        key=key,
        type=type,
        value=from_json(value),
        confidence=confidence,
        conversation=conversation or None,
        mentions=mentions,
        created_at=to_moment(created_at),
        updated_at=to_moment(updated_at),
    )
