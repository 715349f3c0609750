"""Opening of a store: settings and URLs become engines, and engines become one set of parts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rememora import engines, reading, statements, telemetry
from rememora.adapters.keys import StoreKey
from rememora.adapters.metered import MeteredResponder
from rememora.adapters.passwords import Argon2
from rememora.adapters.redis.streams import RedisStream
from rememora.adapters.redis.windows import RedisWindows
from rememora.adapters.responder import BuiltinResponder
from rememora.adapters.sql import transfer as carry
from rememora.adapters.sql.observed import ObservedDatabase
from rememora.adapters.sql.store import Database, SqlStore
from rememora.adapters.webhook import Webhook
from rememora.context.act_first import acts_first
from rememora.context.actions import act_on
from rememora.context.find import Finder
from rememora.context.gather import Gatherer
from rememora.context.layers import gatherer_of
from rememora.context.model_reading import Reader
from rememora.domain.modules import Modules
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT
from rememora.engines import (
    key_folder,
    model_key,
    open_database,
    open_embedder,
    open_index,
    open_layers,
    open_ledger,
    open_missions,
    open_model,
    open_reader,
    open_vectors,
    open_windows,
)
from rememora.errors import Conflict, RememoraError, SigningKeyChanged
from rememora.events.relay import Listener
from rememora.knowledge.audit import REKEY
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.eraser import Eraser
from rememora.missions.debug import DebugViews
from rememora.missions.service import Missions
from rememora.ports.outside import Clock, Embedder
from rememora.ports.responder import Responder
from rememora.ports.store import Store
from rememora.ports.vectors import Vectors
from rememora.ports.window import WindowCache
from rememora.reading.encoders import lend_encoder
from rememora.reading.results import MessageReader
from rememora.recall.model import Watch
from rememora.settings import Settings
from rememora.tenancy.idempotency import IdempotentRequests
from rememora.tenancy.quotas import UsageMeter
from rememora.tenancy.trends import TrendRecorder
from rememora.turn import TurnRunner, TurnSteps
from rememora.wiring.background import add_index_steps, add_layout_steps, add_steps, add_vector_steps
from rememora.wiring.parts import Lazy, Overrides, Parts
from rememora.worker import Worker

if TYPE_CHECKING:
    from rememora.recall.search import Searcher
    from rememora.statements.meaning import Meaning

NOBODY = Scope(EVERY_TENANT, "nobody")


# The database comes before all that reads it: a wrong key or an old schema is refused with nothing else open.
# What holds vectors is made at the first search: a process that only writes never pays for it. An object that the
# caller passed (`outside`) stands before the one that the settings name. Steps of the worker come last, because
# they close over the parts.
async def open_parts(settings: Settings, outside: Overrides) -> Parts:
    """Open the engines that `settings` name, and add their steps to the worker."""
    worker = Worker({}, settings.worker)
    embedder = outside.embedder or open_embedder(settings)
    message_reader = open_reader(settings)
    key, database = await _open_signed(settings, worker)
    store = SqlStore(database, after_write=worker.nudge, model=model_key(embedder))
    try:
        missions = await open_missions(settings, database, clock=outside.clock, after_write=worker.nudge)
        vectors = outside.vectors or open_vectors(store, database, settings, embedder)
        plugin_layers = open_layers(settings, store)
    except RememoraError:
        await database.close()
        raise
    watch = None if embedder is None else Watch(store, embedder, clock=outside.clock)
    index = Lazy(lambda: open_index(store, settings, embedder))
    searcher = Lazy(lambda: _searcher(store, settings, embedder, outside, vectors=vectors or index(), watch=watch))
    windows = _open_settled(settings, worker)
    desk = _open_desk(store, settings, outside.clock, key, windows, _meaning_of(embedder))
    chosen = open_model(settings)
    usage_meter = UsageMeter(store, outside.clock)
    stream = engines.open_stream(settings) if settings.redis.url else None
    refresh = partial(_refresh, searcher)
    eraser = Eraser(desk=desk, missions=missions, refresh=refresh, windows=windows, told=stream)
    finder = Finder.of(settings, searcher, load=getattr(embedder, "load", None))
    responder = MeteredResponder(outside.responder or chosen or BuiltinResponder(), usage_meter, outside.counter)
    model = outside.model or chosen
    reader = None if model is None else Reader(model=model, tally=usage_meter, counter=outside.counter)
    reads = reader is not None and settings.reading.model
    steps = _turn_steps(desk, eraser, reads=reads, missions=missions, cache=windows)
    gatherer = gatherer_of(settings, store, finder, plugin_layers)
    turns = _turns(store, settings, outside, gatherer=gatherer, responder=responder, steps=steps)
    parts = Parts(
        settings=settings,
        store=store,
        clock=outside.clock,
        worker=worker,
        searcher=searcher,
        desk=desk,
        eraser=eraser,
        turns=turns,
        missions=Missions(missions, clock=outside.clock, settings=settings.missions),
        modules=Modules(),
        debug=DebugViews(missions, clock=outside.clock, settings=settings.missions),
        tally=usage_meter,
        repeats=IdempotentRequests(store, outside.clock),
        passwords=Argon2(),
        trends=TrendRecorder(store, outside.clock),
        reader=reader,
        windows=windows,
        told=stream,
        closing=[resource.close for resource in (windows, stream) if resource is not None],
    )
    add_steps(parts, model)
    if embedder is not None and watch is not None:
        await add_index_steps(parts, embedder, watch)
        add_vector_steps(parts, index, watch)
    add_layout_steps(parts)
    await _hold_reader(parts, message_reader, embedder)
    return parts


def _turn_steps(desk: KnowledgeBase, eraser: Eraser, **others: Any) -> TurnSteps:
    """Return the steps around an answer, with what acts on a message and decides whether that comes first."""
    return TurnSteps(act=partial(act_on, desk, eraser), acts_first=partial(acts_first, desk), **others)


async def _hold_reader(parts: Parts, reader: MessageReader | None, embedder: Embedder | None) -> None:
    """Let this process read messages with the configured reader, until the parts are closed."""
    try:
        release = reading.hold_reader(parts.settings.reading.reader, reader)
    except Conflict:
        await parts.store.close()
        raise

    encode = getattr(embedder, "encode_words", None)
    take_back = None if encode is None else lend_encoder(encode)

    async def let_go() -> None:
        release()
        if take_back is not None:
            take_back()

    parts.closing.append(let_go)


def _turns(
    store: Store,
    settings: Settings,
    outside: Overrides,
    *,
    gatherer: Gatherer,
    responder: Responder,
    steps: TurnSteps,
) -> TurnRunner:
    return TurnRunner(
        settings=settings,
        store=store,
        clock=outside.clock,
        gatherer=gatherer,
        responder=responder,
        counter=outside.counter,
        steps=steps,
    )


async def _open_signed(settings: Settings, worker: Worker) -> tuple[StoreKey, Database]:
    """Open the database with the key that signs its audit chain; refused if that key was lost."""
    key = StoreKey(key_folder(settings))
    key.tighten()
    database = await _open_heard(settings, worker)
    await _refuse_lost_key(database, key)
    return key, database


def _open_settled(settings: Settings, worker: Worker) -> RedisWindows | None:
    """Open the cache of windows, if configured, and let the worker finish its pending invalidations."""
    windows = open_windows(settings)
    if windows is not None:
        worker.add("windows", windows.settle)
    return windows


async def _refresh(searcher: Lazy[Searcher], scope: Scope) -> int:
    """Make search drop what was erased."""
    return await searcher().refresh(scope, erased=True)


async def _open_heard(settings: Settings, worker: Worker) -> Database:
    """Open the database, which wakes the worker when others write, and measure it if metrics are on."""
    engine = await open_database(settings)
    await _refuse_part(engine)
    engine.listen(worker.nudge)
    return engine if telemetry.measures() is None else ObservedDatabase(engine, telemetry.heard)


def open_stream(parts: Parts) -> RedisStream:
    """Open the configured stream of events; each user of it has connections of its own."""
    stream = engines.open_stream(parts.settings)
    parts.closing.append(stream.close)
    return stream


def open_webhook(parts: Parts, url: str, *, secret: str) -> Listener:
    """Return the listener that posts events to a URL."""
    events = parts.settings.events
    return Webhook(url, secret=secret, clock=parts.clock, private=events.private_addresses)


def _open_desk(
    store: Store,
    settings: Settings,
    clock: Clock,
    key: StoreKey,
    windows: WindowCache | None,
    meaning: Meaning | None,
) -> KnowledgeBase:
    return KnowledgeBase(
        store=store,
        clock=clock,
        signer=key,
        settings=settings,
        ledger=open_ledger(settings),
        windows=windows,
        meaning=meaning,
    )


def _meaning_of(embedder: Embedder | None) -> Meaning | None:
    """Return the comparison by meaning, if texts are embedded in the space that its weights were trained in."""
    encode = getattr(embedder, "embed_now", None)
    if embedder is None or encode is None or embedder.name != statements.meaning.SPACE:
        return None
    return statements.meaning.Meaning(encode)


def _searcher(
    store: Store,
    settings: Settings,
    embedder: Embedder | None,
    outside: Overrides,
    *,
    vectors: Vectors | None,
    watch: Watch | None,
) -> Searcher:
    # It computes with numpy, which `import rememora` does without.
    assemble = import_module("rememora.recall.assemble")
    parts = assemble.SearchParts(
        store=store,
        clock=outside.clock,
        embedder=embedder,
        engine=vectors,
        watch=watch,
        snapshots=engines.open_snapshots(settings),
        reranker=outside.reranker,
    )
    opened: Searcher = assemble.open_searcher(parts, settings)
    return opened


async def _refuse_part(database: Database) -> None:
    try:
        await carry.check_whole(database)
    except Conflict:
        await database.close()
        raise


async def _refuse_lost_key(database: Database, key: StoreKey) -> None:
    """Refuse a store with a chain and no key: a new key would silently invalidate the whole chain."""
    if key.made or key.place is None or not await carry.is_signed(database):
        return
    await database.close()
    raise SigningKeyChanged(
        f"the signing key {key.place} is missing, and the audit chain of this store was signed with it; "
        "restore it, check store.key_folder, or accept a new key",
        REKEY,
    )


async def ask_engines(parts: Parts) -> dict[str, str]:
    """Check each engine other than the store with a missing key, and report its fault."""
    checks: dict[str, Callable[[], Awaitable[object]]] = {}
    if parts.settings.missions.url:
        checks["missions.url"] = partial(parts.missions.find_active, NOBODY, limit=1)
    if parts.settings.recall.vectors != "memory":
        checks["recall.vectors"] = partial(parts.searcher().ask_engine, NOBODY)
    return {name: await _ailment(ask) for name, ask in checks.items()}


async def _ailment(ask: Callable[[], Awaitable[object]]) -> str:
    try:
        await ask()
    except RememoraError as error:
        return error.message
    return ""
