"""One line to a Redis or a Redis Cluster: scripts run where their keys are, every fault is one error of ours."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec

from rememora.errors import MissingExtra, SettingsError, StoreUnavailable

logger = logging.getLogger(__name__)
T = TypeVar("T")
Word = str | bytes | int | float
SCHEMES = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")
ALLOWED = "redis://host:6379/0, rediss://…, unix:///socket or redis+cluster://host:6379"


class Script(msgspec.Struct, frozen=True):
    """A Lua script, sent once and then known by its digest."""

    text: str

    @property
    def digest(self) -> str:
        """Return the server's name for the script."""
        return hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class RedisClient:
    """Connections to one Redis; only what reads is tried twice, for what was sent may have been done."""

    def __init__(self, url: str, *, field: str, seconds: float, connections: int) -> None:
        scheme = url.partition("://")[0]
        if scheme not in SCHEMES:
            raise SettingsError(field, f"{scheme}://…", ALLOWED)
        self._url, self._cluster = url.replace("+cluster", "", 1), scheme.endswith("+cluster")
        self._seconds, self._connections = seconds, connections
        self._client = self._open(field)
        self._digests: dict[Script, str] = {}

    async def call(self, *command: Word) -> Any:
        """One command."""
        return await self._guarded(lambda: self._client.execute_command(*command))

    async def ask(self, *command: Word) -> Any:
        """One command that changes nothing."""
        return await self._guarded(lambda: self._client.execute_command(*command), reading=True)

    async def run(self, script: Script, keys: Sequence[str], *arguments: Word, reading: bool = False) -> Any:
        """Run one script on keys of one slot."""
        return await self._guarded(lambda: self._evaluate(script, keys, arguments), reading=reading)

    async def close(self) -> None:
        """Let go of every connection."""
        await self._client.aclose()

    async def _evaluate(self, script: Script, keys: Sequence[str], arguments: Sequence[Word]) -> Any:
        from redis.exceptions import NoScriptError

        digest = self._digests.setdefault(script, script.digest)
        try:
            return await self._client.evalsha(digest, len(keys), *keys, *arguments)
        except NoScriptError:
            return await self._client.eval(script.text, len(keys), *keys, *arguments)

    async def _guarded(self, act: Callable[[], Awaitable[T]], *, reading: bool = False) -> T:
        from redis.exceptions import ConnectionError as Broken
        from redis.exceptions import RedisClusterException, RedisError

        before = _cancelled()
        try:
            try:
                return await act()
            except Broken:
                # The line may only be one from before the server's last start.
                if not reading:
                    raise
                return await act()
        except (RedisError, RedisClusterException, OSError, TimeoutError, AttributeError, RuntimeError) as error:
            # The last two: the package writes on a line of a cluster that another task has just closed.
            # By its type alone: a message of Redis may quote what was sent.
            raise StoreUnavailable(f"Redis does not answer: {type(error).__name__}") from error
        finally:
            # The package swallows a cancellation that comes while it looks whether a line is still good.
            if _cancelled() > before:
                raise asyncio.CancelledError

    def _open(self, field: str) -> Any:
        try:
            from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
            from redis.asyncio.retry import Retry
            from redis.backoff import NoBackoff
        except ImportError:
            raise MissingExtra("redis") from None
        wait: dict[str, Any] = {
            "socket_timeout": self._seconds,
            "socket_connect_timeout": self._seconds,
            "retry": Retry(NoBackoff(), 0),
            "max_connections": self._connections,
        }
        try:
            if self._cluster:
                return RedisCluster.from_url(self._url, **wait)
            pool = BlockingConnectionPool.from_url(self._url, timeout=self._seconds, **wait)
            return Redis.from_pool(pool)
        except ValueError:
            raise SettingsError(field, "…", ALLOWED) from None


def _cancelled() -> int:
    """Return how often the current task was asked to stop."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


class Cooldown:
    """Skips a Redis that does not answer for a while, so that not every request waits for it."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._until = 0.0
        self._down = False

    async def attempt(self, act: Callable[[], Awaitable[T]]) -> T | None:
        """Return the result of `act`, or None while Redis is unavailable."""
        now = self._clock()
        if now < self._until:
            return None
        if self._down:
            # One looks whether it is back; whoever comes meanwhile does not wait for the answer.
            self._until = now + self._seconds
        try:
            answer = await act()
        except StoreUnavailable as error:
            if not self._down:
                logger.warning("recent windows are read from the store alone: %s", error.message)
            self._down, self._until = True, self._clock() + self._seconds
            return None
        if self._down:
            logger.warning("recent windows are cached in Redis again")
        self._down, self._until = False, 0.0
        return answer
