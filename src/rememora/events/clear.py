"""Deletes published events of an erased person wherever they can still be reached."""

from __future__ import annotations

from datetime import datetime

from rememora.domain.receipt import ErasurePlan, OutsideErasure
from rememora.domain.scope import Scope
from rememora.errors import StoreUnavailable
from rememora.ports.stream import PublishedEvents


async def clear(
    published: PublishedEvents | None, scope: Scope, plan: ErasurePlan, *, before: datetime
) -> OutsideErasure:
    """Remove the events and count them; if a place does not respond, name what stays and until when."""
    if published is None:
        return OutsideErasure()
    try:
        gone = await published.erase(scope, plan, before=before)
    except StoreUnavailable:
        stays = (
            f"events in the Redis stream, which did not answer, until {published.length} newer ones push them out"
        )
        return OutsideErasure(remains=(stays,))
    if not gone:
        return OutsideErasure()
    files = "events in the files of Redis and its replicas, until they are rewritten"
    return OutsideErasure(counts={"stream_events": gone}, remains=(files,))
