"""Every route, noun by noun; a new noun is one line here."""

from __future__ import annotations

from rememora.server.routes import (
    audit,
    chat,
    conversations,
    entities,
    events,
    gate,
    health,
    keys,
    memories,
    memory,
    missions,
    person,
    tasks,
    tenants,
)
from rememora.server.routing import ApiOperation

# The order of the reference: a turn first, then what it is made of, then administration.
NOUNS = (
    chat,
    conversations,
    memory,
    memories,
    gate,
    person,
    entities,
    missions,
    tasks,
    audit,
    events,
    keys,
    tenants,
    health,
)


def table() -> list[ApiOperation]:
    """Return every operation of the API."""
    return [operation for noun in NOUNS for operation in noun.routes.all]
