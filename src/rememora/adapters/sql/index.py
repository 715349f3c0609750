"""The index in SQL: entries and vectors here, texts read from where they live."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from rememora.adapters.sql.columns import from_json, to_micros, to_moment
from rememora.adapters.sql.transaction import Row, Transaction
from rememora.domain.hit import Item, ItemKey
from rememora.domain.message import Attachment
from rememora.domain.receipt import Doomed
from rememora.domain.scope import Scope
from rememora.ports.index import Changes, Embedded, EmbeddingModel

_RESET = "reset"
_CONVERSATION = "conversation"
_LEASE = "index"
_attachments = msgspec.json.Decoder(tuple[Attachment, ...]).decode


class SqlIndex:
    """One user's index, in SQL."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def put(self, scope: Scope, keys: Sequence[ItemKey]) -> None:
        number = self._newest(scope)
        entries = [{**_entry(scope, key), "number": number + place} for place, key in enumerate(keys, 1)]
        if len(entries) == 1:
            self._tx.run("put_entry", entries[0])
        else:
            self._tx.many("put_entry", entries)

    def drop(self, scope: Scope, keys: Sequence[ItemKey]) -> int:
        number = self._newest(scope)
        vectors = 0
        for place, key in enumerate(keys, 1):
            entry = _entry(scope, key)
            vectors += self._tx.run("drop_vector", entry)
            self._tx.run("drop_entry", {**entry, "number": number + place})
        return vectors

    def drop_conversation(self, scope: Scope) -> int:
        place = {**_owner(scope), "conversation": scope.conversation}
        number = self._newest(scope) + 1
        vectors = self._tx.run("drop_conversation_vectors", place)
        if self._tx.run("drop_conversation_entries", place):
            self._tx.run("mark_gone", {**place, "kind": _CONVERSATION, "number": number})
        return vectors

    def clear(self, scope: Scope) -> int:
        number = self._newest(scope) + 1
        vectors = self._tx.run("clear_vectors", _owner(scope))
        if self._tx.run("clear_entries", _owner(scope)):
            self._tx.run("mark_gone", {**_owner(scope), "kind": _RESET, "conversation": "", "number": number})
        return vectors

    def erase(self, scope: Scope, doomed: Doomed) -> int:
        if doomed.person and doomed.history:
            return self.clear(scope)
        vectors = 0
        if doomed.conversation is not None and doomed.history:
            vectors = self.drop_conversation(scope.within(doomed.conversation))
        return vectors + self.drop(scope, [*self._found(scope, doomed)])

    def changes(self, scope: Scope, *, after: int, limit: int) -> Changes:
        numbers = self._tx.all("changed_numbers", {**_owner(scope), "after": after, "limit": limit})
        newest = numbers[-1][0] if numbers else after
        span = {**_owner(scope), "after": after, "until": newest}
        gone = self._tx.all("gone_after", span) if numbers else []
        return Changes(
            items=tuple(self._items(span)) if numbers else (),
            gone=tuple(_key(row) for row in gone if row[0] not in (_RESET, _CONVERSATION)),
            gone_conversations=tuple(row[1] for row in gone if row[0] == _CONVERSATION),
            reset=any(row[0] == _RESET for row in gone),
            newest=newest,
            more=len(numbers) == limit,
        )

    def waiting(self, scope: Scope, *, limit: int) -> list[Item]:
        numbers = self._tx.all("waiting_numbers", {**_owner(scope), "limit": limit})
        wanted = {row[0] for row in numbers}
        if not wanted:
            return []
        span = {**_owner(scope), "after": min(wanted) - 1, "until": max(wanted)}
        return [item for item in self._items(span) if item.number in wanted]

    def embed(self, scope: Scope, embedded: Sequence[Embedded]) -> int:
        number = self._newest(scope)
        stored = 0
        for place, each in enumerate(embedded, 1):
            entry = _entry(scope, each.key)
            state = "failed" if each.vector is None else "embedded"
            settled = {**entry, "number": number + place, "seen": each.number, "state": state}
            if self._tx.run("settle_entry", settled) and each.vector is not None:
                self._tx.run("put_vector", {**entry, "vector": each.vector})
                stored += 1
        return stored

    def _found(self, scope: Scope, doomed: Doomed) -> Iterator[ItemKey]:
        """Entries of memories and entities that are gone; messages that stay keep theirs."""
        for row in self._tx.all("knowledge_entries", _owner(scope)):
            if doomed.person or row[2] in doomed.memories or row[2] in doomed.entities:
                yield _key(row)

    def _newest(self, scope: Scope) -> int:
        row = self._tx.one("newest_change", _owner(scope))
        return int(row[0]) if row else 0

    def _items(self, span: dict[str, object]) -> list[Item]:
        found = [make(row) for name, make in _SOURCES.items() for row in self._tx.all(name, span)]
        return sorted(found, key=lambda item: item.number)


