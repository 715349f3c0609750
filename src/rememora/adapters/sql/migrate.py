"""Moves a store from one schema version to another; the only importer of Alembic."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from rememora.adapters.sql.sqlite import file_of
from rememora.errors import InvalidInput, StoreUnavailable


def migrate(url: str, *, to: str = "head") -> tuple[str | None, str | None]:
    """Bring the store at `url` to version `to`, up or down; returns the versions before and after."""
    engine = sa.create_engine(f"sqlite:///{_existing(url)}", poolclass=sa.NullPool)
    try:
        with engine.connect() as connection:
            before = version_of(connection)
            _run(connection, before, to)
            return before, version_of(connection)
    except sa.exc.OperationalError as error:
        raise StoreUnavailable(f"cannot migrate {url}: {error.orig}") from None
    finally:
        engine.dispose()


def version_of(connection: sa.Connection) -> str | None:
    """The version a store is at, None where it has no schema."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    connection.rollback()
    return found if found is None else str(found)


def create_at(connection: sa.Connection, version: str) -> None:
    """An empty schema of one version, as the migrations make it."""
    _run(connection, None, version)


def _run(connection: sa.Connection, before: str | None, to: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    if to == "head" or before is None or to > before:
        command.upgrade(config, to)
    elif to < before:
        command.downgrade(config, to)
    connection.commit()


def _existing(url: str) -> Path:
    file = file_of(url)
    if not file.exists():
        raise InvalidInput("url", f"there is no store at {url}")
    return file
