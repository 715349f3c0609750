"""Port of documents: frameworks' data next to a person's memory, inside a unit of work."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from rememora.domain.document import NewDocument, StoredDocument
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable


class Documents(Erasable, Protocol):
    """The documents of a user, separated by `space`."""

    def get(self, scope: Scope, space: str, key: str) -> StoredDocument | None: ...

    def put(self, scope: Scope, space: str, document: NewDocument, *, at: datetime) -> StoredDocument:
        """Write a document, replacing the one with its key; the version is counted up."""

    def add(self, scope: Scope, document: StoredDocument) -> bool:
        """Write a document as another store had it; False if its key is taken."""

    def prolong(self, scope: Scope, space: str, key: str, expires_at: datetime | None) -> bool:
        """Change when a document expires; its version and its time of change stay."""

    def page(
        self, scope: Scope, space: str, *, prefix: str = "", limit: int, after: str | None = None
    ) -> list[StoredDocument]:
        """List the documents whose key begins with `prefix`, by id, after an id."""

    def every(self, scope: Scope) -> list[StoredDocument]:
        """List all documents of a user, of every space."""

    def remove(self, scope: Scope, space: str, key: str) -> bool: ...

    def expire(self, scope: Scope, space: str, *, now: datetime) -> int:
        """Delete what has expired by `now`; returns how many there were."""

    def texts(self, scope: Scope, plan: ErasurePlan) -> list[str]:
        """Return the texts of the documents that an erasure reaches, as they are stored."""
