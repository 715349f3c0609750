"""Settings of the engines: the store, and optional services next to it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from rememora.settings.section import Section


class StoreSettings(Section, frozen=True, kw_only=True):
    """Location of the store."""

    title = "store"
    url: Annotated[
        str,
        Meta(
            min_length=1,
            description="A folder, `:memory:`, or `postgresql://user@host/database`, as a role that owns nothing; "
            "another scheme names an installed plugin of `rememora.engines`.",
        ),
    ] = "rememora-data"
    synchronous: Annotated[
        Literal["full", "normal"],
        Meta(
            description="`full`: an acknowledged write survives power loss. "
            "`normal`: faster; the last commits may be lost when the power fails, never when the process dies."
        ),
    ] = "full"
    readers: Annotated[int, Meta(ge=1, le=32, description="Number of reading threads.")] = 2
    busy_seconds: Annotated[
        float, Meta(ge=0.1, le=300, description="Time that a write waits for another process before it fails.")
    ] = 30.0
    group: Annotated[int, Meta(ge=1, le=1024, description="Concurrent writes that may share one commit.")] = 128
    connections: Annotated[
        int, Meta(ge=2, le=200, description="PostgreSQL: connections of one process, each with a thread.")
    ] = 8
    connect_seconds: Annotated[
        float, Meta(ge=0.1, le=300, description="PostgreSQL: time limit for a connection.")
    ] = 10.0
    statement_seconds: Annotated[
        float, Meta(ge=0.1, le=3600, description="PostgreSQL: time limit of one statement.")
    ] = 30.0
    prepare: Annotated[
        Literal["auto", "always", "never"],
        Meta(
            description="PostgreSQL: prepare repeated statements; `auto` does so unless there is a pooler "
            "in between, which in transaction mode may lose them."
        ),
    ] = "auto"
    listen_url: Annotated[
        str,
        Meta(
            description="PostgreSQL: where to listen for other processes' writes when `store.url` leads through a "
            "pooler; if empty, it is polled every `worker.poll_seconds`."
        ),
    ] = ""
    replica_url: Annotated[
        str,
        Meta(
            description="PostgreSQL: a read replica; a tenant reads from it once it has everything that this "
            "process wrote. Empty for none."
        ),
    ] = ""
    rewrite_mb: Annotated[
        int,
        Meta(
            ge=0,
            le=1_048_576,
            description="PostgreSQL: largest part of a table that an erasure rewrites for a tenant, which "
            "locks the table; larger parts are vacuumed, and the receipt says so.",
        ),
    ] = 64
    key_folder: Annotated[
        str,
        Meta(
            description="Folder of the signing key; if empty, the store's own folder, or `rememora-data` when "
            "the store is on a server. Must be the same for every process on one store."
        ),
    ] = ""


class RedisSettings(Section, frozen=True, kw_only=True):
    """A Redis next to the store: cached windows, and a stream of events. It may disappear at any time."""

    title = "redis"
    url: Annotated[
        str,
        Meta(
            description="`redis://host:6379/0`, `rediss://…` with TLS, `unix:///socket` or "
            "`redis+cluster://host:6379`; empty for none. Never shown or logged."
        ),
    ] = ""
    prefix: Annotated[
        str,
        Meta(min_length=1, description="Prefix of every key; a different one for each store that shares a Redis."),
    ] = "rememora"
    window_seconds: Annotated[
        int,
        Meta(ge=0, le=86_400, description="Lifetime of a cached window after its last change; 0 for no cache."),
    ] = 3600
    trust_ms: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="Time for which a confirmed window is read without asking the store again; "
            "0 to ask every time. Must be the same for every process of a store: a write that Redis misses waits "
            "twice as long before it is acknowledged.",
        ),
    ] = 0
    timeout_ms: Annotated[
        int, Meta(ge=1, le=60_000, description="Time limit of the cache; after that the store answers alone.")
    ] = 100
    rest_seconds: Annotated[
        float, Meta(ge=0, le=600, description="Time for which an unresponsive Redis is skipped.")
    ] = 1.0
    events: Annotated[bool, Meta(description="Publish every event to a stream that consumer groups read.")] = False
    stream: Annotated[str, Meta(min_length=1, description="Name of that stream, after the prefix.")] = "events"
    stream_length: Annotated[int, Meta(ge=1, le=100_000_000, description="Approximate length of the stream.")] = (
        100_000
    )
    claim_seconds: Annotated[
        float,
        Meta(gt=0, le=86_400, description="Seconds after which another consumer takes over a dead one's events."),
    ] = 60.0
    connections: Annotated[int, Meta(ge=1, le=10_000, description="Maximum connections of one process.")] = 64
