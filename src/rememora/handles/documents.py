"""Documents of a framework, stored next to one user's memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from rememora.documents import delete_document, list_documents, put_document
from rememora.domain.check import check_name
from rememora.domain.document import NewDocument, StoredDocument, check_key
from rememora.domain.message import Page, every_item
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.knowledge import keep
from rememora.wiring.parts import Parts

PAGE = 500


class UserDocuments:
    """The documents of one kind (`space`) of one user: plain JSON under a key, at most 64 KiB each.

    The gate does not judge them, recall does not find them, and no model sees them; export and erasure of
    the person reach them, and writes count into the quota `documents`.
    """

    def __init__(self, parts: Parts, scope: Scope, space: str, *, actor: Actor) -> None:
        self._parts = parts
        self._scope = scope
        self._space = check_name("space", space)
        self._actor = actor

    def __repr__(self) -> str:
        return f"UserDocuments(space={self._space!r}, user={self._scope.user!r}, tenant={self._scope.tenant!r})"

    async def get(self, key: str, *, expired: bool = False) -> StoredDocument | None:
        """Return the document with this key, with `expired` also an expired one; None if there is none."""
        check_key(key)
        await self._look()
        document = await self._parts.store.read(
            self._scope, lambda work: work.documents.get(self._scope, self._space, key), short=True
        )
        return None if document is None or self._is_over(document, expired=expired) else document

    async def put(
        self, key: str, value: Mapping[str, Any], *, ttl: timedelta | None = None, over: int | None = None
    ) -> StoredDocument:
        """Write a document, replacing the one with this key.

        `ttl` is its lifetime. With `over`, only that version is replaced (0: only if there is no document);
        otherwise `ChangedMeanwhile` is raised.
        """
        document = NewDocument(key=key, value=value, expires_at=self._end_of(ttl))
        return await put_document(
            self._parts.store, self._scope, self._space, document, clock=self._parts.clock, over=over
        )

    async def delete(self, key: str, *, over: int | None = None) -> bool:
        """Delete the document with this key, with `over` only that version; return whether there was one."""
        return await delete_document(self._parts.store, self._scope, self._space, check_key(key), over=over)

    async def prolong(self, key: str, ttl: timedelta | None) -> bool:
        """Set the lifetime of a document, counted from now, or remove its limit; its version stays."""
        check_key(key)
        end = self._end_of(ttl)
        return await self._parts.store.write(
            self._scope, lambda work: work.documents.prolong(self._scope, self._space, key, end)
        )

    async def page(self, *, prefix: str = "", limit: int = 50, after: str | None = None) -> Page[StoredDocument]:
        """List the documents whose key begins with `prefix`, expired ones included."""
        await self._look()
        return await list_documents(
            self._parts.store, self._scope, self._space, prefix=prefix, limit=limit, after=after
        )

    async def all(self, *, prefix: str = "", expired: bool = False) -> list[StoredDocument]:
        """Return every document whose key begins with `prefix`, with `expired` also expired ones."""
        documents = every_item(self.page, prefix=prefix, limit=PAGE)
        return [document async for document in documents if not self._is_over(document, expired=expired)]

    async def expire(self) -> int:
        """Delete expired documents; returns how many there were."""
        now = self._parts.clock()
        return await self._parts.store.write(
            self._scope, lambda work: work.documents.expire(self._scope, self._space, now=now)
        )

    def _is_over(self, document: StoredDocument, *, expired: bool) -> bool:
        return not expired and document.is_expired(self._parts.clock())

    def _end_of(self, ttl: timedelta | None) -> datetime | None:
        return None if ttl is None else self._parts.clock() + ttl

    async def _look(self) -> None:
        await keep.look(self._parts.desk, self._scope, actor=self._actor)
