"""Removes PostgreSQL's dead rows as far as this role may, and reports what may remain.

A vacuum takes dead rows out of a table, but their bytes stay in the free space of pages that hold live ones
(measured: more than half of them); only a rewritten table is free of them. The write-ahead log holds every row
that was ever written until the server recycles it, and nobody but the server reaches it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec
import psycopg

from rememora.adapters.sql.postgres.roles import quoted
from rememora.adapters.sql.postgres.texts import tell, text
from rememora.adapters.sql.queries import own
from rememora.adapters.sql.residue import NUMBER, WORD
from rememora.domain.receipt import Residue

SEEN = "dead rows that a transaction begun before the erasure may still see, until it has ended and VACUUM FULL"
LOG = "the server's write-ahead log until it is recycled, its archive and backups until they expire"
SHORT_LIVED = ("missions", "mission_sections")
TRIES = 20
PAUSE_SECONDS = 0.05
_MEGABYTE = 1024 * 1024
_PAGE = 500


class TenantPartition(msgspec.Struct, frozen=True):
    """The partition of a table that holds one tenant."""

    name: str
    size: int
    may: bool


def remove_dead_rows(connection: psycopg.Connection[Any], tenant: str, *, limit_mb: int) -> tuple[str, ...]:
    """Take dead rows out of a tenant's part of every table; returns in words where their bytes may still be."""
    parts = [TenantPartition(*row) for row in tell(connection, "parts_of_tenant", {"tenant": tenant}).fetchall()]
    seen = _still_seen(connection)
    # A rewrite locks the table: large ones are left to `VACUUM`.
    small = [part for part in parts if part.may and part.size <= limit_mb * _MEGABYTE]
    anew = [part for part in small if _rewrite(connection, part.name)]
    others = [part for part in parts if part.may and part not in anew]
    for part in others:
        tell(connection, "vacuum_with_indexes", table=part.name)
    return (*_said(parts, others), *([SEEN] if seen else []), LOG)


def _still_seen(connection: psycopg.Connection[Any]) -> bool:
    """Return whether an older transaction may still see removed rows, which no vacuum takes out.

    The rows another role's transaction sees are hidden from us, but not that it runs; most end in a moment.
    """
    begun = {*tell(connection, "transactions_begun").fetchall()}
    for _ in range(TRIES):
        if not begun:
            return False
        time.sleep(PAUSE_SECONDS)
        begun &= {*tell(connection, "transactions_begun").fetchall()}
    return True


def _rewrite(connection: psycopg.Connection[Any], name: str) -> bool:
    """Rewrite a table; its lock is requested repeatedly, since waiting would block others behind us."""
    for _ in range(TRIES):
        before = _file_of(connection, name)
        tell(connection, "write_anew", table=name)
        if _file_of(connection, name) != before:
            return True
        time.sleep(PAUSE_SECONDS)
    return False


def _file_of(connection: psycopg.Connection[Any], name: str) -> object:
    return tell(connection, "file_of_table", {"table": name}).fetchone()


def tidy(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    """Take dead rows out of what is short-lived, for every tenant at once."""
    for table in SHORT_LIVED:
        # Where this role may not, the server says so and goes on: its own vacuum comes round.
        tell(connection, "vacuum", table=table)
    return (LOG,)


def _said(parts: Sequence[TenantPartition], vacuumed: Sequence[TenantPartition]) -> Iterator[str]:
    if vacuumed:
        yield f"free space in pages until VACUUM FULL: {', '.join(part.name for part in vacuumed)}"
    dead = [part.name for part in parts if not part.may]
    if dead:
        yield f"dead rows until the owner's VACUUM FULL: {', '.join(dead)}"


def find(connection: psycopg.Connection[Any], terms: Sequence[bytes]) -> list[Residue]:
    """The tables in which a row of the transaction's tenant holds any of these bytes."""
    tell(connection, "take_all_the_time")
    searched = [term for term in terms if term]
    residues = []
    # Row-level security narrows every table to the tenant: another's rows are not searched.
    for table, columns in _tables(connection) if searched else ():
        names = {"table": quoted(table), "searched": _searched(columns)}
        row = tell(connection, "rows_holding", {"terms": searched}, **names).fetchone()
        if row is not None and row[0]:
            residues.append(Residue(file=table, offset=0))
    return residues


def words(connection: psycopg.Connection[Any]) -> dict[bytes, Residue]:
    """Every word in the rows of the transaction's tenant, and the first row of a table that holds it."""
    tell(connection, "take_all_the_time")
    residues: dict[bytes, Residue] = {}
    for table, columns in _tables(connection):
        with connection.cursor(f"words_of_{table}", binary=True) as cursor:
            cursor.itersize = _PAGE
            bodies = text("bodies_of", table=quoted(table), searched=_searched(columns))
            cursor.execute(bodies.encode(), {})
            for place, (body,) in enumerate(cursor):
                for match in chain(WORD.finditer(body), NUMBER.finditer(body)):
                    residues.setdefault(match.group(), Residue(file=table, offset=place))
    return residues


def _tables(connection: psycopg.Connection[Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for table, columns, types in tell(connection, "tables_with_text").fetchall():
        yield table, list(zip(columns, types, strict=True))


def _searched(columns: Sequence[tuple[str, str]]) -> str:
    """All of a row as bytes, columns kept apart."""
    ways = {"text": "text_as_bytes", "bytea": "bytes_as_they_are"}
    return " || ".join(own("postgres")[ways[kind]].sql.replace("{column}", quoted(name)) for name, kind in columns)
