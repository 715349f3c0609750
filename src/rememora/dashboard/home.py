"""The front page, and the demonstration that it opens and removes."""

from __future__ import annotations

from importlib.metadata import version

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from rememora.dashboard.answering import PageRequest, Pages
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


async def show(request: PageRequest) -> Response:
    """The front page for a browser, JSON for a program."""
    if not wants_html(request.request.headers.get("accept", "")):
        return pointers(request.request)
    return _home(request, removed=request.query.get("removed") == "1")


def pointers(request: Request) -> Response:
    """Addresses for a program to go on from here."""
    base = request.base_url.path.rstrip("/")
    addresses = {
        "name": "Rememora",
        "version": version("rememora"),
        "api": f"{base}{API}",
        "docs": f"{base}{API}/openapi.json",
        "page": f"{base}/docs",
        "health": f"{base}{API}/health/live",
    }
    headers = {"Vary": "Accept, Accept-Language"}
    return Response(msgspec.json.encode(addresses), media_type="application/json", headers=headers)


async def begin(request: PageRequest) -> Response:
    """Open the demonstration as its owner."""
    if not request.visitor.demo:
        raise Forbidden("this server offers no demonstration")
    link = await open_demo(request.rememora)
    response = request.to("/me")
    keep_link(response, request.visitor, link)
    return response


async def make_key(request: PageRequest) -> Response:
    """A key of the demonstration, shown once."""
    _check_demo(request)
    return _home(request, secret=await demo_key(request.rememora))


async def remove(request: PageRequest) -> Response:
    """Remove the demonstration."""
    _check_demo(request)
    await remove_demo(request.rememora)
    response = request.to("/?removed=1")
    drop_link(response, request.visitor)
    return response


def _check_demo(request: PageRequest) -> None:
    if not (request.visitor.demo and request.visitor.in_demo):
        raise Forbidden("only the demonstration can do this")


def _home(request: PageRequest, *, secret: str = "", removed: bool = False) -> Response:
    address = request.rememora.settings.server.public_url or str(request.request.base_url)
    return request.page("home.html", secret=secret, removed=removed, address=address.rstrip("/"))
