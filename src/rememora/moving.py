"""An operator's work on a whole store: migration, transfer, new vectors or a new signing key."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread

from rememora.adapters.keys import StoreKey
from rememora.adapters.sql import transfer as carry
from rememora.adapters.sql.folder import MEMORY, file_of, folder_of
from rememora.adapters.sql.store import Database, SqlStore
from rememora.domain.transfer import Transferred
from rememora.engines import (
    DEFAULT_FOLDER,
    is_in_folder,
    is_there,
    key_folder,
    open_database,
    open_embedder,
    open_store,
)
from rememora.errors import InvalidInput, SettingsError
from rememora.knowledge import audit
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.judge_stored import judge_due
from rememora.ports.outside import Clock, Embedder
from rememora.recall.reembed import reembed as reembed_all
from rememora.settings import Settings
from rememora.settings.urls import without_password
from rememora.wiring.parts import utc_now

Progress = Callable[[int, int], None]


async def reembed(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    clock: Clock = utc_now,
    progress: Progress | None = None,
) -> int:
    """Recompute every vector of the store with the configured embedder, while others use it."""
    embedder = embedder or open_embedder(settings)
    if embedder is None:
        raise SettingsError("recall.embedder", settings.recall.embedder, "an embedder that is installed")
    store = await open_store(settings)
    try:
        return await reembed_all(store, embedder, clock=clock, progress=progress)
    finally:
        await store.close()


async def rekey(settings: Settings, *, acting: str, why: str, clock: Clock = utc_now) -> list[str]:
    """Continue every audit chain with the current signing key, or with a new one if there is none."""
    store = await open_store(settings)
    try:
        return await audit.rekey(store, acting=acting, why=why, signer=StoreKey(key_folder(settings)), at=clock())
    finally:
        await store.close()


async def transfer(
    source: Settings, target: Settings, *, verify_only: bool = False, progress: Progress | None = None
) -> Transferred:
    """Copy a whole store into an empty one, or only compare the two."""
    _check_ends({"source": source, "target": target}, there=("source", "target") if verify_only else ("source",))
    async with _opened(source) as origin, _opened(target) as there:
        if verify_only:
            return await carry.compare(origin, there, progress=progress)
        # The key first: a target without it would make one of its own at its first opening.
        await _hand_key(source, target, origin)
        return await carry.transfer(origin, there, origin=origin_of(source), progress=progress)


async def _hand_key(source: Settings, target: Settings, database: Database) -> None:
    """Resolve the key folder of each store: the setting is a server's, and a folder contains its own key."""
    key = StoreKey(_own_folder(source) or key_folder(source))
    key = key if key.made else StoreKey(key_folder(source))
    if not key.made and await carry.is_signed(database):
        place = source.store.key_folder or DEFAULT_FOLDER
        raise SettingsError("store.key_folder", place, "must hold the key that signed the source")
    key.hand_to(StoreKey(_own_folder(target) or key_folder(target)))


def _own_folder(settings: Settings) -> Path | None:
    return folder_of(settings.store.url) if is_in_folder(settings.store.url) else None


def _check_ends(ends: dict[str, Settings], *, there: tuple[str, ...]) -> None:
    for field, settings in ends.items():
        if settings.store.url == MEMORY:
            raise InvalidInput(field, "a store in memory ends with this process")
    if len({origin_of(settings) for settings in ends.values()}) == 1:
        raise InvalidInput("target", "is the source itself")
    for field in there:
        if not is_there(ends[field]):
            raise InvalidInput(field, f"no store at {ends[field].store.url}")


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Database]:
    database = await open_database(settings)
    try:
        yield database
    finally:
        await database.close()


def origin_of(settings: Settings) -> str:
    """Return one name for a store, independent of how its folder is written, without revealing the location."""
    url = settings.store.url
    name = str(file_of(url).resolve()) if is_in_folder(url) else without_password(url)
    return hashlib.sha256(name.encode()).hexdigest()


def migrate(url: str, *, to: str = "head", **options: object) -> tuple[str | None, str | None]:
    """Migrate the store at `url` to a schema version; returns the versions before and after.

    Items of an embedded store from before visibility was decided at writing are judged at once. On a server, whose
    owner cannot read a tenant's rows as the application does, the worker does it when the application next starts.
    """
    module = import_module("rememora.adapters.sql.migrate")
    before, after = module.migrate(url, to=to, **options)
    if before is not None and after == module.known_versions()[-1] and not module.is_postgres(url):
        # An event loop of its own, because the caller may be inside of one.
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
