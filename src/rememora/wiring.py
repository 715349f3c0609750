"""The composition root: settings and URLs become engines, and engines become one set of parts."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import msgspec

from rememora import recall, telemetry
from rememora.adapters.keys import StoreKey
from rememora.adapters.metered import MeteredResponder
from rememora.adapters.offline import OfflineEmbedder
from rememora.adapters.responder import BuiltinResponder
from rememora.adapters.sql import transfer as carry
from rememora.adapters.sql.observed import ObservedDatabase
from rememora.adapters.sql.sqlite import MEMORY, file_of, folder_of
from rememora.adapters.sql.store import Database, SqlStore
from rememora.adapters.webhook import Webhook
from rememora.context.count import Counter
from rememora.context.find import Finder
from rememora.context.heed import heed
from rememora.context.layers import gatherer_of
from rememora.context.learn import count_due
from rememora.domain.modules import Modules
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT
from rememora.domain.transfer import Transferred
from rememora.engines import (
    key_folder,
    open_database,
    open_embedder,
    open_missions,
    open_model,
    open_store,
    open_vectors,
    open_windows,
)
from rememora.errors import Conflict, InvalidInput, ModelMismatch, RememoraError, SettingsError
from rememora.events.relay import Listener
from rememora.history.episodes import cut_due
from rememora.history.summarize import fold_due
from rememora.history.tell import tell_due
from rememora.knowledge.desk import Desk
from rememora.knowledge.habits import learn_due
from rememora.language import count_tokens
from rememora.missions.debug import DebugViews
from rememora.missions.desk import Missions
from rememora.ports.outside import Clock, Embedder, Model, Reranker
from rememora.ports.responder import Responder
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.ports.window import WindowCache
from rememora.settings import Settings
from rememora.tenancy.answers import sweep as sweep_answers
from rememora.tenancy.quotas import Tally
from rememora.turn import Around, Turns
from rememora.worker import Worker, paced

if TYPE_CHECKING:
    from rememora.recall.search import Searcher

logger = logging.getLogger(__name__)
T = TypeVar("T")
NOBODY = Scope(EVERY_TENANT, "nobody")
SWEEP_SECONDS = 60.0


class Outside(msgspec.Struct, frozen=True, kw_only=True):
    """What a host or a test may hand in, in place of what the settings would choose."""

    clock: Clock
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    model: Model | None = None
    responder: Responder | None = None
    counter: Counter = count_tokens
    vectors: Vectors | None = None


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What the verbs are given."""

    settings: Settings
    store: Store
    clock: Clock
    worker: Worker
    desk: Desk
    searcher: Callable[[], Searcher]
    vectors: Vectors | None
    turns: Turns
    missions: Missions
    modules: Modules
    debug: DebugViews
    tally: Tally
    windows: WindowCache | None = None
    closing: tuple[Callable[[], Awaitable[None]], ...] = ()


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)


async def open_parts(settings: Settings, outside: Outside) -> Parts:
    """Open the engines that `settings` name, and give the worker what it has to do on them."""
    worker = Worker({}, settings.worker)
    database: Database = await open_database(settings)
    await _refuse_part(database)
    if telemetry.measures() is not None:
        database = ObservedDatabase(database, telemetry.heard)
    store = SqlStore(database, after_write=worker.nudge)
    embedder = outside.embedder or open_embedder(settings)
    try:
        missions = await open_missions(settings, database, clock=outside.clock, after_write=worker.nudge)
        vectors = outside.vectors or open_vectors(settings, store, embedder)
    except RememoraError:
        await database.close()
        raise
    outside = msgspec.structs.replace(outside, vectors=vectors)
    key = StoreKey(key_folder(settings))
    searcher = cache(lambda: _searcher(store, settings, embedder, outside))
    desk = Desk(store=store, clock=outside.clock, signer=key, settings=settings)
    chosen = open_model(settings)
    load = embedder.load if isinstance(embedder, OfflineEmbedder) else None
    responder = outside.responder or chosen or BuiltinResponder()
    tally = Tally(store, outside.clock)
    windows = open_windows(settings)
    parts = Parts(
        settings=settings,
        store=store,
        clock=outside.clock,
        worker=worker,
        searcher=searcher,
        vectors=vectors,
        desk=desk,
        turns=Turns(
            settings=settings,
            store=store,
            clock=outside.clock,
            gatherer=gatherer_of(settings, store, Finder.of(settings, searcher, load=load), cache=windows),
            responder=MeteredResponder(responder, tally, outside.counter),
            counter=outside.counter,
            around=Around(act=partial(heed, desk), cache=windows),
        ),
        missions=Missions(missions, clock=outside.clock, settings=settings.missions),
        modules=Modules(),
        debug=DebugViews(missions, clock=outside.clock, settings=settings.missions),
        tally=tally,
        windows=windows,
        closing=(windows.close,) if windows else (),
    )
    if windows is not None:
        worker.add("windows", windows.settle)
    _add_tenancy_steps(parts)
    _add_mission_steps(parts)
    _add_history_steps(parts, outside.model or chosen)
    if embedder is not None:
        await _index_with(parts, embedder)
    return parts


