"""Every route, noun by noun; a new noun is one line here."""

from __future__ import annotations

from rememora.server.route import Route
from rememora.server.routes import conversations, events, health, keys, memory, tenants

NOUNS = (conversations, memory, events, keys, tenants, health)


def table() -> list[Route]:
    """The table of routes."""
    return [route for noun in NOUNS for route in noun.routes.all]
