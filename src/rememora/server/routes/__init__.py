"""Every route, noun by noun; a new noun is one line here."""

from __future__ import annotations

from rememora.server.route import Route
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


def table() -> list[Route]:
    """The table of routes."""
    return [route for noun in NOUNS for route in noun.routes.all]
