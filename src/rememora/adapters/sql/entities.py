"""Entities in SQL: a mention is counted by the statement that stores it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.adapters.sql.columns import RowDecoder, from_json, of_person, or_none, to_micros
from rememora.adapters.sql.transaction import Repository
from rememora.domain.entity import Entity, Mention
from rememora.domain.ids import new_id
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason


class SqlEntities(Repository):
    """The structured things a user mentions, in SQL."""

    def get(self, scope: Scope, key: str) -> Entity | None:
        return self._find("entity", {**of_person(scope), "key": key}, lambda row: _entity.of(scope, row))

    def mention(self, scope: Scope, mention: Mention, *, at: datetime, hidden: Reason | None = None) -> Entity:
        row = self._tx.one(
            "mention_entity",
            {
                **of_person(scope),
                "key": mention.key,
                "id": new_id(),
                "type": mention.type,
                "value": msgspec.json.encode(mention.value).decode(),
                "confidence": mention.confidence,
                "conversation": mention.conversation or "",
                "at": to_micros(at),
                "judged": hidden,
            },
        )
        assert row is not None
        return _entity.of(scope, row)

    def evict(self, scope: Scope, *, keep: str, cap: int) -> list[str]:
        rows = self._tx.all("evict_entities", {**of_person(scope), "keep": keep, "others": cap - 1})
        return [row[0] for row in rows]

    def add(self, scope: Scope, entity: Entity) -> bool:
        columns = {
            **msgspec.structs.asdict(entity),
            **of_person(scope),
            "value": msgspec.json.encode(entity.value).decode(),
            "conversation": entity.conversation or "",
            "forgotten": int(entity.forgotten),
            "created_at": to_micros(entity.created_at),
            "updated_at": to_micros(entity.updated_at),
        }
        return self._tx.run("add_entity", columns) == 1

    def judged(self, scope: Scope, id: str) -> Reason | None:
        return self._find("entity_judged", {**of_person(scope), "id": id}, lambda row: row[0])

    def hide(self, scope: Scope, id: str, *, judged: Reason | None, hidden: Reason | None) -> None:
        self._tx.send("hide_entity", {**of_person(scope), "id": id, "judged": judged, "hidden": hidden})

    def top(self, scope: Scope, *, limit: int, type: str | None = None) -> list[Entity]:
        rows = self._tx.all("entities", {**of_person(scope), "limit": limit, "type": type})
        return [_entity.of(scope, row) for row in rows]

    def every(self, scope: Scope) -> list[Entity]:
        return [_entity.of(scope, row) for row in self._tx.all("every_entity", of_person(scope))]

    def forget(self, scope: Scope, target: str | None = None) -> list[Entity]:
        rows = self._tx.all("forget_entities", {**of_person(scope), "target": target})
        return [_entity.of(scope, row) for row in rows]

    def restore(self, scope: Scope, target: str | None = None) -> list[Entity]:
        rows = self._tx.all("restore_entities", {**of_person(scope), "target": target})
        return [_entity.of(scope, row) for row in rows]

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        whose = of_person(scope)
        if plan.person:
            return self._tx.run("erase_entities", whose)
        gone = sum(self._tx.run("erase_entity", {**whose, "key": key}) for key in plan.keys)
        gone += sum(self._tx.run("erase_entity_with_id", {**whose, "id": id}) for id in plan.entities)
        if plan.conversation is not None:
            there = {**whose, "conversation": plan.conversation}
            gone += self._tx.run("erase_entities_of_conversation", there)
        return gone


# Columns in the order of the queries of entities.
_entity = RowDecoder(
    Entity,
    "id key type value confidence conversation mentions forgotten created_at updated_at hidden",
    value=from_json,
    conversation=or_none,
    forgotten=bool,
)
