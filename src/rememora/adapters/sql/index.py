"""The index in SQL: entries and vectors here, texts read from where they live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rememora.adapters.sql.columns import to_micros
from rememora.adapters.sql.index_sources import EMBEDDED, SOURCES
from rememora.adapters.sql.transaction import Row, Transaction
from rememora.domain.hit import Item, ItemKey
from rememora.domain.receipt import Doomed
from rememora.domain.scope import Scope
from rememora.ports.index import Changes, Embedded, EmbeddingModel

_RESET = "reset"
_CONVERSATION = "conversation"
_LEASE = "index"


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

    def put_messages(self, scope: Scope, *, first: int, last: int) -> None:
        places = {"conversation": scope.conversation, "first": first, "last": last}
        self._tx.run("put_messages", {**_owner(scope), **places, "newest": self._newest(scope)})

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

    def changes(self, scope: Scope, *, after: int, limit: int, vectors: bool = True) -> Changes:
        numbers = self._tx.all("changed_numbers", {**_owner(scope), "after": after, "limit": limit})
        newest = numbers[-1][0] if numbers else after
        span = {**_owner(scope), "after": after, "until": newest}
        gone = self._tx.all("gone_after", span) if numbers else []
        return Changes(
            items=tuple(self._items(span, vectors=vectors)) if numbers else (),
            gone=tuple(_key(row) for row in gone if row[0] not in (_RESET, _CONVERSATION)),
            gone_conversations=tuple(row[1] for row in gone if row[0] == _CONVERSATION),
            reset=max((row[3] for row in gone if row[0] == _RESET), default=0),
            newest=newest,
            more=len(numbers) == limit,
            anew=not numbers and after > 0 and self._newest(scope) < after,
        )

    def waiting(self, scope: Scope, *, limit: int) -> list[Item]:
        numbers = self._tx.all("waiting_numbers", {**_owner(scope), "limit": limit})
        wanted = {row[0] for row in numbers}
        if not wanted:
            return []
        span = {**_owner(scope), "after": min(wanted) - 1, "until": max(wanted)}
        return [item for item in self._items(span, vectors=False) if item.number in wanted]

    def embed(self, scope: Scope, embedded: Sequence[Embedded]) -> int:
        number = self._newest(scope)
        stored = 0
        for place, each in enumerate(embedded, 1):
            entry = _entry(scope, each.key)
            state = "failed" if each.vector is None else EMBEDDED
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

    def _items(self, span: dict[str, object], *, vectors: bool) -> list[Item]:
        wanted = {**span, "vectors": int(vectors)}
        found = [make(row) for name, make in SOURCES.items() for row in self._tx.all(name, wanted)]
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

    def scopes_above(self, *, rows: int) -> list[Scope]:
        return [Scope(row[0], row[1]) for row in self._tx.all("scopes_above", {"rows": rows})]

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
