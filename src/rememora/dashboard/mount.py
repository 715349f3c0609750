"""Every route of the pages, for a server to mount."""

from __future__ import annotations

from starlette.routing import Route as WebRoute

from rememora.app import Rememora
from rememora.dashboard import acts, chat, client, home
from rememora.dashboard.answering import Pages
from rememora.dashboard.desk import company, door, people, plays
from rememora.dashboard.frame import static_routes


def page_routes(rememora: Rememora) -> list[WebRoute]:
    """The pages over an open memory."""
    pages = Pages(rememora)
    for room in (home, client, acts, chat, door, company, people, plays):
        room.add_routes(pages)
    return [*pages.routes, *static_routes()]
