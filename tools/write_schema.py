"""Writes the schema snapshot that a fresh store is born with, and the list of its tables, from the migrations."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from rememora.adapters.sql.migrate import create_at, version_of
from rememora.adapters.sql.tables import Table

FOLDER = Path(__file__).parent.parent / "src/rememora/adapters/sql/schema"
OWN = frozenset({"alembic_version", "transfers"})
"""What a store says of itself, and no transfer carries."""


def sqlite_schema() -> str:
    """The SQL of every table and index that the migrations make, and the version stamp."""
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    with engine.connect() as connection:
        create_at(connection, "head")
        version = version_of(connection)
        rows = connection.execute(
            sa.text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        ).scalars()
        statements = "\n\n".join(_tidy(sql) for sql in rows)
    engine.dispose()
    stamp = f"INSERT INTO alembic_version (version_num) VALUES ('{version}');"
    return f"-- version: {version}\n{statements}\n\n{stamp}\n"


def table_list() -> str:
    """Every table that the migrations make, a line each: its key, then its other columns."""
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    with engine.connect() as connection:
        create_at(connection, "head")
        named = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        names = [name for name in connection.execute(sa.text(named)).scalars() if name not in OWN]
        lines = [str(_table(connection, name)) for name in names]
    engine.dispose()
    return "\n".join(lines) + "\n"


def _table(connection: sa.Connection, name: str) -> Table:
    rows = connection.execute(sa.text(f"PRAGMA table_info({name})")).all()
    key = [row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5]]
    return Table(name, tuple(key), tuple(row[1] for row in rows if not row[5]))


def _tidy(sql: str) -> str:
    lines = (line.replace("\t", "    ").rstrip() for line in sql.splitlines())
    return "\n".join(line for line in lines if line) + ";"


if __name__ == "__main__":
    (FOLDER / "sqlite.sql").write_text(sqlite_schema(), encoding="utf-8")
    (FOLDER / "tables.txt").write_text(table_list(), encoding="utf-8")
