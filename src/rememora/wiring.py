"""The composition root: settings and URLs become engines, and engines become one set of parts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from rememora import documents, engines, reading, statements, telemetry
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
from rememora.context.actions import act_on
from rememora.context.count import Counter
from rememora.context.find import Finder
from rememora.context.gather import Gatherer
from rememora.context.layers import gatherer_of
from rememora.context.learn import count_due
from rememora.context.model_reading import Reader, read_due
from rememora.domain.modules import Modules
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import EVERY_TENANT
from rememora.engines import (
    has_index,
    has_layouts,
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
from rememora.errors import Conflict, ModelMismatch, RememoraError, SigningKeyChanged
from rememora.events import retention
from rememora.events.relay import Listener
from rememora.history.episode_summary import summarise_due
from rememora.history.episodes import cut_due
from rememora.history.summarize import fold_due
from rememora.knowledge.audit import REKEY
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.eraser import Eraser
from rememora.knowledge.habits import learn_due
from rememora.knowledge.judge_stored import judge_due
from rememora.language import count_tokens
from rememora.missions.debug import DebugViews
from rememora.missions.service import Missions
from rememora.ports.outside import Clock, Embedder, Model, Passwords, Reranker
from rememora.ports.responder import Responder
from rememora.ports.store import Store
from rememora.ports.stream import PublishedEvents
from rememora.ports.vectors import Vectors
from rememora.ports.window import WindowCache
from rememora.reading.results import MessageReader
from rememora.recall import embed, sizes
from rememora.recall.model import Watch, check_model
from rememora.recall.remake import FeatureMaker
from rememora.settings import Settings
from rememora.tenancy.idempotency import IdempotentRequests
from rememora.tenancy.idempotency import sweep as sweep_answers
from rememora.tenancy.logins import sweep as sweep_logins
from rememora.tenancy.quotas import UsageMeter
from rememora.tenancy.trends import TrendRecorder
from rememora.turn import TurnRunner, TurnSteps
from rememora.worker import Worker, paced

if TYPE_CHECKING:
    from rememora.adapters.usearch.vectors import UsearchVectors
    from rememora.recall.search import Searcher
    from rememora.statements.meaning import Meaning

logger = logging.getLogger(__name__)
T = TypeVar("T")
NOBODY = Scope(EVERY_TENANT, "nobody")
SWEEP_SECONDS = 60.0
FLUSH_SECONDS = 10.0
BUILD_SECONDS = 60.0
LAYOUT_SECONDS = 600.0
AGAIN_SECONDS = 86_400.0
"""At start, and then once a day: what a model refused a minute ago it will refuse again."""


class Overrides(msgspec.Struct, frozen=True, kw_only=True):
    """Overrides by a host or a test of what the settings would choose."""

    clock: Clock
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    model: Model | None = None
    responder: Responder | None = None
    counter: Counter = count_tokens
    vectors: Vectors | None = None


class Lazy(Generic[T]):
    """A part that is made when it is first asked for."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.made: T | None = None

    def __call__(self) -> T:
        if self.made is None:
            self.made = self._make()
        return self.made


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """Services that the verbs are given."""

    settings: Settings
    store: Store
    clock: Clock
    worker: Worker
    desk: KnowledgeBase
    eraser: Eraser
    searcher: Lazy[Searcher]
    turns: TurnRunner
    missions: Missions
    modules: Modules
    debug: DebugViews
    tally: UsageMeter
    repeats: IdempotentRequests
    passwords: Passwords
    trends: TrendRecorder
    reader: Reader | None = None
    """Reads texts with a language model, where there is one."""
    windows: WindowCache | None = None
    told: PublishedEvents | None = None
    closing: list[Callable[[], Awaitable[None]]] = []
    """What else has to be let go of at the end."""


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)


async def open_parts(settings: Settings, outside: Overrides) -> Parts:
    """Open the engines that `settings` name, and give the worker what it has to do on them."""
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
    told = engines.open_stream(settings) if settings.redis.url else None
    eraser = Eraser(desk=desk, missions=missions, refresh=partial(_refresh, searcher), windows=windows, told=told)
    finder = Finder.of(settings, searcher, load=getattr(embedder, "load", None))
    responder = MeteredResponder(outside.responder or chosen or BuiltinResponder(), usage_meter, outside.counter)
    model = outside.model or chosen
    reader = None if model is None else Reader(model=model, tally=usage_meter, counter=outside.counter)
    reads = reader is not None and settings.reading.model
    around = TurnSteps(act=partial(act_on, desk, eraser), reads=reads, missions=missions, cache=windows)
    gatherer = gatherer_of(settings, store, finder, plugin_layers)
    turns = _turns(store, settings, outside, gatherer=gatherer, responder=responder, around=around)
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
        told=told,
        closing=[each.close for each in (windows, told) if each is not None],
    )
    _add_steps(parts, model)
    if embedder is not None and watch is not None:
        await _index_with(parts, embedder, watch)
        _add_vector_steps(parts, index, watch)
    _add_layout_steps(parts)
    await _hold_reader(parts, message_reader)
    return parts


