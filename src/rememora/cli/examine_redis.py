"""Checks the Redis servers in the settings: the cache, and the one that holds missions."""

from __future__ import annotations

from collections.abc import AsyncIterator

from rememora.cli.finding import Finding, State
from rememora.engines import is_redis, look_at_redis
from rememora.errors import MissingExtra, RememoraError
from rememora.settings import Settings

OFF = 'run it with --save "" --appendonly no'


async def examine_redis(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the findings on each."""
    if settings.redis.url:
        async for finding in _beside(settings.redis.url):
            yield finding
    if is_redis(settings.missions.url):
        async for finding in _missions(settings.missions.url):
            yield finding


async def _beside(url: str) -> AsyncIterator[Finding]:
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
        yield Finding(state="warn", what="missions.url: what missions hold goes into Redis's files", remedy=OFF)


def _answers(field: str, version: str, milliseconds: float, *, too_old: bool) -> Finding:
    if too_old:
        return Finding(state="fail", what=f"{field}: Redis {version} is too old", remedy="use Redis 6.2 or newer")
    return Finding(state="ok", what=f"{field}: Redis {version} answers in {milliseconds:.1f} ms")


def _remedy(error: RememoraError) -> str:
    if isinstance(error, MissingExtra):
        return f"pip install 'rememora[{error.extra}]'"
    return "start it, or see that the URL is right"
