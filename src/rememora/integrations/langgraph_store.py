"""LangGraph's `BaseStore` over Rememora: documents by namespace and key, with filters, TTL and vector search.

Documents are the host's own data: they are kept apart from what is known of a person, pass no gate, and reach no
model but through whoever reads them here. The tenant is given with the store and stands in no namespace.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Self, cast

import msgspec

from rememora.app import Rememora
from rememora.errors import InvalidInput, MissingExtra
from rememora.integrations.bridge import Bridge
from rememora.integrations.documents import Documents
from rememora.integrations.langgraph_match import (
    Stored,
    cosines,
    meets,
    namespaces_of,
    packed,
    shared_words,
    within,
)
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
        config: Mapping[str, Any] = cast("Mapping[str, Any]", self.ttl_config or {})
        return MINUTE * float(minutes or config.get("sweep_interval_minutes") or SWEEP_MINUTES)

    async def _batch(self, ops: list[Op]) -> list[Result]:
        for op in ops:
            validate_op_namespace(op)
        results: list[Result] = [None] * len(ops)
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

    def _documents(self, namespace: Path) -> Documents:
        """Return where the documents of a namespace lie; one that does not say whose it is is refused."""
        user = self._user
        if self._label is not None:
            if len(namespace) <= self._label:
                raise InvalidInput("namespace", f"must name the person at place {self._label}")
            user = namespace[self._label]
        return Documents(self._bridge.memory.user(user, tenant=self._tenant), SPACE)

    async def _get(self, op: GetOp) -> Item | None:
        documents = self._documents(op.namespace)
        found = await documents.get(_name(op.namespace, op.key))
        if found is None:
            return None
        stored = msgspec.convert(found, Stored)
        if self._is_hidden(stored):
            return None
        if op.refresh_ttl and self._refreshes:
            await self._refresh(documents, [stored])
        return Item(**_told(stored))

    async def _put(self, op: PutOp) -> None:
        documents, name = self._documents(op.namespace), _name(op.namespace, op.key)
        if op.value is None:
            await documents.delete(name)
            return
        before = await documents.get(name)
        now = datetime.now(UTC)
        stored = Stored(
            namespace=op.namespace,
            key=op.key,
            value=dict(op.value),
            created=now if before is None else msgspec.convert(before, Stored).created,
            updated=now,
            ttl=op.ttl,
            expires=None if op.ttl is None else now.timestamp() + op.ttl * MINUTE,
            vectors=await self._vectors(op),
        )
        await documents.put(name, msgspec.to_builtins(stored))

    async def _vectors(self, op: PutOp) -> dict[str, list[int]]:
        """Embed the texts of a document, as the store or the operation says; none without an index."""
        if self.embeddings is None or op.index is False:
            return {}
        fields = self._fields if op.index is None else [(path, _steps(path)) for path in op.index]
        texts: dict[str, str] = {}
        for path, tokens in fields:
            found = get_text_at_path(op.value, tokens)
            texts |= {path if len(found) == 1 else f"{path}.{n}": text for n, text in enumerate(found)}
        if not texts:
            return {}
        made = await self.embeddings.aembed_documents(list(texts.values()))
        return {path: packed(vector) for path, vector in zip(texts, made, strict=True)}

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        documents = self._documents(op.namespace_prefix)
        found = [
            stored
            for stored in await self._all(documents)
            if within(stored.namespace, op.namespace_prefix) and (not op.filter or meets(stored.value, op.filter))
        ]
        ranked = await self._ranked(found, op.query)
        page = ranked[op.offset : op.offset + op.limit]
        if op.refresh_ttl and self._refreshes:
            await self._refresh(documents, [stored for stored, _ in page])
        return [SearchItem(**_told(stored), score=score) for stored, score in page]

    async def _ranked(self, found: list[Stored], query: str | None) -> list[tuple[Stored, float | None]]:
        """Order documents: by meaning where they are indexed, by words without an index, else newest first."""
        newest = sorted(found, key=lambda stored: stored.updated, reverse=True)
        if not query:
            return [(stored, None) for stored in newest]
        if self.embeddings is None:
            scores = [shared_words(query, stored.value) for stored in newest]
            scored: list[tuple[Stored, float | None]] = list(zip(newest, scores, strict=True))
            return sorted(scored, key=lambda each: -(each[1] or 0.0))
        vector = await self.embeddings.aembed_query(query)
        indexed = [stored for stored in newest if stored.vectors]
        ranked = sorted(zip(indexed, cosines(vector, indexed), strict=True), key=lambda each: -each[1])
        return [*ranked, *((stored, None) for stored in newest if not stored.vectors)]

    async def _list_namespaces(self, op: ListNamespacesOp) -> list[Path]:
        prefixes = [each.path for each in op.match_conditions or () if each.match_type == "prefix"]
        documents = self._documents(max((tuple(map(str, path)) for path in prefixes), key=len, default=()))
        kept = (stored.namespace for stored in await self._all(documents))
        found = namespaces_of(kept, op.match_conditions or (), op.max_depth)
        return found[op.offset : op.offset + op.limit]

    async def _all(self, documents: Documents) -> list[Stored]:
        found = [msgspec.convert(value, Stored) async for _, value in documents.all()]
        return [stored for stored in found if not self._is_hidden(stored)]

    def _is_hidden(self, stored: Stored) -> bool:
        """Tell whether a document has expired and the store leaves such ones out before they are swept."""
        config: Mapping[str, Any] = cast("Mapping[str, Any]", self.ttl_config or {})
        return bool(config.get("omit_expired")) and _is_expired(stored)

    @property
    def _refreshes(self) -> bool:
        """Return whether reading renews a document's time to live, as the store's settings say."""
        config: Mapping[str, Any] = cast("Mapping[str, Any]", self.ttl_config or {})
        return bool(config.get("refresh_on_read"))

    async def _refresh(self, documents: Documents, found: Iterable[Stored]) -> None:
        """Let documents live their time anew, because they were read."""
        for stored in found:
            if stored.ttl is not None:
                until = datetime.now(UTC).timestamp() + stored.ttl * MINUTE
                again = msgspec.structs.replace(stored, expires=until)
                await documents.put(_name(stored.namespace, stored.key), msgspec.to_builtins(again))

    async def _sweep(self) -> int:
        if self._label is not None:
            raise InvalidInput("user_label", "documents of many people are swept person by person")
        documents = self._documents(())
        gone = [name async for name, value in documents.all() if _is_expired(msgspec.convert(value, Stored))]
        for name in gone:
            await documents.delete(name)
        return len(gone)


def _steps(path: str) -> str | list[str]:
    """Return a path as LangGraph reads it; `$` is the whole document."""
    return path if path == WHOLE else tokenize_path(path)


def _is_expired(stored: Stored) -> bool:
    return stored.expires is not None and stored.expires <= datetime.now(UTC).timestamp()


def _name(namespace: Path, key: str) -> str:
    return msgspec.json.encode([*namespace, key]).decode()


def _told(stored: Stored) -> dict[str, Any]:
    return {
        "namespace": stored.namespace,
        "key": stored.key,
        "value": stored.value,
        "created_at": stored.created,
        "updated_at": stored.updated,
    }
