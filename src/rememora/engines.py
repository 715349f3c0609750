"""Engines beside the store's own that a setting chooses: for missions, for vectors, for counting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from rememora.adapters.redis.client import SCHEMES as REDIS
from rememora.adapters.redis.client import Line
from rememora.adapters.redis.missions import RedisMissions
from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.outbox import SqlOutbox
from rememora.adapters.sql.store import Database
from rememora.domain.event import Event
from rememora.domain.scope import Scope
from rememora.errors import SettingsError
from rememora.ports.missions import MissionStore, Tell
from rememora.ports.outside import Clock, Embedder
from rememora.ports.quality import Tables
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.settings import Settings

DUCKDB = "duckdb:///"
MISSION_SECONDS = 5.0
MONGO = ("mongodb", "mongodb+srv")


async def open_missions(
    settings: Settings, database: Database, *, clock: Clock, after_write: Callable[[], None] = lambda: None
) -> MissionStore:
    """The mission store that `missions.url` chooses; what missions tell goes into the database's outbox."""
    scheme = settings.missions.url.partition("://")[0]
    if scheme == "":
        return SqlMissions(database, clock=clock, after_write=after_write)
    if scheme in MONGO:
        mongo = import_module("rememora.adapters.mongo.missions")
        store: MissionStore = mongo.open_missions(
            settings.missions.url, clock=clock, tell=teller(database, after_write)
        )
        return store
    if scheme in REDIS:
        wanted = settings.redis
        line = Line(
            settings.missions.url,
            field="missions.url",
            seconds=MISSION_SECONDS,
            connections=wanted.connections,
        )
        return RedisMissions(line, prefix=wanted.prefix, clock=clock, tell=teller(database, after_write))
    raise SettingsError("missions.url", f"{scheme}://…", "empty, redis://… or mongodb://…")


def teller(database: Database, after_write: Callable[[], None]) -> Tell:
    """How a mission store on another engine puts its events into the outbox."""

    async def tell(scope: Scope, events: Sequence[Event]) -> None:
        await database.write(scope.tenant, lambda tx: [SqlOutbox(tx).add(scope, event) for event in events])
        after_write()

    return tell


def open_vectors(settings: Settings, store: Store, embedder: Embedder | None) -> Vectors | None:
    """Where `recall.vectors` has vectors searched, or None where the shelves search their own."""
    if embedder is None or not settings.recall.vectors.startswith(DUCKDB):
        return None
    duckdb = import_module("rememora.adapters.duckdb.vectors")
    vectors: Vectors = duckdb.open_vectors(settings.recall.vectors, store, dimension=embedder.dimension)
    return vectors


def open_tables() -> Tables:
    """Passing tables that count what the gate did."""
    tables: Tables = import_module("rememora.adapters.duckdb.analytics").open_tables()
    return tables
