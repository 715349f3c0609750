"""Carries a whole store into an empty one, on the same engine or another, and goes on where an earlier try ended.

Each page of rows is written in one transaction with how far its table is: a process that dies between any two
instructions leaves a target that knows exactly what it holds.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import msgspec

from rememora.adapters.sql.store import Database
from rememora.adapters.sql.tables import Table, tables
from rememora.adapters.sql.transaction import Row, Transaction
from rememora.domain.transfer import TableSum, Transferred
from rememora.errors import Conflict, TransferDiffers

_WHOLE = 1 << 256
_LENGTH = struct.Struct(">Q")
_REAL = struct.Struct(">d")


def sum_of(rows: Iterable[Row], start: int = 0) -> int:
    """The digests of the rows added up, so that neither order nor the place of a page's end matters."""
    total = start
    for row in rows:
        total += int.from_bytes(sha256(canonical(row)).digest())
    return total % _WHOLE


def canonical(row: Row) -> bytes:
    """A row as bytes: each value with its kind and its length, so that no two rows read alike."""
    return b"".join(_parts(row))


def _parts(row: Row) -> Iterator[bytes]:
    for value in row:
        kind, content = _written(value)
        yield kind
        yield _LENGTH.pack(len(content))
        yield content


def _written(value: object) -> tuple[bytes, bytes]:
    # Truth values are whole numbers in every column, and an engine may give back either.
    if isinstance(value, int):
        return b"i", str(int(value)).encode()
    if isinstance(value, str):
        return b"s", value.encode()
    if isinstance(value, float):
        return b"f", _REAL.pack(value)
    if value is None:
        return b"n", b""
    if isinstance(value, bytes | bytearray | memoryview):
        return b"b", bytes(value)
    raise TypeError(f"no column holds a {type(value).__name__}")


PAGE = 500
Progress = Callable[[int, int], None]


class CopyCursor(msgspec.Struct, frozen=True):
    """Progress of one table: the key of the last row copied, None before the first."""

    table: Table
    after: tuple[str | int, ...] | None
    copied: int
    done: bool


class _Read(NamedTuple):
    """Progress of reading a table, and the checksum of its rows so far."""

    rows: int
    total: int
    after: Row | None
    more: bool


