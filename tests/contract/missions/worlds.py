"""A mission store of any engine, opened for a test; a new engine is one line of ENGINES."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.engines.mongo import fresh_mongo
from tests.engines.postgres import postgres_url
from tests.engines.redis import fresh_cluster, fresh_redis

from rememora.adapters.sql.outbox import SqlOutbox
from rememora.adapters.sql.store import Database
from rememora.domain.event import Event
from rememora.domain.scope import Scope
from rememora.engines import open_database, open_missions
from rememora.missions import Board, Bus, Missions
from rememora.ports.missions import MissionStore
from rememora.settings import MissionSettings, Settings

WRITER = Path(__file__).with_name("mission_writer.py")
START = datetime(2026, 5, 4, 12, tzinfo=UTC)
ANA = Scope("acme", "ana", "c1")
SETTINGS = MissionSettings()

Place = dict[str, str]


@contextmanager
def _postgres() -> Iterator[Place]:
    with postgres_url() as url:
        yield {"store.url": url}


ENGINES: dict[str, Callable[[Path], AbstractContextManager[Place]]] = {
    "sqlite": lambda folder: nullcontext({"store.url": str(folder)}),
    "sqlite-memory": lambda _: nullcontext({"store.url": ":memory:"}),
    "postgres": lambda _: _postgres(),
    "mongo": lambda folder: nullcontext({"store.url": str(folder), "missions.url": fresh_mongo()}),
    "redis": lambda folder: nullcontext({"store.url": str(folder), **fresh_redis("missions.url")}),
    "redis-cluster": lambda folder: nullcontext({"store.url": str(folder), **fresh_cluster("missions.url")}),
}
SEEN_BY_OTHERS = [engine for engine in ENGINES if engine != "sqlite-memory"]


class World:
    """An open mission store, its clock, and the verbs above it."""

    def __init__(self, settings: Settings) -> None:
        self.now = START
        self.settings = settings
        self.folder = Path(settings.store.url)

    @classmethod
    @asynccontextmanager
    async def opened(cls, settings: Settings) -> AsyncIterator[World]:
        world = cls(settings)
        world.database = await open_database(settings)
        world.store = await open_missions(settings, world.database, clock=world.clock)
        world.missions = Missions(world.store, clock=world.clock, settings=SETTINGS)
        world.board, world.bus = world.missions.board, world.missions.bus
        yield world
        await world.store.close()
        await world.database.close()

    database: Database
    store: MissionStore
    missions: Missions
    board: Callable[[Scope, str], Board]
    bus: Callable[[Scope, str], Bus]

    def clock(self) -> datetime:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    async def events(self, scope: Scope = ANA) -> list[Event]:
        return await self.database.read(
            scope.tenant, lambda tx: SqlOutbox(tx).page(scope, after=0, limit=1000, types=None)
        )

    def child(self, act: str, mission: str, times: int = 0) -> list[str]:
        """The command of another process at this place, each of whose writers writes so many times."""
        settings = self.settings
        where = [settings.store.url, settings.missions.url, settings.redis.prefix]
        return [sys.executable, str(WRITER), *where, act, mission, str(times)]

    @property
    def many(self) -> int:
        """How often a writer writes to write much: less where every write crosses a socket."""
        return 50 if "://" in self.settings.store.url + self.settings.missions.url else 200

    async def types(self) -> list[str]:
        return [event.type for event in await self.events()]


@asynccontextmanager
async def world_of(engine: str, folder: Path) -> AsyncIterator[World]:
    """A fresh world of an engine."""
    with ENGINES[engine](folder) as place:
        settings = Settings.load({"store.synchronous": "normal", **place}, environ={})
        async with World.opened(settings) as opened:
            yield opened
