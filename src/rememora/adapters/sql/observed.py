"""A database whose stored events are counted, once they are durable, around any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from rememora.adapters.sql.store import Database
from rememora.adapters.sql.transaction import Params, Row, Transaction
from rememora.domain.integrity import Integrity
from rememora.domain.receipt import Residue

T = TypeVar("T")
ADDING = "add_event"


class StoredEvent(msgspec.Struct, frozen=True):
    """An event that was written."""

    type: str
    payload: Mapping[str, Any]


class ObservedDatabase:
    """Publishes each event after the transaction that stored it."""

    def __init__(self, inner: Database, tell: Callable[[StoredEvent], None]) -> None:
        self._inner = inner
        self._tell = tell

    async def write(self, tenant: str | None, work: Callable[[Transaction], T]) -> T:
        seen: list[StoredEvent] = []
        result = await self._inner.write(
            tenant, lambda transaction: work(_RecordingTransaction(transaction, seen))
        )
        for stored in seen:
            self._tell(stored)
        return result

    async def read(self, tenant: str | None, work: Callable[[Transaction], T]) -> T:
        return await self._inner.read(tenant, work)

    def changed(self) -> int | None:
        return self._inner.changed()

    def glance(self, tenant: str | None, work: Callable[[Transaction], T]) -> T | None:
        return self._inner.glance(tenant, work)

    async def scrub(self, tenant: str | None, *, rebuild: bool) -> tuple[str, ...]:
        return await self._inner.scrub(tenant, rebuild=rebuild)

    async def residue(self, tenant: str, terms: Sequence[bytes]) -> list[Residue]:
        return await self._inner.residue(tenant, terms)

    async def words(self, tenant: str) -> dict[bytes, Residue]:
        return await self._inner.words(tenant)

    async def integrity(self) -> Integrity:
        return await self._inner.integrity()

    async def close(self) -> None:
        await self._inner.close()


class _RecordingTransaction:
    """A transaction that notes the events it stores."""

    def __init__(self, inner: Transaction, seen: list[StoredEvent]) -> None:
        self._send = inner.send
        self._seen = seen
        self.run: Callable[[str, Params], int] = inner.run
        self.many: Callable[[str, Iterable[Params]], None] = inner.many
        self.one: Callable[[str, Params], Row | None] = inner.one
        self.all: Callable[[str, Params], list[Row]] = inner.all

    def send(self, name: str, params: Params) -> None:
        if name == ADDING:
            self._seen.append(StoredEvent(str(params["type"]), msgspec.json.decode(str(params["payload"]))))
        self._send(name, params)
