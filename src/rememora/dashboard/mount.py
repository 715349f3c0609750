"""Every route of the pages, for a server to mount."""

from __future__ import annotations

from starlette.routing import Route as WebRoute

from rememora.app import Rememora
from rememora.dashboard import account, acts, chat, client, home, sign_in
from rememora.dashboard.answering import Pages, RequestSlots
from rememora.dashboard.desk import company, health, logins, missions, overview, people, plays
from rememora.dashboard.frame import static_routes


def page_routes(rememora: Rememora, places: RequestSlots) -> list[WebRoute]:
    """The pages over an open memory; their requests take places of the server's."""
    pages = Pages(rememora, places)
    for room in (
        home,
        sign_in,
        account,
        client,
        acts,
        chat,
        overview,
        missions,
        company,
        health,
        logins,
        people,
        plays,
    ):
        room.add_routes(pages)
    return [*pages.routes, *static_routes()]
