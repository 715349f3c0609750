"""HTML of a page: templates, security headers, and the files that pages refer to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as WebRoute

from rememora.dashboard import dates, questions, sentences
from rememora.dashboard.visitor import Visitor
from rememora.dashboard.words import TAGS, count, text, texts
from rememora.domain.memory import Memory
from rememora.knowledge.patterns import is_counted

if TYPE_CHECKING:
    from jinja2 import Environment

HTML = "text/html"
# An allow-list: only these files are served, whatever a path asks for.
STATIC: Mapping[str, str] = {
    "rememora.css": "text/css",
    "pages.js": "text/javascript",
    "chat.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "htmx-LICENSE.txt": "text/plain",
    "icon.svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Everything from this server and nothing inline."""
# Pages hold personal data: no cache may keep them, and `Vary` keeps fragments apart from whole pages.
SAFE = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Vary": "Accept, Accept-Language, Cookie, HX-Request",
}


def render(visitor: Visitor, template: str, *, status: int = 200, **values: Any) -> Response:
    """A page, or the part of one, in the visitor's language."""
    return Response(html(visitor, template, **values), status, SAFE, media_type=HTML)


def html(visitor: Visitor, template: str, **values: Any) -> str:
    """The text of a page."""
    language, now = visitor.language, datetime.now(UTC)
    given = {
        "visitor": visitor,
        "base": visitor.base,
        "language": language,
        "tag": TAGS[language],
        "version": version("rememora"),
        "t": lambda name, /, **places: text(language, name, **places),
        "n": lambda name, number, /, **places: count(language, name, number, **places),
        "has": lambda name: name in texts(language),
        "when": lambda moment: _when(dates.ago(language, moment, now), dates.exact(language, moment), moment),
        "act": partial(_act_form, visitor),
        "exact": lambda moment: dates.exact(language, moment),
        "stale": lambda moment: dates.is_stale(moment, now),
        "sentence": lambda memory: sentences.sentence(memory, language),
        "told_of": lambda memory: sentences.told(memory, language),
        "added": sentences.added,
        "source": lambda memory: sentences.source_text(memory, language),
        "confidence": lambda number: sentences.confidence_text(number, language),
        "is_counted": is_counted,
        "label": lambda key: sentences.label(key, language),
        "value": lambda value: sentences.value_text(value, language),
        "actor": lambda name: sentences.actor_text(name, language),
        "asked": lambda proposal: questions.question_form(proposal, language),
    }
    return _environment().get_template(template).render(**given, **values)


def _when(ago: str, exact: str, moment: datetime) -> Markup:
    """A date as people say it, with the exact one on hover."""
    return Markup('<time datetime="{}" title="{}">{}</time>').format(moment.isoformat(), exact, ago)


def _act_form(visitor: Visitor, memory: Memory, verb: str, label: str, kind: str = "") -> Markup:
    """A button that does one thing to one memory, and puts its line as it then stands in its place."""
    where = f"{visitor.base}/me/memory/{memory.id}/{verb}"
    return Markup(
        '<form method="post" action="{where}" hx-post="{where}" hx-target="closest .memory" hx-swap="outerHTML" '
        'hx-disabled-elt="find button"><input type="hidden" name="csrf" value="{csrf}">'
        '<button class="small {kind}">{label}</button></form>'
    ).format(where=where, csrf=visitor.csrf, kind=kind, label=label)


def static_routes() -> list[WebRoute]:
    """Routes of the files that pages refer to."""
    return [WebRoute(f"/static/{name}", _serve(name, kind), methods=["GET"]) for name, kind in STATIC.items()]


@cache
def _environment() -> Environment:
    # Here and not above: a server that only answers programs never loads it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("rememora.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _serve(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def serve(_: Request) -> Response:
        return Response(_file(name), media_type=kind, headers={"Cache-Control": "max-age=300"})

    return serve


@cache
def _file(name: str) -> bytes:
    return files(__package__).joinpath("static", name).read_bytes()
