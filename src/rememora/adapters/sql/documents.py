"""Documents of frameworks in SQL: one row each, whose version is counted by the statement that writes it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rememora.adapters.sql.columns import RowDecoder, from_json, of_person, to_micros
from rememora.adapters.sql.transaction import Repository
from rememora.domain.document import NewDocument, StoredDocument, document_id
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope

LAST = "\U0010ffff"
"""Comes after every other character, in the order that both engines compare text in."""


class SqlDocuments(Repository):
    """The documents of a user, in SQL."""

    def get(self, scope: Scope, space: str, key: str) -> StoredDocument | None:
        return self._find("document", _one(scope, space, key), lambda row: _document.of(scope, row))

    def put(self, scope: Scope, space: str, document: NewDocument, *, at: datetime) -> StoredDocument:
        row = self._tx.one(
            "put_document",
            {
                **_one(scope, space, document.key),
                "key": document.key,
                "value": msgspec.json.encode(document.value).decode(),
                "at": to_micros(at),
                "expires_at": _micros(document.expires_at),
            },
        )
        assert row is not None
        return _document.of(scope, row)

    def add(self, scope: Scope, document: StoredDocument) -> bool:
        columns = {
            **_one(scope, document.space, document.key),
            "key": document.key,
            "value": msgspec.json.encode(document.value).decode(),
            "version": document.version,
            "created_at": to_micros(document.created_at),
            "updated_at": to_micros(document.updated_at),
            "expires_at": _micros(document.expires_at),
        }
        return self._tx.run("add_document", columns) == 1

    def prolong(self, scope: Scope, space: str, key: str, expires_at: datetime | None) -> bool:
        return (
            self._tx.run("prolong_document", {**_one(scope, space, key), "expires_at": _micros(expires_at)}) == 1
        )

    def page(
        self, scope: Scope, space: str, *, prefix: str = "", limit: int, after: str | None = None
    ) -> list[StoredDocument]:
        bounds = {"prefix": prefix, "end": prefix + LAST, "after": after or "", "limit": limit}
        rows = self._tx.all("documents", {**of_person(scope), "space": space, **bounds})
        return [_document.of(scope, row) for row in rows]

    def every(self, scope: Scope) -> list[StoredDocument]:
        return [_document.of(scope, row) for row in self._tx.all("every_document", of_person(scope))]

    def remove(self, scope: Scope, space: str, key: str) -> bool:
        return self._tx.run("remove_document", _one(scope, space, key)) == 1

    def expire(self, scope: Scope, space: str, *, now: datetime) -> int:
        return self._tx.run("expire_documents", {**of_person(scope), "space": space, "now": to_micros(now)})

    def texts(self, scope: Scope, plan: ErasurePlan) -> list[str]:
        whose = of_person(scope)
        if plan.person:
            return [row[0] for row in self._tx.all("document_texts", whose)]
        return [row[0] for id in plan.memories for row in self._tx.all("document_texts_of", {**whose, "key": id})]

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        """Remove all of a person's, or those that are named after a memory that goes."""
        whose = of_person(scope)
        if plan.person:
            return self._tx.run("erase_documents", whose)
        return sum(self._tx.run("erase_documents_of", {**whose, "key": id}) for id in plan.memories)


def _one(scope: Scope, space: str, key: str) -> dict[str, object]:
    return {**of_person(scope), "space": space, "id": document_id(key)}


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


_document = RowDecoder(StoredDocument, "space key value version created_at updated_at expires_at", value=from_json)