def _add_history_steps(parts: Parts, model: Model | None) -> None:
    settings, clock = parts.settings, parts.clock
    cut = partial(cut_due, parts.store, settings=settings.episodes, clock=clock)
    parts.worker.add("episodes", partial(cut, patient=True), settling=partial(cut, patient=False))
    parts.worker.add("tell", partial(tell_due, parts.store, settings=settings.episodes))
    if settings.layers.summarization:
        fold = partial(fold_due, parts.store, settings=settings.summary, model=model, clock=clock)
        parts.worker.add("fold", fold)
    if settings.layers.entity_memory:
        parts.worker.add("mentions", partial(count_due, parts.desk, model=model))
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


def _searcher(store: Store, settings: Settings, embedder: Embedder | None, outside: Outside) -> Searcher:
    shelves = recall.shelves.Shelves(
        limit_bytes=settings.recall.memory_mb * 1024 * 1024,
        dimension=embedder.dimension if embedder else 0,
        elsewhere=settings.recall.vectors != "memory",
    )
    opinion = None
    if outside.reranker is not None:
        opinion = recall.rerank.SecondOpinion(outside.reranker, seconds=settings.recall.rerank_ms / 1000)
    elsewhere = None
    if outside.vectors is not None:
        above = settings.recall.ann_rows if settings.recall.vectors == "memory" else 0
        elsewhere = recall.search.Elsewhere(vectors=outside.vectors, above_rows=above)
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


async def _refuse_part(database: Database) -> None:
    try:
        await carry.check_whole(database)
    except Conflict:
        await database.close()
        raise


async def ask_engines(parts: Parts) -> dict[str, str]:
    """Ask each engine beside the store for something that nobody has, and say what ails it."""
    asked: dict[str, Callable[[], Awaitable[object]]] = {}
    if parts.settings.missions.url:
        asked["missions.url"] = partial(parts.missions.find_active, NOBODY, limit=1)
    if parts.vectors is not None:
        asked["recall.vectors"] = partial(parts.searcher().ask_elsewhere, NOBODY)
    return {name: await _ailment(ask) for name, ask in asked.items()}


async def _ailment(ask: Callable[[], Awaitable[object]]) -> str:
    try:
        await ask()
    except RememoraError as error:
        return error.message
    return ""


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


async def transfer(
    source: Settings,
    target: Settings,
    *,
    verify_only: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Transferred:
    """Carry a whole store into an empty one, or only compare the two."""
    _check_ends(source.store.url, target.store.url, verify_only=verify_only)
    async with _opened(source) as here, _opened(target) as there:
        if verify_only:
            return await carry.compare(here, there, progress=progress)
        # The key first: a target without it would make one of its own at its first opening.
        StoreKey(folder_of(source.store.url)).hand_to(StoreKey(folder_of(target.store.url)))
        return await carry.transfer(here, there, origin=origin_of(source.store.url), progress=progress)


def _check_ends(source: str, target: str, *, verify_only: bool) -> None:
    for field, url in (("source", source), ("target", target)):
        if url == MEMORY:
            raise InvalidInput(field, "a store in memory ends with this process")
    if origin_of(source) == origin_of(target):
        raise InvalidInput("target", "is the source itself")
    for field, url in (("source", source), ("target", target)):
        if (field == "source" or verify_only) and not file_of(url).exists():
            raise InvalidInput(field, f"there is no store at {url}")


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Database]:
    database = await open_database(settings)
    try:
        yield database
    finally:
        await database.close()


def origin_of(url: str) -> str:
    """One name for a store, whichever way its URL is written; it tells nobody where the store is."""
    return hashlib.sha256(str(file_of(url).resolve()).encode()).hexdigest()


def migrate(url: str, *, to: str = "head", **wanted: object) -> tuple[str | None, str | None]:
    """Bring the store at `url` to a schema version; returns the versions before and after."""
    module = import_module("rememora.adapters.sql.migrate")
    before, after = module.migrate(url, to=to, **wanted)
    return before, after
