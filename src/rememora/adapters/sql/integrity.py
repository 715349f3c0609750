"""Looks through a whole SQLite file: its pages and indexes, every text in it, and rows that belong to nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial

from rememora.adapters.sql.queries import queries
from rememora.adapters.sql.tables import tables
from rememora.domain.integrity import Integrity

HOW = "every page, index and text was read"
NAMED = 20
"""Faults that SQLite names before it stops."""


class _Unreadable:
    """Stands for a text that is not UTF-8."""


def check(connection: sqlite3.Connection) -> Integrity:
    """List what is wrong with the file behind a connection that is thrown away afterwards."""
    connection.text_factory = _decoded
    return Integrity(how=HOW, faults=tuple(dict.fromkeys([*_pages(connection), *_rows(connection)])))


def _pages(connection: sqlite3.Connection) -> Iterator[str]:
    yield from _tried("the file", lambda: _named_faults(connection))


def _named_faults(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute(f"PRAGMA integrity_check({NAMED})").fetchall()
    texts = [text if isinstance(text, str) else "SQLite names a fault that cannot be read" for (text,) in rows]
    return [line for text in texts for line in text.splitlines() if line != "ok"]


def _rows(connection: sqlite3.Connection) -> Iterator[str]:
    for table in tables():
        yield from _tried(f"table {table.name}", partial(_unreadable, connection, table.name))
    yield from _tried("what rows belong to", lambda: _orphans(connection))


def _unreadable(connection: sqlite3.Connection, table: str) -> list[str]:
    rows = connection.execute(f'SELECT * FROM "{table}"')
    count = sum(any(isinstance(cell, _Unreadable) for cell in row) for row in rows)
    return [f"table {table}: {count} rows hold text that cannot be read"] if count else []


def _orphans(connection: sqlite3.Connection) -> list[str]:
    return orphaned(connection.execute(queries("sqlite")["rows_without_parents"].sql).fetchall())


def orphaned(counts: list[tuple[str, int]]) -> list[str]:
    """The faults in what `rows_without_parents` counted."""
    return [f"table {table}: {count} rows belong to nothing that is there" for table, count in counts if count]


def _tried(what: str, look: Callable[[], list[str]]) -> list[str]:
    """List what a look finds; one that fails is a finding too, and the next is tried."""
    try:
        return look()
    except sqlite3.Error as error:
        return [f"{what} cannot be read: {error}"]
    except UnicodeDecodeError:
        return [f"{what} cannot be read"]


def _decoded(data: bytes) -> str | _Unreadable:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _Unreadable()
