"""Moves a store from one schema version to another; the only importer of Alembic."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from rememora.adapters.sql.folder import file_of
from rememora.adapters.sql.postgres.migrate import (
    APP_ROLE,
    Secured,
    index_vectors,
    is_postgres,
    postgres_engine,
    secured,
)
from rememora.adapters.sql.postgres.tables import PARTITIONS
from rememora.errors import InvalidInput, SchemaOutdated, StoreUnavailable
from rememora.settings.urls import as_owner, without_password

HEAD, BASE = "head", "base"
NOT_ALLOWED = ("42501", "28000")


def migrate(
    url: str,
    *,
    to: str = HEAD,
    role: str = APP_ROLE,
    partitions: int = PARTITIONS,
    vectors: bool = False,
    dimension: Callable[[], int | None] = lambda: None,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[str | None, str | None]:
    """Migrate the store at `url` to version `to`, up or down; returns the versions before and after.

    On a server the URL is the owner's; `role` is the application's role, `partitions` the number of partitions
    of a new store's tables, and `vectors` builds the index of neighbours for the model in use, or on a store
    without vectors for `dimension`. `tell` is called with whether it was built, or why not.
    """
    engine = postgres_engine(url) if is_postgres(url) else _engine(_existing(url))
    guard = partial(secured, role=role, partitions=partitions) if is_postgres(url) else nullcontext
    try:
        with engine.connect() as connection:
            before = version_of(connection)
            _check_known(before, to)
            with guard(connection) as secured_store:
                _run(connection, before, to)
            connection.commit()
            after = version_of(connection)
    except sa.exc.DBAPIError as error:
        raise StoreUnavailable(
            f"cannot migrate {without_password(url)}: {_said(error)}{_hint(error, url)}"
        ) from None
    finally:
        engine.dispose()
    # After the commit: PostgreSQL builds an index online only outside a transaction.
    if vectors:
        tell(_index_vectors(url, secured_store, after, dimension))
    return before, after


def _index_vectors(url: str, secured: object, after: str | None, dimension: Callable[[], int | None]) -> str:
    if not isinstance(secured, Secured):
        return "an embedded store needs no order: it builds the index of neighbours itself, for users with much"
    if after is None:
        return "no nearest-neighbour index was built: the store has no tables"
    return index_vectors(url, secured.dimension or dimension())


def version_of(connection: sa.Connection) -> str | None:
    """The version a store is at, None where it has no schema."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    version = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    connection.rollback()
    return version if version is None else str(version)


def create_at(connection: sa.Connection, version: str) -> None:
    """An empty schema of one version, as the migrations make it."""
    _run(connection, None, version)
    connection.commit()


def known_versions() -> list[str]:
    """Every version there is a migration for, oldest first."""
    return sorted(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def _run(connection: sa.Connection, before: str | None, to: str) -> None:
    config = _config()
    config.attributes["connection"] = connection
    if to == BASE or (to != HEAD and before is not None and to < before):
        command.downgrade(config, to)
    else:
        command.upgrade(config, to)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def _engine(file: Path) -> sa.Engine:
    """An engine whose transactions hold schema changes too: a migration that fails leaves nothing behind."""
    engine = sa.create_engine(f"sqlite:///{file}", poolclass=sa.NullPool)

    # The driver would begin only before a row changes, and leave CREATE and DROP outside.
    @sa.event.listens_for(engine, "connect")
    def _leave_transactions_to_us(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _hint(error: sa.exc.DBAPIError, url: str) -> str:
    """Name the role that must do it, where the current one may not: the application's role owns nothing."""
    if getattr(error.orig, "sqlstate", None) not in NOT_ALLOWED:
        return ""
    return (
        ". A store is migrated by the role that owns its tables, never by the one the application connects as: "
        f"rememora migrate --url {as_owner(url)} --role APP_ROLE"
    )


def _said(error: sa.exc.DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]


def _check_known(before: str | None, to: str) -> None:
    versions = known_versions()
    if to not in (HEAD, BASE, *versions):
        raise InvalidInput("to", f"must be {HEAD}, {BASE} or one of {', '.join(versions)}")
    if before is not None and before not in versions:
        raise SchemaOutdated(
            f"the store has schema {before}, newer than the {versions[-1]} this version of Rememora knows",
            "pip install --upgrade rememora",
        )


def _existing(url: str) -> Path:
    file = file_of(url)
    if not file.exists():
        raise InvalidInput("url", f"no store at {url}")
    return file
