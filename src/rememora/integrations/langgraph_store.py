"""LangGraph's `BaseStore` over Rememora: documents by namespace and key, with filters, TTL and vector search.

Documents are the host's own data: they are separate from knowledge about a person, pass no gate, and reach no
model but through their readers here. The tenant is given with the store and is part of no namespace.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple, Self, cast

import msgspec

from rememora.app import Rememora
from rememora.domain.document import StoredDocument
from rememora.errors import InvalidInput, MissingExtra
from rememora.handles.documents import UserDocuments
from rememora.integrations.bridge import Bridge
from rememora.integrations.langgraph_match import (
    DocumentContents,
    beginning_of,
    cosines,
    meets,
    name_of,
    namespaces_of,
    shared_words,
)
from rememora.integrations.vectors import packed
from rememora.sync import SyncRememora

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError:
    raise MissingExtra("langgraph") from None

SPACE = "langgraph"
USER = "langgraph"
MINUTE = 60.0
SWEEP_MINUTES = 5.0
WHOLE = "$"
ANY = "*"
"""A label of a pattern that stands for any one label."""
Path = tuple[str, ...]


class RememoraStore(BaseStore):
    """A store for `compile(store=…)`, `create_agent(store=…)` and `get_store()`.

    `user` is whose documents they are: a name for all of the graph's, unless one person is named. With
    `user_label` the label at that place of every namespace names the person, and so erasure and export of that
    person reach them.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Rememora | SyncRememora,
        *,
        tenant: str,
        user: str = USER,
        user_label: int | None = None,
        index: Mapping[str, Any] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self._bridge = Bridge(memory)
        self._tenant, self._user, self._label = tenant, user, user_label
        self.ttl_config = ttl
        self.index_config = None if index is None else dict(index)
        self.embeddings = None if index is None else ensure_embeddings(index.get("embed"))
        fields = (index or {}).get("fields") or (index or {}).get("text_fields") or [WHOLE]
        self._fields = [(path, _steps(path)) for path in fields]
        self._sweeper: threading.Event | asyncio.Task[None] | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations from a plain thread; reads see what stood before the writes of the same batch."""
        return self._bridge.run(self._batch(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; reads see what stood before the writes of the same batch."""
        return await self._bridge.call(self._batch(list(ops)))

    def sweep_ttl(self) -> int:
        """Remove what has expired, and say how much that was; from a plain thread."""
        return self._bridge.run(self._sweep())

    async def asweep_ttl(self) -> int:
        """Remove what has expired, and say how much that was."""
        return await self._bridge.call(self._sweep())

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> threading.Event:
        """Sweep every few minutes in a thread, until `stop_ttl_sweeper`."""
        seconds = self._interval(sweep_interval_minutes)
        stop = threading.Event()

        def sweep() -> None:
            while not stop.wait(seconds):
                self.sweep_ttl()

        threading.Thread(target=sweep, name="rememora-ttl", daemon=True).start()
        self._sweeper = stop
        return stop

    async def astart_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> asyncio.Task[None]:
        """Sweep every few minutes in a task, until `astop_ttl_sweeper`."""
        seconds = self._interval(sweep_interval_minutes)

        async def sweep() -> None:
            while True:
                await asyncio.sleep(seconds)
                await self.asweep_ttl()

        self._sweeper = asyncio.create_task(sweep())
        return self._sweeper

    def stop_ttl_sweeper(self) -> bool:
        """End the sweeping thread."""
        if isinstance(self._sweeper, threading.Event):
            self._sweeper.set()
        self._sweeper = None
        return True

    async def astop_ttl_sweeper(self) -> bool:
        """End the sweeping task."""
        if isinstance(self._sweeper, asyncio.Task):
            self._sweeper.cancel()
        self._sweeper = None
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_ttl_sweeper()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.astop_ttl_sweeper()

    def _interval(self, minutes: float | None) -> float:
        self._check_sweeps()
        config: Mapping[str, Any] = cast("Mapping[str, Any]", self.ttl_config or {})
        return MINUTE * float(minutes or config.get("sweep_interval_minutes") or SWEEP_MINUTES)

    async def _batch(self, ops: list[Op]) -> list[Result]:
        for op in ops:
            validate_op_namespace(op)
        results: list[Result] = [None] * len(ops)
        # LangGraph's rule for a batch: all reads see the state before it, and of several writes to one key the
        # last counts.
        writes: dict[tuple[Path, str], PutOp] = {}
        for place, op in enumerate(ops):
            if isinstance(op, GetOp):
                results[place] = await self._get(op)
            elif isinstance(op, SearchOp):
                results[place] = await self._search(op)
            elif isinstance(op, ListNamespacesOp):
                results[place] = await self._list_namespaces(op)
            elif isinstance(op, PutOp):
                writes[op.namespace, op.key] = op
        for op in writes.values():
            await self._put(op)
        return results

    def _documents(self, namespace: Path) -> UserDocuments:
        """Return where the documents of a namespace lie; one that does not say whose it is is refused."""
        user = self._user
        if self._label is not None:
            # A pattern names nobody: only the documents of one person are read at a time.
            if len(namespace) <= self._label or namespace[self._label] == ANY:
                raise InvalidInput("namespace", f"must name the person at position {self._label}")
            user = namespace[self._label]
        return self._bridge.memory.user(user, tenant=self._tenant).documents(SPACE)

    async def _get(self, op: GetOp) -> Item | None:
        documents = self._documents(op.namespace)
        document = await documents.get(name_of(op.namespace, op.key), expired=self._shows_expired)
        if document is None:
            return None
        kept = StoreRow.of(document)
        if op.refresh_ttl and self._refreshes:
            await self._refresh(documents, [kept])
        return Item(**kept.told())

    async def _put(self, op: PutOp) -> None:
        documents, name = self._documents(op.namespace), name_of(op.namespace, op.key)
        if op.value is None:
            await documents.delete(name)
            return
        vectors = await self._vectors(op)
        stored = DocumentContents(
            namespace=op.namespace, key=op.key, value=dict(op.value), ttl=op.ttl, vectors=vectors
        )
        await documents.put(name, msgspec.to_builtins(stored), ttl=_minutes(op.ttl))

    async def _vectors(self, op: PutOp) -> dict[str, list[int]]:
        """Embed the texts of a document, as the store or the operation says; none without an index."""
        if self.embeddings is None or op.index is False:
            return {}
        fields = self._fields if op.index is None else [(path, _steps(path)) for path in op.index]
        texts: dict[str, str] = {}
        for path, tokens in fields:
            # A path may lead into a list: each text of it gets a vector of its own.
            parts = get_text_at_path(op.value, tokens)
            texts |= {path if len(parts) == 1 else f"{path}.{n}": text for n, text in enumerate(parts)}
        if not texts:
            return {}
        made = await self.embeddings.aembed_documents(list(texts.values()))
        return {path: packed(vector) for path, vector in zip(texts, made, strict=True)}

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        documents = self._documents(op.namespace_prefix)
        rows = [
            kept
            for kept in await self._all(documents, op.namespace_prefix)
            if not op.filter or meets(kept.stored.value, op.filter)
        ]
        ranked = await self._ranked(rows, op.query)
        page = ranked[op.offset : op.offset + op.limit]
        if op.refresh_ttl and self._refreshes:
            await self._refresh(documents, [kept for kept, _ in page])
        return [SearchItem(**kept.told(), score=score) for kept, score in page]

    async def _ranked(self, rows: list[StoreRow], query: str | None) -> list[tuple[StoreRow, float | None]]:
        """Order documents: by meaning where they are indexed, by words without an index, else newest first."""
        newest = sorted(rows, key=lambda kept: kept.document.updated_at, reverse=True)
        if not query:
            return [(kept, None) for kept in newest]
        if self.embeddings is None:
            scores = [shared_words(query, kept.stored.value) for kept in newest]
            scored: list[tuple[StoreRow, float | None]] = list(zip(newest, scores, strict=True))
            return sorted(scored, key=lambda row: -(row[1] or 0.0))
        vector = await self.embeddings.aembed_query(query)
        # Documents that were stored without an index come last, and are not lost.
        indexed = [kept for kept in newest if kept.stored.vectors]
        near = cosines(vector, [kept.stored for kept in indexed])
        ranked = sorted(zip(indexed, near, strict=True), key=lambda row: -row[1])
        return [*ranked, *((kept, None) for kept in newest if not kept.stored.vectors)]

    async def _list_namespaces(self, op: ListNamespacesOp) -> list[Path]:
        prefixes = [condition.path for condition in op.match_conditions or () if condition.match_type == "prefix"]
        documents = self._documents(max((tuple(map(str, path)) for path in prefixes), key=len, default=()))
        kept = (row.stored.namespace for row in await self._all(documents))
        namespaces = namespaces_of(kept, op.match_conditions or (), op.max_depth)
        return namespaces[op.offset : op.offset + op.limit]

    async def _all(self, documents: UserDocuments, namespace: Path = ()) -> list[StoreRow]:
        """Return the documents in a namespace and below it, but for those that have expired and are left out."""
        stored = await documents.all(prefix=beginning_of(namespace), expired=self._shows_expired)
        return [StoreRow.of(document) for document in stored]

    @property
    def _shows_expired(self) -> bool:
        """Return whether what has expired is read until it is swept, as the store's settings say."""
        config: Mapping[str, Any] = cast("Mapping[str, Any]", self.ttl_config or {})
        return not config.get("omit_expired")

    @property
    def _refreshes(self) -> bool:
        """Return whether reading renews a document's time to live, as the store's settings say."""
        config: Mapping[str, Any] = cast("Mapping[str, Any]", self.ttl_config or {})
        return bool(config.get("refresh_on_read"))

    async def _refresh(self, documents: UserDocuments, rows: Iterable[StoreRow]) -> None:
        """Restart the lifetime of documents that were read."""
        for kept in rows:
            if kept.stored.ttl is not None:
                await documents.prolong(kept.document.key, _minutes(kept.stored.ttl))

    async def _sweep(self) -> int:
        self._check_sweeps()
        return await self._documents(()).expire()

    def _check_sweeps(self) -> None:
        if self._label is not None:
            raise InvalidInput("user_label", "the worker of an open memory sweeps the documents of many people")


class StoreRow(NamedTuple):
    """A document as the table has it, and what this store keeps in it."""

    document: StoredDocument
    stored: DocumentContents

    @classmethod
    def of(cls, stored: StoredDocument) -> Self:
        """Read a document."""
        return cls(stored, msgspec.convert(stored.value, DocumentContents))

    def told(self) -> dict[str, Any]:
        """Return it in LangGraph's fields."""
        return {
            "namespace": self.stored.namespace,
            "key": self.stored.key,
            "value": self.stored.value,
            "created_at": self.document.created_at,
            "updated_at": self.document.updated_at,
        }


def _steps(path: str) -> str | list[str]:
    """Return a path as LangGraph reads it; `$` is the whole document."""
    return path if path == WHOLE else tokenize_path(path)


def _minutes(ttl: float | None) -> timedelta | None:
    return None if ttl is None else timedelta(minutes=ttl)
