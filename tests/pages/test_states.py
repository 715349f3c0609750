"""Pages say so when they wait, when nothing answers, and when the server itself is at fault."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Route, expect
from tests.behind import behind
from tests.doors.conftest import Running, settings_of
from tests.pages.conftest import TENANT, Site
from tests.pages.reading import Language, text

from rememora.dashboard.visitor import COOKIE, csrf_of

HTML = {"Accept": "text/html"}


def test_a_search_says_that_it_is_under_way(site: Site, language: Language) -> None:
    """While its answer is on the way, and no longer."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    with site.visit(f"waits-{language}", language=language) as page:
        page.route("**/me?q=*", hold)
        page.fill("#q", "recife")
        expect(page.locator("#busy")).to_be_visible()
        expect(page.locator("#busy")).to_have_text(text(language, "busy"))
        waiting[0].continue_()
        expect(page.locator("#busy")).to_be_hidden()


def test_a_lost_connection_is_told(site: Site, language: Language) -> None:
    """What was to be done is still offered, and nothing of it happened."""
    name = f"offline-{language}"
    site.say(name, "Moro em Recife.")
    with site.visit(name, language=language, expected=("ERR_CONNECTION", "htmx:")) as page:
        page.route("**/forget", lambda route: route.abort("connectionreset"))
        page.get_by_role("button", name=text(language, "do.forget")).click()
        expect(page.locator("#trouble")).to_have_text(text(language, "error.lost"))
        page.unroute("**/forget")
        page.get_by_role("button", name=text(language, "do.forget")).click()
        expect(page.locator(".done")).to_contain_text(text(language, "done.forgotten"))
    acts = [entry.action for entry in site.run(site.user(name).audit.list())]
    assert 1 == acts.count("delete")


def test_a_fault_of_the_server_is_a_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    """In plain words, with a way on, and without a word of the fault."""
    running = Running(settings_of(tmp_path_factory.mktemp("fault"))).start()
    try:
        running.tenant(TENANT)
        link = str(running.run(running.rememora.tenant(TENANT, acting="test").access.link("ana")).token)
        behind(running.settings.store.url, "ALTER TABLE audit RENAME TO gone")
        page = httpx.get(f"{running.address}/me/timeline", cookies={COOKIE: link}, headers=HTML, timeout=30)
        part = httpx.post(
            f"{running.address}/me/memory/x/forget",
            data={"csrf": csrf_of(link)},
            cookies={COOKIE: link},
            headers={**HTML, "HX-Request": "true"},
            timeout=30,
        )
    finally:
        running.stop()

    assert page.status_code in (500, 503)
    assert text("en", "error.trouble") in page.text
    assert 'href="/"' in page.text
    assert "no such table" not in page.text
    assert "<html" not in part.text
