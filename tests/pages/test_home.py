"""The front page and its demonstration, in a real browser."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect
from tests.doors.conftest import Running, settings_of
from tests.pages.conftest import Site
from tests.pages.reading import Language, text

from rememora.dashboard.demo import DEMO_TENANT
from rememora.dashboard.visitor import FORM_COOKIE, csrf_of


def test_a_stranger_opens_the_demonstration_and_removes_it(site: Site, language: Language) -> None:
    """Nothing is empty, everything is marked as made up, a key can be tried, and one click removes it all."""
    with site.visit(language=language, expected=("401",)) as page:
        page.goto(site.address)
        expect(page.locator("h1")).to_have_text(text(language, "home.title"))
        page.get_by_role("button", name=text(language, "home.try")).dblclick()
        page.wait_for_url("**/me", timeout=30_000)
        expect(page.locator(".demo")).to_contain_text(text(language, "demo.about"))
        assert page.locator(".memory").count() > 10
        expect(page.locator("form.ask")).to_have_count(1)
        for path in ("timeline", "left-out", "conversations"):
            page.goto(f"{site.address}/me/{path}")
            expect(page.locator(".empty")).to_have_count(0)
        old = page.goto(f"{site.address}/me/timeline")
        assert old is not None
        assert "há 30 dias" in old.text() or "30 days ago" in old.text()
        company = site.running.rememora.tenant(DEMO_TENANT, acting="test")
        assert ["waiting", "failed", "completed"] == [task.status for task in site.run(company.tasks.list()).items]
        assert [True, True] == [
            any(item) for item in (site.run(company.access.keys()), site.run(company.quality.trend()).recalls)
        ]

        page.goto(site.address)
        page.get_by_role("button", name=text(language, "key.make")).click()
        key = page.locator("main pre code").first.inner_text()
        headers = {"Authorization": f"Bearer {key}", "X-Rememora-User": "marina"}
        said = httpx.post(
            f"{site.address}/api/v1/chat", json={"message": "Onde eu moro?"}, headers=headers, timeout=30
        )
        assert "Olinda" in said.json()["reply"]

        page.get_by_role("button", name=text(language, "demo.remove")).dblclick()
        expect(page.locator(".done")).to_have_text(text(language, "home.removed"), timeout=30_000)
        page.goto(f"{site.address}/me")
        expect(page.locator("main")).to_contain_text(text(language, "enter.lead"))
    tenants = site.run(site.running.rememora.operator(acting="test").tenants.list()).items
    assert DEMO_TENANT not in {tenant.id for tenant in tenants}


def test_the_language_can_be_chosen_and_stays(site: Site) -> None:
    """The browser's language comes first; the visitor's own choice holds on every page after."""
    with site.visit("tongue", language="en") as page:
        page.goto(f"{site.address}/me/timeline")
        page.get_by_role("link", name="Português").click()
        expect(page.locator("h1")).to_have_text(text("pt", "nav.timeline"))
        page.goto(f"{site.address}/chat")
        expect(page.locator("h1")).to_have_text(text("pt", "nav.chat"))


def test_a_stranger_is_told_how_to_come_in(site: Site, language: Language) -> None:
    """Every link of the front page leads somewhere that helps, also for somebody who has no link yet."""
    with site.visit(language=language, expected=("401", "404")) as page:
        page.goto(site.address)
        page.get_by_role("link", name=text(language, "home.chat_go")).click()
        expect(page.locator("h1")).to_have_text(text(language, "nav.chat"))
        expect(page.locator("main")).to_contain_text(text(language, "enter.lead"))
        for tile, title in (("home.me_go", "me.title"), ("home.desk_go", "sign.title")):
            page.goto(site.address)
            page.get_by_role("link", name=text(language, tile)).click()
            expect(page.locator("h1")).to_have_text(text(language, title))
        page.goto(site.address)
        expect(page.get_by_role("link", name=text(language, "home.api_go"))).to_have_attribute("href", "/docs")
        expect(page.locator("#key ~ pre")).to_contain_text("/api/v1/chat")
        page.goto(f"{site.address}/me/timeline")
        expect(page.get_by_role("button", name=text(language, "demo.open"))).to_be_visible()
        page.goto(f"{site.address}/no/such/page")
        expect(page.locator(".alert")).to_have_text(text(language, "error.missing"))
        page.goto(f"{site.address}/docs")
        page.locator(".ways a").first.click()
        expect(page.locator("h1")).to_have_text(text(language, "home.title"))


def test_an_old_link_leads_on(site: Site, language: Language) -> None:
    """A link whose time is over says so, and offers the demonstration again where there is one."""
    with site.visit(language=language, expected=("401",)) as page:
        page.goto(f"{site.address}/me?link=rml_old")
        expect(page.locator("main [role=alert]")).to_have_text(text(language, "error.link"))
        expect(page.get_by_role("button", name=text(language, "demo.open"))).to_be_visible()
        page.get_by_role("link", name=text(language, "error.home")).click()
        expect(page.locator("h1")).to_have_text(text(language, "home.title"))


def test_programs_get_json(site: Site) -> None:
    """At the same address, a program that names no HTML is told where to go on."""
    answer = httpx.get(site.address, timeout=30)

    missing = httpx.get(f"{site.address}/api/v1/nothing", headers={"Accept": "text/html"}, timeout=30)

    assert "/api/v1" == answer.json()["api"]
    assert (404, "not_found") == (missing.status_code, missing.json()["code"])


def test_without_the_setting_there_is_no_demonstration(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No button, and nobody can open it all the same."""
    running = Running(settings_of(tmp_path_factory.mktemp("plain"))).start()
    try:
        page = httpx.get(running.address, headers={"Accept": "text/html"}, timeout=30)
        sent, cookies = {"csrf": csrf_of("s")}, {FORM_COOKIE: "s"}
        opened = httpx.post(f"{running.address}/demo", data=sent, cookies=cookies, timeout=30)
    finally:
        running.stop()

    assert text("en", "home.try") not in page.text
    assert 403 == opened.status_code
