"""The front page, and the demonstration that it opens and removes."""

from __future__ import annotations

from importlib.metadata import version

import msgspec
from starlette.responses import Response

from rememora.dashboard.answering import Asked, Pages
from rememora.dashboard.demo import demo_key, open_demo, remove_demo
from rememora.dashboard.visitor import drop_link, keep_link
from rememora.errors import Forbidden

API = "/api/v1"


def add_routes(pages: Pages) -> None:
    """Routes of the front page."""
    pages.open("/", show)
    pages.open("/demo", begin, method="POST")
    pages.own("/demo/key", make_key, method="POST")
    pages.own("/demo/remove", remove, method="POST")


def wants_html(accept: str) -> bool:
    """Return whether a browser asks: it names HTML, which programs do not."""
    return any(part.partition(";")[0].strip().lower() == "text/html" for part in accept.split(","))


async def show(asked: Asked) -> Response:
    """The front page for a browser, JSON for a program."""
    if not wants_html(asked.request.headers.get("accept", "")):
        return pointers()
    return _home(asked, removed=asked.query.get("removed") == "1")


def pointers() -> Response:
    """Addresses for a program to go on from here."""
    whither = {
        "name": "Rememora",
        "version": version("rememora"),
        "api": API,
        "docs": f"{API}/openapi.json",
        "page": "/docs",
        "health": f"{API}/health/live",
    }
    headers = {"Vary": "Accept, Accept-Language"}
    return Response(msgspec.json.encode(whither), media_type="application/json", headers=headers)


async def begin(asked: Asked) -> Response:
    """Open the demonstration as its owner."""
    if not asked.visitor.demo:
        raise Forbidden("this server offers no demonstration")
    link = await open_demo(asked.rememora)
    response = asked.to("/me")
    keep_link(response, asked.visitor, link)
    return response


async def make_key(asked: Asked) -> Response:
    """A key of the demonstration, shown once."""
    _check_demo(asked)
    return _home(asked, secret=await demo_key(asked.rememora))


async def remove(asked: Asked) -> Response:
    """Remove the demonstration."""
    _check_demo(asked)
    await remove_demo(asked.rememora)
    response = asked.to("/?removed=1")
    drop_link(response, asked.visitor)
    return response


def _check_demo(asked: Asked) -> None:
    if not (asked.visitor.demo and asked.visitor.in_demo):
        raise Forbidden("only the demonstration can do this")


def _home(asked: Asked, *, secret: str = "", removed: bool = False) -> Response:
    address = asked.rememora.settings.server.public_url or str(asked.request.base_url)
    return asked.page("home.html", secret=secret, removed=removed, address=address.rstrip("/"))
