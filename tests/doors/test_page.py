"""What a client link opens in a browser: the person's own page, in their language, and nobody else's."""

from __future__ import annotations

import httpx
import pytest
from tests.doors.conftest import Running

from rememora.server.page import tongue_of

MARKUP = "<script>alert(1)</script>"


def open_page(server: Running, link: str, language: str = "pt-BR,pt;q=0.9") -> httpx.Response:
    """What a browser gets."""
    headers = {"Accept": "text/html", "Accept-Language": language}
    return httpx.get(f"{server.address}/me", params={"link": link}, headers=headers, timeout=30)


def link_of(server: Running, user: str, *, minutes: float | None = None) -> str:
    """A link for one person."""
    return server.run(server.rememora.tenant("acme", acting="test").access.link(user, minutes=minutes)).token


def test_a_link_opens_the_persons_own_page(server: Running) -> None:
    """What is known of them is there, as text; what is known of others is not; nothing is kept by the browser."""
    server.user("ana").post("/memories", json={"key": "user.city", "value": f"Recife {MARKUP}"})
    server.user("bia").post("/memories", json={"key": "user.city", "value": "Olinda"})
    page = open_page(server, link_of(server, "ana"))

    assert (200, "text/html; charset=utf-8") == (page.status_code, page.headers["content-type"])
    assert "no-store" == page.headers["cache-control"]
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "O que sei sobre você" in page.text
    assert "Recife &lt;script&gt;" in page.text
    assert MARKUP not in page.text
    assert "Olinda" not in page.text


def test_the_page_speaks_the_browsers_language(server: Running) -> None:
    """Portuguese or English, whichever comes first; English for others."""
    link = link_of(server, "eva")

    assert "Nothing is remembered yet." in open_page(server, link, "en-US,en;q=0.9,pt;q=0.5").text
    assert "Nada é lembrado ainda." in open_page(server, link, "fr,pt-BR;q=0.8").text
    assert ["en", "pt", "en"] == [tongue_of(header) for header in ("", "pt", "de-DE")]


@pytest.mark.parametrize("what", ["nothing", "forged", "admin key"])
def test_what_opens_nobodys_page_is_told_so(server: Running, what: str) -> None:
    """A missing or changed link, and a key for many people: a page that says it, and nothing more."""
    link = {"nothing": "", "forged": link_of(server, "ana")[:-2] + "xx"}.get(what) or ""
    page = open_page(server, server.key("admin", tenant="acme") if what == "admin key" else link)

    assert 401 == page.status_code
    assert "Este link não vale" in page.text


def test_the_page_takes_nothing(server: Running) -> None:
    """Only reading: other methods are refused with what is allowed."""
    answer = httpx.post(f"{server.address}/me", timeout=30)

    assert (405, "method_not_allowed") == (answer.status_code, answer.json()["code"])
    assert "GET" in answer.headers["allow"]