class SqlIndexKeeper:
    """The operator's view: every user's index."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def claim(self, *, owner: str, now: datetime, until: datetime) -> bool:
        lease = {"name": _LEASE, "owner": owner, "now": to_micros(now), "until": to_micros(until)}
        return self._tx.run("claim_lease", lease) == 1

    def release(self, *, owner: str) -> None:
        self._tx.run("release_lease", {"name": _LEASE, "owner": owner})

    def scopes_waiting(self, *, limit: int) -> list[Scope]:
        return [Scope(row[0], row[1]) for row in self._tx.all("scopes_waiting", {"limit": limit})]

    def lag(self) -> int:
        row = self._tx.one("index_lag", {})
        return int(row[0]) if row else 0

    def model(self) -> EmbeddingModel | None:
        row = self._tx.one("embedding_model", {})
        return EmbeddingModel(row[0], row[1]) if row else None

    def set_model(self, model: EmbeddingModel) -> None:
        self._tx.run("forget_embedding_model", {})
        self._tx.run("set_embedding_model", {"name": model.name, "dimension": model.dimension})

    def forget_vectors(self) -> int:
        self._tx.run("forget_vectors", {})
        self._tx.run("forget_embedding_model", {})
        return self._tx.run("wait_again", {})


def _owner(scope: Scope) -> dict[str, object]:
    return {"tenant": scope.tenant, "user": scope.user}


def _entry(scope: Scope, key: ItemKey) -> dict[str, object]:
    return {
        "tenant": scope.tenant,
        "user": scope.user,
        "kind": key.kind,
        "conversation": key.conversation,
        "id": key.id,
    }


def _key(row: Row) -> ItemKey:
    return ItemKey(kind=row[0], conversation=row[1], id=row[2])


def _message(row: Row) -> Item:
    id, conversation, number, content, created_at, seq, role, attachments, metadata, vector = row
    described = (each.description for each in _attachments(attachments)) if attachments else ()
    return Item(
        key=ItemKey("message", id, conversation),
        number=number,
        text="\n".join([content, *filter(None, described)]),
        at=to_moment(created_at),
        position=seq,
        role=role,
        metadata=from_json(metadata),
        vector=vector,
    )


def _memory(row: Row) -> Item:
    id, conversation, number, key, value, category, confidence, evidence, created_at, vector = row
    return Item(
        key=ItemKey("memory", id, conversation),
        number=number,
        text="\n".join(filter(None, [_sentence(key, value), evidence])),
        at=to_moment(created_at),
        category=category,
        importance=confidence,
        metadata={"key": key, "category": category},
        vector=vector,
    )


def _entity(row: Row) -> Item:
    id, number, key, type, value, _, mentions, updated_at, vector = row
    return Item(
        key=ItemKey("entity", id),
        number=number,
        text=_sentence(f"{type} {key}", value),
        at=to_moment(updated_at),
        category=type,
        metadata={"key": key, "type": type, "mentions": mentions},
        vector=vector,
    )


def _sentence(name: str, value: str) -> str:
    """A key and its value as words: `user role title: diretora`."""
    plain = from_json(value)
    said = plain if isinstance(plain, str) else value
    return f"{name.translate(_JOINTS)}: {said}"


_JOINTS = str.maketrans("._-", "   ")
_SOURCES: dict[str, Callable[[tuple[Any, ...]], Item]] = {
    "changed_messages": _message,
    "changed_memories": _memory,
    "changed_entities": _entity,
}
"""For each kind the query that reads its texts, and how a row of it becomes an item."""
