"""The index in SQL: entries and vectors here, texts read from where they live."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Final

from rememora.adapters.sql.columns import of_conversation, of_person, to_json, to_micros
from rememora.adapters.sql.index_sources import EMBEDDED, SOURCE_OF, SOURCES, STANDING_OF, facts_of
from rememora.adapters.sql.transaction import Repository, Row, Transaction
from rememora.domain.hit import SAID, IndexItem, ItemKey, Kind
from rememora.domain.message import Message
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.index import Embedded, EmbeddingModel, EmbeddingRun, IndexChanges, RunState

_RESET = "reset"
_CONVERSATION = "conversation"
_LEASE = "index"
_GONE = "gone"
_MEMORY: Final = "memory"
_ACTIVE, _DEPRECATED, _SAID_OUTRIGHT = "active", "deprecated", "explicit_user"
UNREADABLE = b""
"""Features of an entry whose item may not be read now: nobody looks at it until it is told of again."""
_ALL = 2**62
_TOO_MANY = IndexChanges(items=(), gone=(), gone_conversations=(), reset=0, newest=0, more=True)
_NOTHING = IndexChanges(items=(), gone=(), gone_conversations=(), reset=0, newest=0, more=False)
_NUMBER = itemgetter(3)


class SqlIndex(Repository):
    """One user's index, in SQL; it reads the vectors of one model, since those of two must not be compared."""

    def __init__(self, transaction: Transaction, model: str | None = None) -> None:
        super().__init__(transaction)
        self._model = model

    def put(self, scope: Scope, keys: Sequence[ItemKey]) -> None:
        number = self._begun(scope)
        entries = [_entry(scope, key) for key in keys]
        numbered = [{**entry, "number": number + place} for place, entry in enumerate(entries, 1)]
        # A vector stands for the text it was made of: what says something else has none until it is embedded.
        if len(entries) == 1:
            self._tx.send("drop_vector", entries[0])
            self._tx.send("put_entry", numbered[0])
        else:
            self._tx.many("drop_vector", entries)
            self._tx.many("put_entry", numbered)

    def put_messages(self, scope: Scope, spoken: Sequence[Message]) -> int:
        place = of_conversation(scope)
        if len(spoken) == 1:
            start = first_number()
            row = self._tx.one("put_message", {**place, "id": spoken[0].id, "start": start})
            assert row is not None
            before = int(row[0]) - 1
            if before == start:
                self._begin(scope, start)
            return before
        newest = self._begun(scope)
        span = {"first": spoken[0].seq, "last": spoken[-1].seq, "newest": newest}
        self._tx.send("put_messages", {**place, **span})
        return newest

    def touch(self, scope: Scope, key: ItemKey) -> int:
        touched = {**_entry(scope, key), "number": self._newest(scope) + 1, "unread": UNREADABLE}
        return self._tx.run("touch_entry", touched)

    def drop(self, scope: Scope, keys: Sequence[ItemKey]) -> int:
        number = self._newest(scope)
        vectors = 0
        for place, key in enumerate(keys, 1):
            entry = _entry(scope, key)
            vectors += self._tx.run("drop_vector", entry)
            self._tx.send("drop_entry", {**entry, "number": number + place})
        return vectors

    def drop_conversation(self, scope: Scope) -> int:
        place = of_conversation(scope)
        number = self._newest(scope) + 1
        vectors = self._tx.run("drop_conversation_vectors", place)
        if self._tx.run("drop_conversation_entries", place):
            self._tx.send("mark_gone", {**place, "kind": _CONVERSATION, "number": number})
        return vectors

    def clear(self, scope: Scope) -> int:
        number = self._newest(scope) + 1
        vectors = self._tx.run("clear_vectors", of_person(scope))
        if self._tx.run("clear_entries", of_person(scope)):
            self._tx.send("mark_gone", {**of_person(scope), "kind": _RESET, "conversation": "", "number": number})
        return vectors

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        if plan.person and plan.history:
            return self.clear(scope)
        vectors = 0
        if plan.conversation is not None and plan.history:
            vectors = self.drop_conversation(scope.within(plan.conversation))
        return vectors + self.drop(scope, [*self._found(scope, plan)])

    def changes(self, scope: Scope, *, after: int, limit: int, vectors: bool = True) -> IndexChanges:
        rows = self._tx.all("changed_keys", {**of_person(scope), "after": after, "limit": limit})
        gone = [row for row in rows if row[4] == _GONE]
        present = [(row[0], row[3]) for row in rows if row[4] != _GONE]
        items = self._items(scope, present, vectors=vectors)
        return IndexChanges(
            items=tuple(sorted(items, key=lambda item: item.number)),
            gone=tuple(_key(row) for row in gone if row[0] not in (_RESET, _CONVERSATION)),
            gone_conversations=tuple(row[1] for row in gone if row[0] == _CONVERSATION),
            reset=max((row[3] for row in gone if row[0] == _RESET), default=0),
            newest=rows[-1][3] if rows else after,
            more=len(rows) == limit,
            # The reader has seen numbers that the store does not have any more: it was restored from a backup.
            anew=not rows and after > 0 and self._newest(scope) < after,
        )

    def exceeds(self, scope: Scope, rows: int) -> bool:
        return self._count(scope, most=rows + 1) > rows

    def _count(self, scope: Scope, *, most: int) -> int:
        return self._number("count_entries", {**of_person(scope), "limit": most})

    def load(
        self, scope: Scope, *, after: int, limit: int, mark: bytes, vectors: bool = True, whole: bool = False
    ) -> IndexChanges:
        page = {**of_person(scope), "after": after, "limit": limit}
        # Whoever fits is read in the order of the keys: entries and vectors lie in it, each beside the last.
        count = 0 if after else self._count(scope, most=limit + 1)
        only_whole, whole = whole, not after and count <= limit
        if only_whole and not whole:
            return _TOO_MANY
        if whole and not count:
            return _NOTHING
        model = (self._model if vectors else None) or ""
        rows = self._tx.all("every_entry" if whole else "changed_entries", {**page, "model": model})
        if whole:
            rows.sort(key=_NUMBER)
        gone = [row for row in rows if row[4] == _GONE]
        entries = [row for row in rows if row[4] != _GONE] if gone else rows
        newest = rows[-1][3] if rows else after
        known = self._tx.all("memory_facts", of_person(scope)) if entries else []
        memories = {row[0]: facts_of(row) for row in known if row[1] == _ACTIVE}
        # Features that begin with `mark` say all that the ranking reads; of a memory, beside its facts.
        missing = [
            (row[0], row[3])
            for row in entries
            if (row[5] or b"")[: len(mark)] != mark
            or (row[0] not in SAID and not (row[0] == _MEMORY and row[2] in memories))
        ]
        items = self.standing(scope, missing) if missing else []
        if len(items) < len(missing):
            unreadable = {number for _, number in missing} - {item.number for item in items}
            entries = [row for row in entries if row[3] not in unreadable]
        return IndexChanges(
            items=tuple(items),
            entries=entries,
            memories=memories,
            superseded=_superseded(known),
            gone=tuple(_key(row) for row in gone if row[0] not in (_RESET, _CONVERSATION)),
            gone_conversations=tuple(row[1] for row in gone if row[0] == _CONVERSATION),
            reset=max((row[3] for row in gone if row[0] == _RESET), default=0),
            newest=newest,
            more=not whole and len(rows) == limit,
        )

    def featureless(self, scope: Scope, *, limit: int) -> list[tuple[int, IndexItem | None]]:
        numbers = self._tx.all("featureless_numbers", {**of_person(scope), "limit": limit})
        items = {item.number: item for item in self._items(scope, numbers, vectors=False)}
        return [(number, items.get(number)) for _, number in numbers]

    def put_features(self, scope: Scope, features: Sequence[tuple[int, bytes | None]]) -> None:
        place = of_person(scope)
        made = ({**place, "seen": number, "features": made or UNREADABLE} for number, made in features)
        self._tx.many("put_features", made)

    def standing(self, scope: Scope, numbers: Sequence[tuple[Kind, int]]) -> list[IndexItem]:
        place = of_person(scope)
        return [
            SOURCES[SOURCE_OF[kind]](row)
            for kind, of_kind in _by_kind(numbers).items()
            for row in self._tx.all(
                STANDING_OF.get(kind, SOURCE_OF[kind]), {**place, "numbers": of_kind, "model": ""}
            )
        ]

    def waiting(self, scope: Scope, *, limit: int) -> list[IndexItem]:
        return self._numbered(scope, self._tx.all("waiting_numbers", {**of_person(scope), "limit": limit}))

    def embed(self, scope: Scope, embedded: Sequence[Embedded], *, run: EmbeddingRun) -> int:
        number = self._newest(scope)
        stored = 0
        for place, item in enumerate(embedded, 1):
            entry = {**_entry(scope, item.key), "seen": item.number, "run": run.number}
            state = "failed" if item.vector is None else EMBEDDED
            settled = {"number": number + place, "state": state, "features": item.features}
            if self._tx.run("settle_entry", {**entry, **settled}):
                stored += self._put_vector(scope, item, run)
        return stored

    def settled(self, scope: Scope, *, run: EmbeddingRun, after: int, limit: int) -> list[IndexItem]:
        page = {**of_person(scope), "run": run.number, "after": after, "limit": limit}
        return self._numbered(scope, self._tx.all("settled_numbers", page))

    def embed_beside(self, scope: Scope, embedded: Sequence[Embedded], *, run: EmbeddingRun) -> int:
        stored = 0
        for embedded_item in embedded:
            entry = {**_entry(scope, embedded_item.key), "seen": embedded_item.number, "run": run.number}
            if self._tx.run("settle_beside", entry):
                stored += self._put_vector(scope, embedded_item, run)
        return stored

    def drop_model(self, scope: Scope, model: str) -> int:
        return self._tx.run("drop_model", {**of_person(scope), "model": model})

    def _put_vector(self, scope: Scope, embedded: Embedded, run: EmbeddingRun) -> int:
        if embedded.vector is None:
            return 0
        made = {"model": run.model.key, "vector": embedded.vector}
        return self._tx.run("put_vector", {**_entry(scope, embedded.key), **made})

    def _numbered(self, scope: Scope, numbers: Sequence[Row]) -> list[IndexItem]:
        """The items of some kinds and numbers, oldest change first."""
        return sorted(self._items(scope, numbers, vectors=False), key=lambda item: item.number)

    def _found(self, scope: Scope, plan: ErasurePlan) -> Iterator[ItemKey]:
        """Entries of memories and entities that are gone; messages that stay keep theirs."""
        for row in self._tx.all("knowledge_entries", of_person(scope)):
            if plan.person or row[2] in plan.memories or row[2] in plan.entities:
                yield _key(row)

    def _newest(self, scope: Scope) -> int:
        return self._number("newest_change", of_person(scope))

    def _begun(self, scope: Scope) -> int:
        """The number of the last change; where there is none, numbers begin, and whoever knows others is told."""
        newest = self._newest(scope)
        if newest:
            return newest
        start = first_number()
        self._begin(scope, start)
        return start

    def _begin(self, scope: Scope, start: int) -> None:
        self._tx.send("mark_gone", {**of_person(scope), "kind": _RESET, "conversation": "", "number": start})

    def _items(self, scope: Scope, numbers: Sequence[Row], *, vectors: bool) -> list[IndexItem]:
        """The items of some kinds and numbers, in any order: one question for each kind among them."""
        params = {**of_person(scope), "model": (self._model if vectors else None) or ""}
        return [
            SOURCES[SOURCE_OF[kind]](row)
            for kind, of_kind in _by_kind(numbers).items()
            for row in self._tx.all(SOURCE_OF[kind], {**params, "numbers": of_kind})
        ]


