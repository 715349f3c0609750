"""CrewAI's `StorageBackend` over Rememora: `Memory(storage=RememoraStorage(…))`.

Records are a crew's own notes: documents apart from a person's memory, that pass no gate and reach no
model but through CrewAI. CrewAI embeds them; their similarity to a query is the cosine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rememora.app import Rememora
from rememora.errors import MissingExtra
from rememora.handles.documents import UserDocuments
from rememora.integrations.bridge import Bridge
from rememora.integrations.vectors import cosine, packed, unpacked
from rememora.sync import SyncRememora

try:
    from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ImportError:
    raise MissingExtra("crewai") from None

SPACE = "crewai"
USER = "crewai"
Found = list[tuple[MemoryRecord, float]]
Rule = Callable[[MemoryRecord], bool]


class RememoraStorage:
    """The records of one tenant's crews, or of one person where `user` names one.

    Over `SyncRememora` it works from every thread; over `Rememora`, whose event loop it must be made in, from
    every other thread, as CrewAI saves in the background.
    """

    def __init__(self, memory: Rememora | SyncRememora, *, tenant: str, user: str = USER) -> None:
        self._bridge = Bridge(memory)
        self._tenant, self._user = tenant, user

    def save(self, records: list[MemoryRecord]) -> None:
        """Save records; one with the id of another takes its place."""
        self._bridge.run(self._save(records))

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Save records."""
        await self._bridge.call(self._save(records))

    def update(self, record: MemoryRecord) -> None:
        """Put a record in place of the one with its id."""
        self._bridge.run(self._save([record], as_before=True))

    def touch_records(self, record_ids: list[str]) -> None:
        """Note that records were read just now."""
        self._bridge.run(self._touch(record_ids))

    def search(self, query_embedding: list[float], *args: Any, **how: Any) -> Found:
        """Find records by the cosine of their vectors, best first, narrowed by scope, categories and metadata."""
        return self._bridge.run(self._search(query_embedding, *args, **how))

    async def asearch(self, query_embedding: list[float], *args: Any, **how: Any) -> Found:
        """Find records as `search` does."""
        return await self._bridge.call(self._search(query_embedding, *args, **how))

    def delete(self, *args: Any, **how: Any) -> int:
        """Delete the records that meet every criterion; returns how many that were."""
        return self._bridge.run(self._delete(*args, **how))

    async def adelete(self, *args: Any, **how: Any) -> int:
        """Delete records as `delete` does."""
        return await self._bridge.call(self._delete(*args, **how))

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return one record, or None."""
        document = self._bridge.run(self._documents.get(record_id))
        return None if document is None else _record(document.value)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """List records in a scope and below it, newest first."""
        newest = sorted(self._all(scope_prefix), key=lambda record: _utc(record.created_at), reverse=True)
        return newest[offset : offset + limit] if limit > 0 <= offset else []

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return how many records a scope holds, their categories and times, and the scopes inside it."""
        path = _path(scope)
        records = self._all(path)
        times = sorted((record.created_at for record in records), key=_utc)
        return ScopeInfo(
            path=path,
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
            child_scopes=_children(records, path),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """List the scopes directly below another."""
        return _children(self._all(parent), _path(parent))

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Count the records of each category."""
        counts: dict[str, int] = {}
        for name in (name for record in self._all(scope_prefix) for name in record.categories):
            counts[name] = counts.get(name, 0) + 1
        return counts

    def count(self, scope_prefix: str | None = None) -> int:
        """Count the records of a scope and below it."""
        return len(self._all(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete every record of a scope and below it."""
        self.delete(scope_prefix=scope_prefix)

    @property
    def _documents(self) -> UserDocuments:
        return self._bridge.memory.user(self._user, tenant=self._tenant).documents(SPACE)

    def _all(self, scope: str | None) -> list[MemoryRecord]:
        return self._bridge.run(self._met(_meets(scope)))

    async def _met(self, rule: Rule) -> list[MemoryRecord]:
        return [record for document in await self._documents.all() if rule(record := _record(document.value))]

    async def _save(self, records: Iterable[MemoryRecord], *, as_before: bool = False) -> None:
        """Write records; `as_before`, one without a vector of its own keeps the vector that it had."""
        for record in records:
            value = _value(record)
            if as_before and not record.embedding and (before := await self._documents.get(record.id)) is not None:
                value |= {name: before.value[name] for name in ("vector", "dims")}
            await self._documents.put(record.id, value)

    async def _touch(self, ids: Iterable[str]) -> None:
        now = datetime.now(UTC).replace(tzinfo=None).isoformat()
        for id in ids:
            if (document := await self._documents.get(id)) is not None:
                await self._documents.put(id, {**document.value, "last_accessed": now})

    async def _search(
        self,
        query_embedding: Sequence[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> Found:
        met = await self._met(_meets(scope_prefix, categories, metadata_filter))
        scored = [
            (memory_record, _near(query_embedding, memory_record.embedding))
            for memory_record in met
            if memory_record.embedding
        ]
        ranked = sorted((record for record in scored if record[1] >= min_score), key=lambda record: -record[1])
        return ranked[:limit]

    async def _delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
    ) -> int:
        rule = _meets(scope_prefix, categories, metadata_filter)
        gone = [
            memory_record.id
            for memory_record in await self._met(rule)
            if (record_ids is None or memory_record.id in record_ids)
            and (older_than is None or _utc(memory_record.created_at) < _utc(older_than))
        ]
        return sum([await self._documents.delete(id) for id in gone])


def _value(record: MemoryRecord) -> dict[str, Any]:
    vector = list(record.embedding or ())
    return {**record.model_dump(mode="json"), "vector": packed(vector), "dims": len(vector)}


def _record(value: Mapping[str, Any]) -> MemoryRecord:
    fields = {name: field for name, field in value.items() if name not in ("vector", "dims")}
    vector = [float(number) for number in unpacked(value["vector"], value["dims"])]
    return MemoryRecord(**fields, embedding=vector or None)


def _near(query: Sequence[float], vector: Sequence[float]) -> float:
    if len(query) != len(vector):
        raise EmbeddingDimensionMismatchError(len(vector), len(query))
    return max(0.0, cosine(query, vector))


def _path(scope: str | None) -> str:
    """Return a scope as a path: it begins with a slash and ends without one."""
    return "/" + (scope or "").strip("/")


def _is_within(scope: str, path: str) -> bool:
    """Tell whether a scope is a path or lies below it, by whole segments."""
    return f"{_path(scope)}/".startswith(f"{path.rstrip('/')}/")


def _meets(
    scope: str | None, categories: list[str] | None = None, metadata: Mapping[str, Any] | None = None
) -> Rule:
    path, chosen, fields = _path(scope), set(categories or ()), dict(metadata or {})

    def rule(record: MemoryRecord) -> bool:
        return (
            _is_within(record.scope, path)
            and (not chosen or not chosen.isdisjoint(record.categories))
            and all(record.metadata.get(name) == field for name, field in fields.items())
        )

    return rule


def _children(records: Iterable[MemoryRecord], path: str) -> list[str]:
    """Return the scopes directly below a path."""
    above = f"{path.rstrip('/')}/"
    below = {
        _path(memory_record.scope).removeprefix(above).split("/")[0]
        for memory_record in records
        if memory_record.scope.strip("/")
    }
    return sorted(f"{above}{name}" for name in below if name and f"{above}{name}" != path)


def _utc(moment: datetime) -> datetime:
    """Return a moment with its zone; CrewAI's have none and mean UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
