"""What a client link opens: one person's own page, plain HTML that shows what is known, and changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from html import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as WebRoute

from rememora.app import Rememora
from rememora.domain.memory import Memory
from rememora.domain.tenancy import Caller
from rememora.errors import KeyRejected, RememoraError

logger = logging.getLogger(__name__)
PATH = "/me"
LINK = "link"
MOST = 1000
WORDS = {
    "pt": {
        "title": "O que sei sobre você",
        "known": "O que é lembrado",
        "nothing": "Nada é lembrado ainda.",
        "heads": ("o quê", "valor", "de onde", "desde"),
        "talks": "Conversas guardadas",
        "how": "Para corrigir ou apagar, diga na conversa: “isso está errado”, “esquece isso”.",
        "shared": "da empresa",
        "ended": "Este link não vale ou já venceu. Peça outro a quem o enviou.",
        "trouble": "Agora não foi possível. Tente de novo daqui a pouco.",
    },
    "en": {
        "title": "What I know about you",
        "known": "What is remembered",
        "nothing": "Nothing is remembered yet.",
        "heads": ("what", "value", "where from", "since"),
        "talks": "Conversations kept",
        "how": "To correct or delete something, say so in the conversation: “that's wrong”, “forget that”.",
        "shared": "the company's",
        "ended": "This link is not valid, or not any more. Ask whoever sent it for another.",
        "trouble": "That did not work just now. Try again in a moment.",
    },
}


def page_of(rememora: Rememora) -> WebRoute:
    """The address of the page."""

    async def show(request: Request) -> Response:
        tongue = tongue_of(request.headers.get("accept-language", ""))
        try:
            return Response(await _page(rememora, request.query_params.get(LINK, ""), tongue), media_type=HTML)
        except KeyRejected:
            return Response(framed(tongue, _said(tongue, "ended")), 401, media_type=HTML)
        except RememoraError:
            return Response(framed(tongue, _said(tongue, "trouble")), 503, media_type=HTML)
        except Exception as error:
            logger.exception("GET %s failed: %s", PATH, type(error).__name__)
            return Response(framed(tongue, _said(tongue, "trouble")), 500, media_type=HTML)

    return WebRoute(PATH, show, methods=["GET"])


HTML = "text/html"


def tongue_of(header: str) -> str:
    """The first of a browser's languages that the page speaks; English where it asks for neither."""
    asked = (part.partition(";")[0].strip().lower()[:2] for part in header.split(","))
    return next((tongue for tongue in asked if tongue in WORDS), "en")


async def _page(rememora: Rememora, credential: str, tongue: str) -> str:
    caller: Caller = await rememora.admit_link(credential)
    assert caller.user is not None
    person = rememora.user(caller.user, tenant=caller.tenant)
    known = (await person.memories(limit=MOST, suppressed=False)).items
    talks = (await person.conversations(limit=MOST)).items
    words = WORDS[tongue]
    parts = [
        f"<h2>{words['known']}</h2>",
        _table(known, tongue) if known else _said(tongue, "nothing"),
        f"<h2>{words['talks']}</h2><p>{len(talks)}</p>",
        _said(tongue, "how"),
    ]
    return framed(tongue, "".join(parts), whose=caller.user)


def framed(tongue: str, body: str, *, whose: str = "") -> str:
    """The page around its content; no script, no style, nothing from elsewhere."""
    title = escape(str(WORDS[tongue]["title"]))
    name = f"<p>{escape(whose)}</p>" if whose else ""
    return (
        f'<!doctype html><html lang="{tongue}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"></head>'
        f"<body><main><h1>{title}</h1>{name}{body}</main></body></html>"
    )


def _table(known: Sequence[Memory], tongue: str) -> str:
    heads = "".join(f"<th>{head}</th>" for head in WORDS[tongue]["heads"])
    rows = "".join(_row(memory, tongue) for memory in known)
    return f"<table border='1'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _row(memory: Memory, tongue: str) -> str:
    source = WORDS[tongue]["shared"] if memory.scope == "tenant_shared" else memory.source_ref or memory.source
    cells = (memory.key, memory.value, source, memory.created_at.date().isoformat())
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _said(tongue: str, what: str) -> str:
    return f"<p>{escape(str(WORDS[tongue][what]))}</p>"
