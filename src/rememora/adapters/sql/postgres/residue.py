"""What PostgreSQL leaves behind: dead rows are driven out as far as this role may, and what may be left is said.

A vacuum takes dead rows out of a table, but their bytes stay in the free space of pages that hold live ones
(measured: more than half of them); only a table written anew is free of them. The write-ahead log holds every row
that was ever written until the server recycles it, and nobody but the server reaches it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec
import psycopg
from psycopg import sql

from rememora.adapters.sql.residue import NUMBER, WORD
from rememora.domain.receipt import Residue

SEEN = "dead rows that a transaction begun before the erasure may still see, until it has ended and VACUUM FULL"
LOG = "the server's write-ahead log until it is recycled, its archive and backups until they expire"
SHORT_LIVED = ("missions", "mission_sections")
TRIES = 20
PAUSE_SECONDS = 0.05
_NO_LIMIT = "SET LOCAL statement_timeout = 0"
_MEGABYTE = 1024 * 1024
_PAGE = 500
_TEXTS = """
SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum), array_agg(t.typname::text ORDER BY a.attnum)
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid AND t.typname IN ('text', 'bytea')
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('p', 'r') AND NOT c.relispartition
  AND EXISTS (SELECT 1 FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'tenant_id')
GROUP BY c.relname ORDER BY c.relname
"""
_PARTS = """
WITH parts AS (
SELECT c.oid, c.relowner
FROM (SELECT p.oid, count(*) AS number FROM pg_class p JOIN pg_inherits i ON i.inhparent = p.oid
      WHERE p.relnamespace = current_schema()::regnamespace AND p.relkind = 'p' GROUP BY p.oid) p
CROSS JOIN generate_series(0, p.number - 1) AS place
JOIN pg_inherits i ON i.inhparent = p.oid
JOIN pg_class c ON c.oid = i.inhrelid AND c.relname LIKE '%%\\_p' || place
WHERE satisfies_hash_partition(p.oid, p.number::int, place::int, %(tenant)s::text)
UNION ALL
SELECT c.oid, c.relowner FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relispartition)
SELECT oid::regclass::text, pg_total_relation_size(oid),
       CASE WHEN current_setting('server_version_num')::int >= 170000
            THEN has_table_privilege(oid, 'MAINTAIN') ELSE pg_has_role(relowner, 'MEMBER') END
FROM parts ORDER BY 1
"""

_BEGUN = """
SELECT l.virtualxid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()
  AND a.datname = current_database() AND a.usesysid IS NOT NULL
UNION ALL SELECT gid FROM pg_prepared_xacts WHERE database = current_database()
UNION ALL SELECT slot_name FROM pg_replication_slots WHERE xmin IS NOT NULL
"""


class Part(msgspec.Struct, frozen=True):
    """The partition of a table that holds one tenant."""

    name: str
    size: int
    may: bool


def drive_out(connection: psycopg.Connection[Any], tenant: str, *, limit_mb: int) -> tuple[str, ...]:
    """Take dead rows out of a tenant's part of every table; returns in words where their bytes may still be."""
    parts = [Part(*row) for row in connection.execute(_PARTS.encode(), {"tenant": tenant}).fetchall()]
    seen = _still_seen(connection)
    # Written anew, a table is locked meanwhile: what is large is left to a quiet hour.
    small = [part for part in parts if part.may and part.size <= limit_mb * _MEGABYTE]
    anew = [part for part in small if _rewrite(connection, part.name)]
    others = [part for part in parts if part.may and part not in anew]
    for part in others:
        connection.execute(f"VACUUM (INDEX_CLEANUP ON) {part.name}".encode())
    return (*_said(parts, others), *([SEEN] if seen else []), LOG)