class _Bar:
    """Rows copied and compared, out of all there are to copy and to compare."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._done, self._total, self._told = 0, total, progress

    def add(self, rows: int) -> None:
        self._done += rows
        if self._told is not None:
            self._told(min(self._done, self._total), self._total)


async def transfer(
    source: Database, target: Database, *, origin: str, progress: Progress | None = None
) -> Transferred:
    """Copy every table, compare both stores, and only then call it done; `origin` names the source."""
    await check_whole(source)
    places = await target.write(None, lambda tx: _claim(tx, origin))
    bar = _Bar(2 * await _count(source), progress)
    brought: dict[str, int] = {}
    for place in places:
        bar.add(place.copied)
        brought[place.table.name] = place.copied + await _copy(source, target, place, bar)
    sums = await _compared(source, target, bar, brought)
    await target.write(None, lambda tx: tx.run("end_transfer", {}))
    return Transferred(tables=sums, copied=sum(brought.values()) - sum(place.copied for place in places))


async def compare(source: Database, target: Database, *, progress: Progress | None = None) -> Transferred:
    """Compare two stores row for row; nothing is written."""
    bar = _Bar(await _count(source), progress)
    return Transferred(tables=await _compared(source, target, bar), copied=0)


async def check_whole(database: Database) -> None:
    """Refuse a store that a transfer has filled only in part."""
    if await database.read(None, lambda tx: tx.one("transfer_progress", {})):
        raise Conflict("a transfer into this store is not finished: run it again")


async def is_signed(database: Database) -> bool:
    """Return whether a store holds a signed audit chain."""
    return await database.read(None, lambda tx: any(row[0] for row in tx.all("transfer_count_audit_heads", {})))


def _claim(tx: Transaction, origin: str) -> list[CopyCursor]:
    """Return the progress of each table; an empty target is claimed for this transfer."""
    rows = {row[0]: row for row in tx.all("transfer_progress", {})}
    # Progress is stored in the target: a transfer that was cut off goes on, but never mixes two sources.
    if any(row[1] != origin for row in rows.values()):
        raise Conflict("the target holds part of a transfer from another source")
    fresh = [table.name for table in tables() if table.name not in rows]
    full = [name for name in fresh if tx.all(f"transfer_first_{name}", {"limit": 1})]
    if full:
        raise Conflict(f"the target is not empty: it has rows in {', '.join(full)}")
    tx.many("begin_transfer", [{"name": name, "origin": origin} for name in fresh])
    return [_place(table, rows.get(table.name)) for table in tables()]


def _place(table: Table, row: Row | None) -> CopyCursor:
    if row is None:
        return CopyCursor(table, None, 0, False)
    return CopyCursor(table, None if row[2] is None else tuple(msgspec.json.decode(row[2])), row[3], bool(row[4]))


async def _count(source: Database) -> int:
    return await source.read(None, lambda tx: sum(_rows_of(tx, table.name) for table in tables()))


def _rows_of(tx: Transaction, name: str) -> int:
    return sum(row[0] for row in tx.all(f"transfer_count_{name}", {}))


async def _copy(source: Database, target: Database, place: CopyCursor, bar: _Bar) -> int:
    """Copy what is left of one table, page by page; returns how many rows that were."""
    before = place.copied
    while not place.done:
        rows = await source.read(None, partial(_page, table=place.table, after=place.after))
        moved = await _write_rows(target, place, rows)
        if moved is None:
            raise Conflict("another transfer into this target is running")
        place = moved
        bar.add(len(rows))
    return place.copied - before


async def _write_rows(target: Database, place: CopyCursor, rows: list[Row]) -> CopyCursor | None:
    try:
        return await target.write(None, partial(_put, place=place, rows=rows))
    except Conflict as error:
        # Rows of a source that changed meanwhile need not fit together.
        name = place.table.name
        await target.write(None, partial(_begin_again, brought={name: place.copied}))
        raise TransferDiffers([name], [f"{name} ({error.message})"]) from None


def _page(tx: Transaction, table: Table, after: Iterable[object] | None) -> list[Row]:
    if after is None:
        return tx.all(f"transfer_first_{table.name}", {"limit": PAGE})
    return tx.all(f"transfer_after_{table.name}", {"limit": PAGE, **dict(zip(table.key, after, strict=True))})


def _put(tx: Transaction, place: CopyCursor, rows: list[Row]) -> CopyCursor | None:
    """One page and how far it goes, together or not at all; None where somebody else put it."""
    table = place.table
    after = rows[-1][: len(table.key)] if rows else place.after
    moved = CopyCursor(table, after, place.copied + len(rows), len(rows) < PAGE)
    step = {
        "name": table.name,
        "place": None if after is None else msgspec.json.encode(after).decode(),
        "rows": len(rows),
        "seen": place.copied,
        "done": int(moved.done),
    }
    # The cursor moves only from where this process saw it: of two transfers at once one gives up here.
    if tx.run("advance_transfer", step) != 1:
        return None
    tx.many(f"transfer_put_{table.name}", [dict(zip(table.columns, row, strict=True)) for row in rows])
    return moved


async def _compared(
    source: Database, target: Database, bar: _Bar, brought: Mapping[str, int] | None = None
) -> tuple[TableSum, ...]:
    """Compare both stores; where they differ, the rows that were `brought` are removed again."""
    pairs = [await _both(source, target, table, bar) for table in tables()]
    differing = [(ours, there) for ours, there in pairs if ours != there]
    if not differing:
        return tuple(ours for ours, _ in pairs)
    names = [ours.name for ours, _ in differing]
    # Only what this transfer brought is taken back, so that it can be repeated.
    if brought is not None:
        await target.write(None, partial(_begin_again, brought={name: brought[name] for name in names}))
    counts = [f"{ours.name} ({ours.rows} rows, {there.rows} in the target)" for ours, there in differing]
    raise TransferDiffers(names, counts)


def _begin_again(tx: Transaction, brought: Mapping[str, int]) -> None:
    """Remove differing rows, so that the same command copies just those; rows from others stay."""
    strange = [name for name, rows in brought.items() if _rows_of(tx, name) > rows]
    if strange:
        raise Conflict(f"the target is being written to: it has other rows in {', '.join(strange)}")
    for name in brought:
        tx.run(f"transfer_clear_{name}", {})
        tx.run("restart_transfer", {"name": name})


async def _both(source: Database, target: Database, table: Table, bar: _Bar) -> tuple[TableSum, TableSum]:
    ours, there = await asyncio.gather(_sum(source, table, bar.add), _sum(target, table, lambda _: None))
    return ours, there


async def _sum(database: Database, table: Table, progress: Callable[[int], None]) -> TableSum:
    read = _Read(0, 0, None, more=True)
    while read.more:
        before = read.rows
        read = await database.read(None, partial(_read_on, table=table, read=read))
        progress(read.rows - before)
    return TableSum(name=table.name, rows=read.rows, sha256=f"{read.total:064x}")


def _read_on(tx: Transaction, table: Table, read: _Read) -> _Read:
    rows = _page(tx, table, read.after)
    after = rows[-1][: len(table.key)] if rows else read.after
    return _Read(read.rows + len(rows), sum_of(rows, read.total), after, more=len(rows) == PAGE)
