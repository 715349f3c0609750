"""The pages of the server: the API reference and the front door, in HTML that brings everything it needs."""

from __future__ import annotations

import html
import re

import httpx
import pytest
from tests.doors.conftest import Running
from tests.doors.curl import send

from rememora.server.pages.frame import ASSETS
from rememora.server.pages.wording import ENGLISH, PORTUGUESE, words_of
from rememora.server.routes import table

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def get(server: Running, path: str, **headers: str) -> httpx.Response:
    """What a browser gets."""
    given = {"Accept": BROWSER, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return httpx.get(f"{server.address}{path}", headers=given, timeout=30, follow_redirects=True)


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_the_reference_shows_every_operation(server: Running, path: str) -> None:
    """Each with its address, the right it needs, an example of its body and a command."""
    page = get(server, path)

    assert (200, "text/html; charset=utf-8") == (page.status_code, page.headers["content-type"])
    for route in table():
        if not route.development:
            assert f'id="{route.name}"' in page.text
    assert page.text.count("<h3>Body") == page.text.count("<textarea") > 40
    assert "needs <code>operate</code>" in page.text


def test_pages_bring_everything_and_allow_nothing_else(server: Running) -> None:
    """No script or style inline or from elsewhere: the policy of the page allows files of this server alone."""
    for path in ("/docs", "/"):
        page = get(server, path)
        policy = page.headers["content-security-policy"]

        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert [] == re.findall(
            r"<style|<script(?! src=)|\son\w+=|\sstyle=|(?:src|href)=\"(?:https?:)?//", page.text
        )
        for file in re.findall(r'(?:src|href)="(assets/[^"]+)"', page.text):
            assert 200 == get(server, f"/{file}").status_code


@pytest.mark.parametrize(("name", "kind"), ASSETS.items())
def test_what_a_page_needs_is_served(server: Running, name: str, kind: str) -> None:
    """Under its own media type, since browsers are told not to guess, and without an address of another host."""
    value = get(server, f"/assets/{name}")

    assert value.headers["content-type"].startswith(kind)
    assert [] == re.findall(r"(?:url\(|@import|import .*from)", value.text)


def test_the_commands_of_the_reference_work(server: Running) -> None:
    """The first one chats; those of other routes answer as well, or say what they did not find."""
    page = get(server, "/docs").text
    first = html.unescape(re.findall(r"export REMEMORA_KEY=…\n(curl.*?)</code>", page, re.DOTALL)[0])
    key = server.key("service", tenant="acme")
    said = send(first, REMEMORA_KEY=key)

    assert (200, True) == (said.status_code, "Recife" in said.json()["reply"])
    for route in table():
        if route.method == "GET" and not route.streams and not route.development:
            shown = re.findall(
                rf'id="{route.name}".*?<h3>curl</h3><pre[^>]*><code>(.*?)</code></pre>', page, re.DOTALL
            )[0]
            assert send(html.unescape(shown), REMEMORA_KEY=key).status_code in (200, 403, 404, 422), shown


@pytest.mark.parametrize("path", ["/openapi.json", "/api/v1/openapi.json"])
def test_the_document_is_where_programs_look(server: Running, path: str) -> None:
    """The same document at both addresses."""
    assert "3.1.0" == get(server, path).json()["openapi"]


@pytest.mark.parametrize(("language", "word"), [("pt-BR,pt;q=0.9", "A memória"), ("en-GB", "The memory")])
def test_a_browser_finds_a_page_at_the_front_door(server: Running, language: str, word: str) -> None:
    """In its language, with the way to the reference; a program still gets JSON there."""
    page = get(server, "/", Accept_Language=language)
    reply = httpx.get(server.address)

    assert word in page.text
    assert 'href="/docs"' in page.text
    assert ("Rememora", "/docs") == (reply.json()["name"], reply.json()["page"])
    assert "Accept" in reply.headers["vary"]


def test_the_reference_speaks_the_browsers_language(server: Running) -> None:
    """Its own words, and those of every operation, parameter and type."""
    page = get(server, "/docs", Accept_Language="pt-BR,pt;q=0.9")
    chosen = get(server, "/docs?lang=en", Accept_Language="pt-BR,pt;q=0.9")

    assert '<html lang="pt-BR">' in page.text
    assert all(value in page.text for value in PORTUGUESE.values())
    assert "<h3>Body" not in page.text
    for route in table():
        if not route.development:
            summary = re.findall(rf'id="{route.name}"><summary>.*?<span( lang=[^>]*)?>(.*?)</span>', page.text)[0]
            assert ("", False) == (summary[0], summary[1] == html.escape(route.about.partition("\n")[0]))
    assert "<span lang='en'>" not in page.text
    assert "Um momento com o fuso horário" in page.text
    assert "characters at most" not in page.text
    assert ('<html lang="en">' in chosen.text, PORTUGUESE["start"] in chosen.text) == (True, False)
    # English names of groups are those of the paths.
    assert set(ENGLISH) == {name for name in PORTUGUESE if not name.startswith("noun.")}


def test_a_hostile_host_is_text(server: Running) -> None:
    """What a request claims as its host stands in commands as text, never as markup."""
    page = get(server, "/docs", Host="x<script>alert(1)</script>")

    assert "<script>alert" not in page.text


def test_every_operation_has_its_text_in_portuguese() -> None:
    """A new operation needs one, and none is left behind by an operation that is gone."""
    named = {name.removeprefix("operation.") for name in words_of("pt") if name.startswith("operation.")}

    assert {route.name for route in table()} == named


def test_every_text_of_the_document_is_in_portuguese(server: Running) -> None:
    """Every text of parameters and types is translated; a reworded one needs its translation again."""
    document, words = get(server, "/openapi.json").json(), words_of("pt")
    operations = [value for path in document["paths"].values() for value in path.values()]
    parameters = [item for operation in operations for item in operation.get("parameters", [])]
    texts = {item.get("description") or item["schema"].get("description", "") for item in parameters}
    texts |= {
        str(shape.get("description", "")).partition("\n")[0]
        for shape in document["components"]["schemas"].values()
    }

    assert set() == {english for english in texts if english and f"told.{english}" not in words}
