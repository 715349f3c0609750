"""Takes back what was told of somebody who is erased, as far as it still stands where it was told."""

from __future__ import annotations

from datetime import datetime

from rememora.domain.receipt import Beyond, Doomed
from rememora.domain.scope import Scope
from rememora.errors import StoreUnavailable
from rememora.ports.stream import ToldEvents


async def clear(told: ToldEvents | None, scope: Scope, doomed: Doomed, *, before: datetime) -> Beyond:
    """How many events were taken away; where nobody answers, what stays and until when."""
    if told is None:
        return Beyond()
    try:
        gone = await told.erase(scope, doomed, before=before)
    except StoreUnavailable:
        stays = (
            f"events in the stream of Redis, which did not answer, until {told.length} newer ones push them out"
        )
        return Beyond(remains=(stays,))
    if not gone:
        return Beyond()
    files = "events in the files of Redis and its replicas, until these are written anew"
    return Beyond(counts={"stream_events": gone}, remains=(files,))
