"""The front door: a small page for a browser, JSON for a program, at the same address."""

from __future__ import annotations

from html import escape
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import Response

from rememora.server.page import tongue_of
from rememora.server.pages.frame import page

WORDS = {
    "pt": {
        "title": "Rememora: a memória de agentes de IA",
        "lead": "O servidor está no ar. Ele guarda o que foi dito, o que se sabe e o que está acontecendo agora.",
        "docs": "Referência da API",
        "docs_about": "Cada endereço com seus campos, exemplos, um comando curl e um formulário de teste.",
        "me": "O que sei sobre você",
        "me_about": "A página de uma pessoa abre com um link pessoal, criado com `rememora tenants link USUARIO`.",
        "talk": "Converse com ele",
        "key": "SUA_CHAVE é a chave mostrada quando o servidor começou, ou uma de `rememora keys issue`.",
        "said": "Moro em Recife.",
        "version": "versão",
        "health": "saúde",
    },
    "en": {
        "title": "Rememora: the memory of AI agents",
        "lead": "The server is running. It keeps what was said, what is known, and what is going on right now.",
        "docs": "API reference",
        "docs_about": "Every address with its fields, examples, a curl command and a form to try it.",
        "me": "What I know about you",
        "me_about": "A person's page opens with a personal link, made with `rememora tenants link USER`.",
        "talk": "Talk to it",
        "key": "YOUR_KEY is the key shown when the server started, or one from `rememora keys issue`.",
        "said": "I live in Lisbon.",
        "version": "version",
        "health": "health",
    },
}


def wants_html(accept: str) -> bool:
    """Return whether a browser asks: it names HTML, which programs do not."""
    return any(part.partition(";")[0].strip().lower() == "text/html" for part in accept.split(","))


def home(request: Request) -> Response:
    """Return the front page in the language of the browser."""
    language = tongue_of(request.headers.get("accept-language", ""))
    words = WORDS[language]
    base = str(request.base_url).rstrip("/")
    key = "SUA_CHAVE" if language == "pt" else "YOUR_KEY"
    curl = (
        f"curl -H 'Authorization: Bearer {key}' -H 'X-Rememora-User: me' \\\n"
        f"     -H 'Content-Type: application/json' \\\n"
        f'     -d \'{{"message": "{words["said"]}"}}\' \\\n'
        f"     {base}/api/v1/chat"
    )
    body = (
        f'<main class="home"><h1>Rememora</h1><p class="lead">{escape(words["lead"])}</p>'
        f'<a class="card" href="docs"><strong>{escape(words["docs"])}</strong>'
        f"<span>{escape(words['docs_about'])}</span></a>"
        f'<div class="card"><strong>{escape(words["me"])}</strong><span>{_code(words["me_about"])}</span></div>'
        f"<h2>{escape(words['talk'])}</h2><pre><code>{escape(curl)}</code></pre><p>{_code(words['key'])}</p>"
        f"<footer>{words['version']} {escape(version('rememora'))} · "
        '<a href="api/v1/openapi.json">OpenAPI</a> · '
        f'<a href="api/v1/health/live">{words["health"]}</a></footer></main>'
    )
    return page(body, title=words["title"], language="pt-BR" if language == "pt" else "en")


def _code(text: str) -> str:
    """Return text with what stands between backticks as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