def _add_steps(parts: Parts, model: Model | None) -> None:
    """Give the worker what it does on every store."""
    _add_tenancy_steps(parts)
    _add_mission_steps(parts)
    _add_history_steps(parts, model)


async def _hold_reader(parts: Parts, reader: MessageReader | None) -> None:
    """Have this process read messages as the settings say, until the parts are closed."""
    try:
        release = reading.hold_reader(parts.settings.reading.reader, reader)
    except Conflict:
        await parts.store.close()
        raise

    async def let_go() -> None:
        release()

    parts.closing.append(let_go)


def _turns(
    store: Store,
    settings: Settings,
    outside: Overrides,
    *,
    gatherer: Gatherer,
    responder: Responder,
    around: TurnSteps,
) -> TurnRunner:
    return TurnRunner(
        settings=settings,
        store=store,
        clock=outside.clock,
        gatherer=gatherer,
        responder=responder,
        counter=outside.counter,
        around=around,
    )


async def _open_signed(settings: Settings, worker: Worker) -> tuple[StoreKey, Database]:
    """Open the database with the key that signs its audit chain; refused where that key was lost."""
    key = StoreKey(key_folder(settings))
    key.tighten()
    database = await _open_heard(settings, worker)
    await _refuse_lost_key(database, key)
    return key, database


def _open_settled(settings: Settings, worker: Worker) -> RedisWindows | None:
    """Open the hot copies of windows, where there are any, and let the worker settle what they owe."""
    windows = open_windows(settings)
    if windows is not None:
        worker.add("windows", windows.settle)
    return windows


async def _refresh(searcher: Lazy[Searcher], scope: Scope) -> int:
    """Make search let go of what was erased."""
    return await searcher().refresh(scope, erased=True)


async def _open_heard(settings: Settings, worker: Worker) -> Database:
    """The database, which wakes the worker when others write, and is measured where anybody measures."""
    engine = await open_database(settings)
    await _refuse_part(engine)
    engine.listen(worker.nudge)
    return engine if telemetry.measures() is None else ObservedDatabase(engine, telemetry.heard)


def _add_history_steps(parts: Parts, model: Model | None) -> None:
    settings, clock = parts.settings, parts.clock
    cut = partial(cut_due, parts.store, settings=settings.episodes, clock=clock)
    parts.worker.add("episodes", partial(cut, patient=True), settling=partial(cut, patient=False))
    parts.worker.add("judge", partial(judge_due, parts.desk))
    parts.worker.add("tell", partial(summarise_due, parts.store, settings=settings.episodes))
    if settings.layers.summarization:
        fold = partial(fold_due, parts.store, settings=settings.summary, model=model, clock=clock)
        parts.worker.add("fold", fold)
    if settings.layers.entity_memory:
        parts.worker.add("mentions", partial(count_due, parts.desk, model=model))
    if parts.reader is not None and settings.reading.model:
        read = partial(read_due, parts.desk, parts.reader)
        parts.worker.add("reading", partial(read, patient=True), settling=partial(read, patient=False))
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
        await sweep_logins(parts.store, settings=parts.settings.access, clock=parts.clock)
        return False

    retain = partial(retention.sweep, parts.store, settings=parts.settings, clock=parts.clock)
    expire = partial(documents.expire_due, parts.store, clock=parts.clock)
    parts.worker.add("retention", paced(retain, retention.PACE_SECONDS), settling=retain)
    parts.worker.add("documents", paced(expire, documents.SWEEP_SECONDS), settling=expire)
    parts.worker.add("usage", parts.tally.flush)
    parts.worker.add("trends", paced(parts.trends.flush, FLUSH_SECONDS), settling=parts.trends.flush)
    parts.worker.add("lags", paced(parts.trends.sample, SWEEP_SECONDS))
    parts.worker.add("answers", paced(sweep, SWEEP_SECONDS), settling=sweep)


def open_stream(parts: Parts) -> RedisStream:
    """The stream of events that the settings name; each user of it has connections of its own."""
    stream = engines.open_stream(parts.settings)
    parts.closing.append(stream.close)
    return stream


def open_webhook(parts: Parts, url: str, *, secret: str) -> Listener:
    """Return the listener that posts events to a URL."""
    wanted = parts.settings.events
    return Webhook(url, secret=secret, clock=parts.clock, private=wanted.private_addresses)