def _still_seen(connection: psycopg.Connection[Any]) -> bool:
    """Whether somebody who began before may go on seeing what is gone, which no vacuum takes out.

    Which rows another role's transaction sees is hidden from us, but not that it runs; most end in a moment.
    """
    begun = {*connection.execute(_BEGUN).fetchall()}
    for _ in range(TRIES):
        if not begun:
            return False
        time.sleep(PAUSE_SECONDS)
        begun &= {*connection.execute(_BEGUN).fetchall()}
    return True


def _rewrite(connection: psycopg.Connection[Any], name: str) -> bool:
    """Write a table anew; waiting for its lock would make others wait behind us, so that it is asked for again."""
    for _ in range(TRIES):
        before = _file_of(connection, name)
        connection.execute(f"VACUUM (FULL, SKIP_LOCKED) {name}".encode())
        if _file_of(connection, name) != before:
            return True
        time.sleep(PAUSE_SECONDS)
    return False


def _file_of(connection: psycopg.Connection[Any], name: str) -> object:
    return connection.execute("SELECT pg_relation_filenode(%s::regclass)", (name,)).fetchone()


def tidy(connection: psycopg.Connection[Any]) -> tuple[str, ...]:
    """Take dead rows out of what is short-lived, for every tenant at once."""
    for table in SHORT_LIVED:
        # Where this role may not, the server says so and goes on: its own vacuum comes round.
        connection.execute(f"VACUUM {table}".encode())
    return (LOG,)


def _said(parts: Sequence[Part], vacuumed: Sequence[Part]) -> Iterator[str]:
    if vacuumed:
        yield f"free space in pages until VACUUM FULL: {', '.join(part.name for part in vacuumed)}"
    dead = [part.name for part in parts if not part.may]
    if dead:
        yield f"dead rows until the owner's VACUUM FULL: {', '.join(dead)}"


def find(connection: psycopg.Connection[Any], terms: Sequence[bytes]) -> list[Residue]:
    """The tables in which a row of the transaction's tenant holds any of these bytes."""
    connection.execute(_NO_LIMIT)
    wanted = [term for term in terms if term]
    found = []
    for table, columns in _tables(connection) if wanted else ():
        searched = sql.SQL(" || ").join(_as_bytes(*each) for each in columns)
        query = sql.SQL(
            "SELECT count(*) FROM {} AS r, LATERAL (SELECT {} AS body) b "
            "WHERE EXISTS (SELECT 1 FROM unnest(%s::bytea[]) AS n(term) WHERE position(n.term IN b.body) > 0)"
        ).format(sql.Identifier(table), searched)
        row = connection.execute(query, (wanted,)).fetchone()
        if row is not None and row[0]:
            found.append(Residue(file=table, offset=0))
    return found


def words(connection: psycopg.Connection[Any]) -> dict[bytes, Residue]:
    """Every word in the rows of the transaction's tenant, and the first row of a table that holds it."""
    connection.execute(_NO_LIMIT)
    found: dict[bytes, Residue] = {}
    for table, columns in _tables(connection):
        searched = sql.SQL(" || ").join(_as_bytes(*each) for each in columns)
        with connection.cursor(f"words_of_{table}", binary=True) as cursor:
            cursor.itersize = _PAGE
            cursor.execute(sql.SQL("SELECT {} FROM {}").format(searched, sql.Identifier(table)))
            for place, (body,) in enumerate(cursor):
                for match in chain(WORD.finditer(body), NUMBER.finditer(body)):
                    found.setdefault(match.group(), Residue(file=table, offset=place))
    return found


def _tables(connection: psycopg.Connection[Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for table, columns, types in connection.execute(_TEXTS).fetchall():
        yield table, list(zip(columns, types, strict=True))


def _as_bytes(column: str, kind: str) -> sql.Composed:
    name = sql.Identifier(column)
    plain = sql.SQL("convert_to({}, 'UTF8')").format(name) if kind == "text" else sql.SQL("{}").format(name)
    return sql.SQL("coalesce({}, '') || '\\x1f'::bytea").format(plain)