class SqlIndexKeeper(Repository):
    """The operator's view: every user's index."""

    def claim(self, *, owner: str, now: datetime, until: datetime) -> bool:
        lease = {"name": _LEASE, "owner": owner, "now": to_micros(now), "until": to_micros(until)}
        return self._tx.run("claim_lease", lease) == 1

    def release(self, *, owner: str) -> None:
        self._tx.run("release_lease", {"name": _LEASE, "owner": owner})

    def scopes_waiting(self, *, limit: int) -> list[Scope]:
        return [Scope(row[0], row[1]) for row in self._tx.all("scopes_waiting", {"limit": limit})]

    def scopes_above(self, *, rows: int) -> list[Scope]:
        return [Scope(row[0], row[1]) for row in self._tx.all("scopes_above", {"rows": rows})]

    def scopes_featureless(self, *, limit: int) -> list[Scope]:
        return [Scope(row[0], row[1]) for row in self._tx.all("scopes_featureless", {"limit": limit})]

    def note_features(self, mark: bytes) -> None:
        if self._tx.run("note_features", {"version": mark.hex()}):
            self._tx.run("drop_other_features", {"mark": mark})

    def lag(self, *, most: int | None = None) -> int:
        return self._number("index_lag", {"most": _ALL if most is None else most})

    def refused(self) -> int:
        return self._number("refused_items", {})

    def wait_again(self) -> int:
        return self._tx.run("wait_again", {})

    def items(self) -> int:
        return self._number("indexed_items", {})

    def runs(self) -> list[EmbeddingRun]:
        return [
            EmbeddingRun(number=number, model=EmbeddingModel(name, dimension), state=state)
            for number, name, dimension, state in self._tx.all("embedding_runs", {})
        ]

    def add_run(self, run: EmbeddingRun) -> None:
        model = {"name": run.model.name, "dimension": run.model.dimension}
        self._tx.run("add_embedding_run", {"run": run.number, **model, "state": run.state})

    def change_run(self, number: int, state: RunState) -> None:
        self._tx.run("change_embedding_run", {"run": number, "state": state})

    def drop_run(self, number: int) -> None:
        self._tx.run("drop_embedding_run", {"run": number})

    def wait_for(self, run: EmbeddingRun) -> int:
        return self._tx.run("wait_for_run", {"run": run.number})

    def unsettled(self, run: EmbeddingRun) -> int:
        return self._number("settled_items", {"run": run.number})

    def scopes_settled(self, run: EmbeddingRun, *, after: Scope | None, limit: int) -> list[Scope]:
        rows = self._tx.all("scopes_settled", {**_after(after), "run": run.number, "limit": limit})
        return [Scope(row[0], row[1]) for row in rows]

    def scopes_of(self, model: str, *, after: Scope | None, limit: int) -> list[Scope]:
        rows = self._tx.all("scopes_of_model", {**_after(after), "model": model, "limit": limit})
        return [Scope(row[0], row[1]) for row in rows]


def first_number() -> int:
    """Return the first number of an owner: above every number a reader may know of an erased namesake.

    Nothing of an erased tenant is kept to compare with. Nobody changes a thousand times in a millisecond, and by
    whole thousands, so that periodic work after every N changes keeps its rhythm.
    """
    return time.time_ns() // 1_000_000 * 1_000


def _superseded(known: Sequence[Row]) -> frozenset[str]:
    """Messages whose facts, said outright, have all been replaced, from rows of `memory_facts`."""
    replaced = {row[3] for row in known if row[1] == _DEPRECATED and row[2] == _SAID_OUTRIGHT and row[3]}
    return frozenset(replaced.difference(row[3] for row in known if row[1] == _ACTIVE))


def _by_kind(numbers: Iterable[tuple[Kind, int]]) -> dict[Kind, str | None]:
    """Numbers of each kind, as JSON."""
    grouped: dict[Kind, list[int]] = {}
    for kind, number in numbers:
        grouped.setdefault(kind, []).append(number)
    return {kind: to_json(of_kind) for kind, of_kind in grouped.items()}


def _after(scope: Scope | None) -> dict[str, object]:
    """No name is empty: before all of them stands nothing."""
    return {"tenant": "", "user": ""} if scope is None else of_person(scope)


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
