"""The HTML around every page, its static files, and its security headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from html import escape
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as WebRoute

HTML = "text/html"
ASSETS: Mapping[str, str] = {
    "reference.js": "text/javascript",
}
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy: everything from this server, nothing inline; scripts may only call this server."""


def page(body: str, *, title: str, language: str, script: str | None = None) -> Response:
    """Return a whole page; links are relative, so that it can be mounted anywhere."""
    code = f'<script src="assets/{script}" defer></script>' if script else ""
    text = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="static/icon.svg" type="image/svg+xml">'
        f'<link rel="stylesheet" href="static/rememora.css">{code}</head><body>{body}</body></html>'
    )
    return Response(
        text, media_type=HTML, headers={"Content-Security-Policy": POLICY, "Vary": "Accept-Language, Cookie"}
    )


def asset_routes() -> list[WebRoute]:
    """Return the routes of the files that pages refer to."""
    return [WebRoute(f"/assets/{name}", _serve(name, kind), methods=["GET"]) for name, kind in ASSETS.items()]


def _serve(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def serve(_: Request) -> Response:
        return Response(_text(name), media_type=kind, headers={"Cache-Control": "max-age=300"})

    return serve


@cache
def _text(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")
