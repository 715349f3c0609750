"""Port of documents: frameworks' data next to a person's memory, inside a unit of work."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from rememora.domain.document import NewDocument, StoredDocument
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable


class Documents(Erasable, Protocol):
    """The documents of a user, apart by `space`."""

    def get(self, scope: Scope, space: str, key: str) -> StoredDocument | None: ...

    def put(self, scope: Scope, space: str, document: NewDocument, *, at: datetime) -> StoredDocument:
        """Write a document in place of the one with its key; the version counts on."""
        ...

    def add(self, scope: Scope, document: StoredDocument) -> bool:
        """Write a document as another store had it; False where one with its key is here."""
        ...

    def prolong(self, scope: Scope, space: str, key: str, expires_at: datetime | None) -> bool:
        """Let a document expire at another time; neither its version nor its time of change is touched."""
        ...

    def page(
        self, scope: Scope, space: str, *, prefix: str = "", limit: int, after: str | None = None
    ) -> list[StoredDocument]:
        """The documents whose key begins with `prefix`, in order of their ids, from after an id on."""
        ...

    def every(self, scope: Scope) -> list[StoredDocument]:
        """All documents of a user, of every space."""
        ...

    def remove(self, scope: Scope, space: str, key: str) -> bool: ...

    def expire(self, scope: Scope, space: str, *, now: datetime) -> int:
        """Remove what has expired by `now`; returns how many that were."""
        ...

    def texts(self, scope: Scope, plan: ErasurePlan) -> list[str]:
        """The texts of the documents that an erasure reaches, as they are stored."""
        ...
