"""Looks through a store in PostgreSQL: every value is read, and indexes are checked where amcheck may be used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from rememora.adapters.sql.integrity import orphaned
from rememora.adapters.sql.postgres.connect import Connection
from rememora.adapters.sql.postgres.roles import quoted
from rememora.adapters.sql.postgres.texts import tell
from rememora.adapters.sql.tables import tables
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.integrity import Integrity
from rememora.errors import RememoraError

Look = Callable[[Connection, Transaction], list[str]]
Read = Callable[[Look], Awaitable[list[str]]]
READ = "every value of every table was read"
INDEXES = "every ordered index was checked"
NO_INDEXES = "indexes were not checked: the extension amcheck is not here, or not for this role"


async def check(read: Read) -> Integrity:
    """List faults; `read` runs each look in a transaction of its own, since a fault ends the transaction."""
    faults: list[str] = []
    for table in tables():
        faults += await _tried(read, partial(_read_table, table=table.name), f"table {table.name}")
    faults += await _tried(read, _rows_without_parents, "what rows belong to")
    indexes = await read(_indexes)
    for index in indexes:
        faults += await _tried(read, partial(_check_index, index=index), f"index {index}")
    return Integrity(how=f"{READ}; {INDEXES if indexes else NO_INDEXES}", faults=tuple(faults))


def _read_table(connection: Connection, _: Transaction, *, table: str) -> list[str]:
    tell(connection, "take_all_the_time")
    tell(connection, "read_whole_table", table=quoted(table)).fetchall()
    return []


def _rows_without_parents(connection: Connection, transaction: Transaction) -> list[str]:
    tell(connection, "take_all_the_time")
    return orphaned([(str(table), int(count)) for table, count in transaction.all("rows_without_parents", {})])


def _indexes(connection: Connection, _: Transaction) -> list[str]:
    row = tell(connection, "may_check_indexes").fetchone()
    if row is None or not row[0]:
        return []
    return [str(name) for (name,) in tell(connection, "ordered_indexes").fetchall()]


def _check_index(connection: Connection, _: Transaction, *, index: str) -> list[str]:
    tell(connection, "take_all_the_time")
    tell(connection, "check_index", {"index": index})
    return []


async def _tried(read: Read, look: Look, what: str) -> list[str]:
    try:
        return await read(look)
    except RememoraError as error:
        return [f"{what}: {error.message}"]
