"""The schema a fresh store is born with, and the check that an existing one fits this version.

`schema/<engine>.sql` is what the migrations produce, written down (`make schema`), so that opening a store never
loads the migration machinery; a test holds the two equal.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path

from rememora.errors import SchemaOutdated

_HEAD = "-- version: "


@cache
def snapshot(engine: str) -> str:
    """The SQL that creates the whole schema."""
    return (Path(__file__).parent / "schema" / f"{engine}.sql").read_text(encoding="utf-8")


def newest_version(engine: str) -> str:
    """The version of the schema that this code works with."""
    first = snapshot(engine).partition("\n")[0]
    return first.removeprefix(_HEAD).strip()


def ensure_schema(connection: sqlite3.Connection, url: str) -> None:
    """Create the schema in an empty database; refuse one of another version, naming the command."""
    version = _version(connection)
    if version is None:
        # Two processes may open an empty folder at once: the second waits here and finds the schema made.
        connection.execute("BEGIN EXCLUSIVE")
        try:
            version = _version(connection) or _create(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    expected = newest_version("sqlite")
    if version < expected:
        raise SchemaOutdated(
            f"the store has schema {version}, this version of Rememora needs {expected}",
            f"rememora migrate --url {url}",
        )
    if version > expected:
        raise SchemaOutdated(
            f"the store has schema {version}, newer than the {expected} this version of Rememora knows",
            "pip install --upgrade rememora",
        )


def _version(connection: sqlite3.Connection) -> str | None:
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    if connection.execute(known).fetchone() is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0]) if row else None


def _create(connection: sqlite3.Connection) -> str:
    # A store migrated down to nothing keeps its empty version table.
    connection.execute("DROP TABLE IF EXISTS alembic_version")
    for statement in snapshot("sqlite").split(";\n"):
        if statement.strip():
            connection.execute(statement)
    return newest_version("sqlite")
