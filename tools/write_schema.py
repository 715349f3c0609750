"""Writes the schema snapshot that a fresh store is born with, from the migrations (`make schema`)."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from rememora.adapters.sql.migrate import create_at, version_of

TARGET = Path(__file__).parent.parent / "src/rememora/adapters/sql/schema/sqlite.sql"


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


def _tidy(sql: str) -> str:
    lines = (line.replace("\t", "    ").rstrip() for line in sql.splitlines())
    return "\n".join(line for line in lines if line) + ";"


if __name__ == "__main__":
    TARGET.write_text(sqlite_schema(), encoding="utf-8")