def _add_vector_steps(parts: Parts, index: Lazy[UsearchVectors | None], watch: Watch) -> None:
    above = parts.settings.recall.ann_rows

    async def build() -> bool:
        if await watch.moved():
            return False
        owners = await parts.store.index(lambda keeper: keeper.scopes_above(rows=above), reading=True)
        # Most stores have no such user, and need not load what searches for them.
        found = index() if find_spec("usearch") and (owners or has_index(parts.settings)) else None
        if found is not None:
            await found.build(owners)
        return False

    parts.worker.add("vectors", paced(build, BUILD_SECONDS), settling=build)


def _add_layout_steps(parts: Parts) -> None:
    async def save() -> bool:
        made = parts.searcher.made
        return made is not None and await made.save_large()

    async def above(rows: int) -> list[Scope]:
        found = await parts.store.index(lambda keeper: keeper.scopes_above(rows=rows), reading=True)
        return [owner for owner in found if owner.user != SHARED]

    async def sweep() -> bool:
        settings = parts.settings.recall
        ahead = await above(settings.ann_rows if settings.vectors == "memory" else sizes.KEPT_ROWS)
        saved = has_layouts(parts.settings)
        # Most stores have no such user, and need not load what searches for them.
        if ahead or saved:
            large = await above(sizes.SAVED_ROWS) if saved else ahead
            await parts.searcher().sweep(large, ahead=frozenset(ahead))
        return False

    parts.worker.add("layouts", paced(sweep, LAYOUT_SECONDS), settling=sweep)
    parts.worker.add("shelves", paced(save, BUILD_SECONDS), settling=save)


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
    """The comparison by meaning, where texts are embedded in the space that its weights were trained in."""
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


async def _index_with(parts: Parts, embedder: Embedder, watch: Watch) -> None:
    try:
        await check_model(parts.store, embedder)
    except ModelMismatch:
        await parts.store.close()
        raise
    step = partial(embed.embed_or_tell, parts.store, embedder, watch, clock=parts.clock)
    again = partial(embed.try_again, parts.store)
    maker = FeatureMaker(parts.store)
    parts.worker.add("features", maker.step, settling=maker.make)
    parts.worker.add("refused", paced(again, AGAIN_SECONDS))
    parts.worker.add("index", step)


async def _refuse_part(database: Database) -> None:
    try:
        await carry.check_whole(database)
    except Conflict:
        await database.close()
        raise


async def _refuse_lost_key(database: Database, key: StoreKey) -> None:
    """A new key would be made in silence, and disown the whole chain."""
    if key.made or key.place is None or not await carry.is_signed(database):
        return
    await database.close()
    raise SigningKeyChanged(
        f"the signing key {key.place} is missing, and the audit chain of this store was signed with one; "
        "put it back, see that store.key_folder names its folder, or accept a new key",
        REKEY,
    )


async def ask_engines(parts: Parts) -> dict[str, str]:
    """Query each engine other than the store for a missing key, and report its fault."""
    asked: dict[str, Callable[[], Awaitable[object]]] = {}
    if parts.settings.missions.url:
        asked["missions.url"] = partial(parts.missions.find_active, NOBODY, limit=1)
    if parts.settings.recall.vectors != "memory":
        asked["recall.vectors"] = partial(parts.searcher().ask_engine, NOBODY)
    return {name: await _ailment(ask) for name, ask in asked.items()}


async def _ailment(ask: Callable[[], Awaitable[object]]) -> str:
    try:
        await ask()
    except RememoraError as error:
        return error.message
    return ""


def migrate(url: str, *, to: str = "head", **wanted: object) -> tuple[str | None, str | None]:
    """Bring the store at `url` to a schema version; returns the versions before and after.

    What an embedded store held before visibility was decided at writing is judged at once. On a server, whose
    owner may read no tenant's rows as the application does, the worker does it when the application next starts.
    """
    module = import_module("rememora.adapters.sql.migrate")
    before, after = module.migrate(url, to=to, **wanted)
    if before is not None and after == module.known_versions()[-1] and not module.is_postgres(url):
        # A loop of its own: whoever migrates may be inside of one.
        judging = Thread(target=lambda: asyncio.run(_judge_stored(url)))
        judging.start()
        judging.join()
    return before, after


async def _judge_stored(url: str) -> None:
    settings = Settings.load({"store.url": url}, environ={})
    store = SqlStore(await open_database(settings))
    try:
        knowledge = KnowledgeBase(
            store=store, clock=utc_now, signer=StoreKey(key_folder(settings)), settings=settings
        )
        while await judge_due(knowledge):
            pass
    finally:
        await store.close()
