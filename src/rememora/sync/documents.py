"""`UserDocuments` without `await`; `make sync` writes this file from `handles/documents.py`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from rememora.domain.document import StoredDocument
from rememora.domain.message import Page
from rememora.handles import documents as wrapped
from rememora.portal import Portal


class SyncUserDocuments:
    """The documents of one kind (`space`) of one user: plain JSON under a key, at most 64 KiB each.

    The gate does not judge them, recall does not find them, and no model sees them; export and erasure of
    the person reach them, and writes count into the quota `documents`.
    """

    def __init__(self, portal: Portal, inner: wrapped.UserDocuments) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def get(self, key: str, *, expired: bool = False) -> StoredDocument | None:
        """The document with this key, with `expired` also one whose time is over; None where there is none."""
        return self._portal.run(self._inner.get(key, expired=expired))

    def put(
        self, key: str, value: Mapping[str, Any], *, ttl: timedelta | None = None, over: int | None = None
    ) -> StoredDocument:
        """Write a document in place of the one with this key.

        `ttl` is how long it lives. With `over` it takes only the place of that version (0: only where there is
        none), else `ChangedMeanwhile`."""
        return self._portal.run(self._inner.put(key, value, ttl=ttl, over=over))

    def delete(self, key: str, *, over: int | None = None) -> bool:
        """Remove the document with this key, with `over` only in that version; return whether there was one."""
        return self._portal.run(self._inner.delete(key, over=over))

    def prolong(self, key: str, ttl: timedelta | None) -> bool:
        """Let a document live so long from now on, or for ever; its version stays."""
        return self._portal.run(self._inner.prolong(key, ttl))

    def page(self, *, prefix: str = "", limit: int = 50, after: str | None = None) -> Page[StoredDocument]:
        """List the documents whose key begins with `prefix`, also those whose time is over."""
        return self._portal.run(self._inner.page(prefix=prefix, limit=limit, after=after))

    def all(self, *, prefix: str = "", expired: bool = False) -> list[StoredDocument]:
        """Return every document whose key begins with `prefix`, with `expired` also those whose time is over."""
        return self._portal.run(self._inner.all(prefix=prefix, expired=expired))

    def expire(self) -> int:
        """Remove the documents whose time is over; returns how many that were."""
        return self._portal.run(self._inner.expire())
