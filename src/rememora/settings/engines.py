"""Settings of engines beside the store."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from rememora.settings.section import Section


class Redis(Section, frozen=True, kw_only=True):
    """A Redis beside the store: hot copies of windows, and a stream of events. It may vanish at any time."""

    title = "redis"
    url: Annotated[
        str,
        Meta(
            description="`redis://host:6379/0`, `rediss://…` with TLS, `unix:///socket` or "
            "`redis+cluster://host:6379`; empty for none. Never shown or logged."
        ),
    ] = ""
    prefix: Annotated[
        str, Meta(min_length=1, description="What every key begins with; one for each store that shares a Redis.")
    ] = "rememora"
    window_seconds: Annotated[
        int,
        Meta(ge=0, le=86_400, description="How long a hot window stays after its last change; 0 for none."),
    ] = 3600
    timeout_ms: Annotated[
        int, Meta(ge=1, le=60_000, description="How long the cache may take before the store answers alone.")
    ] = 100
    rest_seconds: Annotated[
        float, Meta(ge=0, le=600, description="How long a Redis that did not answer is left alone.")
    ] = 1.0
    events: Annotated[bool, Meta(description="Add every event to a stream, for consumer groups to read.")] = False
    stream: Annotated[str, Meta(min_length=1, description="The name of that stream, after the prefix.")] = "events"
    stream_length: Annotated[
        int, Meta(ge=1, le=100_000_000, description="About how many events the stream keeps.")
    ] = 100_000
    claim_seconds: Annotated[
        float, Meta(gt=0, le=86_400, description="After how long another consumer takes over a dead one's events.")
    ] = 60.0
    connections: Annotated[int, Meta(ge=1, le=10_000, description="Connections of one process at the most.")] = 64
