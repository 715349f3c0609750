"""Every page on a phone and on a desk, light and dark, in both languages: nothing overflows, axe finds nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from tests.pages.conftest import Site
from tests.pages.reading import Language, text

LOOKS: tuple[tuple[Language, int, bool], ...] = (("pt", 360, True), ("en", 1280, False))
SERIOUS = ("serious", "critical")
RAW = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|\b(?:user|prefs|people|operating|tenant|goals)\.[a-z_]+")
"""Ids and keys, which are for programs."""
AXE_RUN = """async (impacts) => (await axe.run(document, {resultTypes: ["violations"]})).violations
    .filter((item) => impacts.includes(item.impact)).map((item) => `${item.id}: ${item.nodes[0].html}`)"""
"""Pick out serious findings inside the page: to carry the whole verdict out of it takes longer than to make it."""
SHORTEN = '[...document.querySelectorAll("section")].slice(4).forEach((item) => item.remove())'
"""Leaves a few of a hundred operations, all made alike: in the other look axe goes through every one of them."""
LONG = "https://exemplo.com.br/" + "caminho-sem-fim" * 20


def findings(page: Page, axe: str) -> list[str]:
    """What axe finds serious."""
    page.evaluate(axe)
    return [f"{page.url} {violation}" for violation in page.evaluate(AXE_RUN, SERIOUS)]


def is_dark(page: Page) -> bool:
    """Return whether a page is light on dark."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) < 3 * 128


@pytest.mark.parametrize(("language", "width", "dark"), LOOKS)
def test_every_page_fits_and_is_accessible(
    site: Site, axe: str, language: Language, width: int, dark: bool
) -> None:
    """No page is wider than its screen, and axe finds nothing serious on any of them."""
    name = f"look-{language}"
    site.say(
        name, "Meu nome é Ana e moro em Recife.", f"Guarda que o site é {LONG}", "acho que talvez eu goste de azul"
    )
    memory = site.run(site.user(name).memories.list()).items[0]
    pages = ["/", "/me", "/me?state=forgotten", f"/me/memory/{memory.id}", f"/me/memory/{memory.id}/erase"]
    pages += [
        "/me/timeline",
        "/me/left-out",
        "/me/conversations",
        "/me/conversations/c1",
        "/me/data",
        "/me/receipt",
    ]
    pages += ["/docs", "/chat?conversation=c1", "/chat?temporary=1", "/me/memory/nothing"]
    with site.visit(name, language=language, width=width, dark=dark, expected=("404",)) as page:
        wide: list[str] = []
        serious: list[str] = []
        for path in pages:
            page.goto(f"{site.address}{path}")
            assert dark == is_dark(page), path
            assert path == "/docs" or not RAW.search(page.locator("main").inner_text()), path
            if page.evaluate("document.documentElement.scrollWidth") > width:
                wide.append(path)
            if path == "/docs" and not dark:
                page.evaluate(SHORTEN)
            serious += findings(page, axe)
        page.goto(f"{site.address}/chat")
        page.fill("textarea[name=text]", f"Onde eu moro? {LONG}")
        page.keyboard.press("Enter")
        page.locator("#talk details summary").last.click()
        expect(page.locator("#talk pre")).to_be_visible()
        serious += findings(page, axe)
        wide += ["turn"] if page.evaluate("document.documentElement.scrollWidth") > width else []

        assert [] == wide
        assert [] == serious


def test_a_page_that_is_missing_keeps_the_way_to_the_others(site: Site) -> None:
    """A person who followed an old address is not put out of their pages."""
    with site.visit("lost", expected=("404",)) as page:
        page.goto(f"{site.address}/me/memory/nothing")
        expect(page.locator("main [role=alert]")).to_have_text(text("pt", "error.missing"))
        page.locator("nav.tabs").get_by_role("link", name=text("pt", "nav.timeline")).click()
        expect(page.locator("h1")).to_have_text(text("pt", "nav.timeline"))


def test_a_page_can_be_used_by_keyboard(site: Site) -> None:
    """The first stop skips to the content; a memory is reached and forgotten without a mouse."""
    site.say("keys", "Moro em Recife.")
    with site.visit("keys") as page:
        page.keyboard.press("Tab")
        assert text("pt", "skip") == page.evaluate("document.activeElement.textContent")
        page.get_by_role("button", name=text("pt", "do.forget")).focus()
        page.keyboard.press("Enter")
        expect(page.locator(".done")).to_contain_text(text("pt", "done.forgotten"))
        page.locator(".done button").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".done")).to_contain_text(text("pt", "done.restored"))


def test_dates_are_relative_with_the_exact_one_beside(site: Site) -> None:
    """The words say how long ago; hovering says when, in the browser's own time."""
    site.say("dates", "Moro em Recife.")
    with site.visit("dates") as page:
        moment = page.locator(".memory time").first
        expect(moment).to_have_text(text("pt", "ago.now"))
        expect(moment).to_have_attribute("title", re.compile(r"\d{4}.*\d{2}:\d{2}"))
