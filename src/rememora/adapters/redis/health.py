"""Health of a Redis for operators: whether it answers, its version, and its persistence and eviction settings."""

from __future__ import annotations

import time

import msgspec

from rememora.adapters.redis.client import RedisClient, Script

SECONDS = 5.0
KEY = "rememora:doctor"
OLDEST = (6, 2)
_SAYS = Script("return redis.call('INFO', ARGV[1])")


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """One Redis, as it says of itself."""

    version: str
    milliseconds: float
    writes_files: bool
    evicts: str
    limit_bytes: int

    @property
    def too_old(self) -> bool:
        """Return whether it lacks commands that are needed."""
        return tuple(int(part) for part in self.version.split(".")[:2]) < OLDEST


async def look(url: str, *, field: str) -> Health:
    """Ask it; raises where it does not answer."""
    line = RedisClient(url, field=field, seconds=SECONDS, connections=1)
    try:
        begun = time.perf_counter()
        await line.ask("EXISTS", KEY)
        begun, taken = time.perf_counter(), time.perf_counter() - begun
        await line.ask("EXISTS", KEY)
        taken = min(taken, time.perf_counter() - begun)
        server, memory, files = [await _info(line, part) for part in ("server", "memory", "persistence")]
    finally:
        await line.close()
    saved = int(files["rdb_last_save_time"]) > int(server["server_time_usec"]) // 1_000_000 - int(
        server["uptime_in_seconds"]
    )
    return Health(
        version=server["redis_version"],
        milliseconds=taken * 1000,
        writes_files=files["aof_enabled"] == "1" or saved,
        evicts=memory["maxmemory_policy"],
        limit_bytes=int(memory["maxmemory"]),
    )


async def _info(line: RedisClient, part: str) -> dict[str, str]:
    text = (await line.run(_SAYS, [KEY], part, reading=True)).decode()
    pairs = (row.strip().partition(":") for row in text.splitlines() if ":" in row)
    return {name: value for name, _, value in pairs}
