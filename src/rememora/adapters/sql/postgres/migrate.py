"""Work of a PostgreSQL migration beyond its statements: one transaction, partitions, roles, policies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import sqlalchemy as sa

from rememora.adapters.sql.postgres.roles import ensure_roles, run, secure, see_everything, see_nothing
from rememora.adapters.sql.postgres.tables import partitioned, partitions_in_use
from rememora.errors import MissingExtra, StoreUnavailable

APP_ROLE = "rememora_app"
# What `migrate` reports about the nearest-neighbour index; a missing one only slows searches down.
NO_DIMENSION = (
    "no nearest-neighbour index was built: the store has no vectors yet, and no installed embedder tells their "
    "length; set recall.embedder or install one, then run this again"
)
TOO_LONG = "no nearest-neighbour index was built: PostgreSQL has none for vectors of {dimension} numbers"
BUILT = "the nearest-neighbour index for vectors of {dimension} numbers exists, and new rows are added to it"
_ONE_AT_A_TIME = 7_163_025_000


def is_postgres(url: str) -> bool:
    """Return whether a store's URL names a PostgreSQL server."""
    return url.partition("://")[0] in ("postgres", "postgresql")


def postgres_engine(url: str) -> sa.Engine:
    """An engine that connects as libpq does, whatever the URL says."""
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("postgres") from None

    def connect() -> Any:
        return psycopg.connect(url, connect_timeout=10, application_name="rememora migrate")

    return sa.create_engine("postgresql+psycopg://", creator=connect, poolclass=sa.NullPool)


def index_vectors(url: str, dimension: int | None) -> str:
    """Build the index of neighbours, and say so, or why not; apart, since it needs a driver of its own."""
    if not dimension:
        return NO_DIMENSION
    near = import_module("rememora.adapters.sql.postgres.near")
    try:
        built = near.index_vectors(url, dimension)
    except near.FAILURES as error:
        said = str(error).strip().partition("\n")[0]
        what = f"the nearest-neighbour index for vectors of {dimension} numbers"
        raise StoreUnavailable(f"cannot build {what}: {said}") from None
    return BUILT.format(dimension=dimension) if built else TOO_LONG.format(dimension=dimension)


class Secured:
    """Findings of a migration while it could see everything."""

    dimension: int | None = None


@contextmanager
def secured(connection: sa.Connection, *, role: str, partitions: int) -> Iterator[Secured]:
    """All or nothing: roles before, partitions meanwhile, policies and grants behind, in one transaction."""
    run(connection, "lock_migration", {"number": _ONE_AT_A_TIME})
    ensure_roles(connection, role)
    see_everything(connection, role)
    report = Secured()
    in_use = partitions_in_use(connection)
    with partitioned(partitions if in_use is None else in_use):
        yield report
    secure(connection, role)
    if run(connection, "has_models").scalar():
        report.dimension = run(connection, "largest_dimension").scalar()
    see_nothing(connection, role)
