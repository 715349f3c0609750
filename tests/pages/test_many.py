"""A hundred thousand memories in a browser: page after page, back again, and a search among them."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect
from tests.behind import behind
from tests.pages.conftest import TENANT, Site
from tests.pages.reading import text

from rememora.dashboard.visitor import SESSION_COOKIE

ROWS = 100_000


@pytest.fixture(scope="module")
def many(site: Site) -> str:
    """A person with so many memories, copied from one: to say them all would take hours."""
    person = site.user("many")
    site.run(person.remember("operating.n000000", "Entrega da rota 0"))
    site.run(site.running.rememora.settle())
    url = site.running.settings.store.url
    columns = [row[1] for row in behind(url, "PRAGMA table_info(memories)")]
    changed: dict[str, Any] = {
        "id": "'copy-' || printf('%06d', n.number)",
        "key": "'operating.n' || printf('%06d', n.number)",
        "value": "'\"Entrega da rota ' || n.number || '\"'",
    }
    chosen = ", ".join(changed.get(column, f'm."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    numbers = (
        f"WITH RECURSIVE n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < {ROWS - 1})"
    )
    whose = f"m.tenant_id = '{TENANT}' AND m.owner_id = 'many'"
    behind(url, f"INSERT INTO memories ({names}) {numbers} SELECT {chosen} FROM n, memories m WHERE {whose}")
    return "many"


def test_pages_follow_each_other_and_go_back(site: Site, many: str) -> None:
    """Sixty at a time, each once, with an address of its own that a reload and the back button keep."""
    with site.visit(many) as page:
        seen: list[str] = []
        for number in range(5):
            lines = page.locator(".memory .sentence")
            expect(lines).to_have_count(60)
            seen += lines.all_inner_texts()
            if number < 4:
                page.get_by_role("link", name=text("pt", "list.next")).click()
                page.wait_for_url(re.compile(rf"after=.*{(number + 1) * 60 - 1:06d}"))
        assert 300 == len(set(seen))
        page.reload()
        assert seen[240:] == page.locator(".memory .sentence").all_inner_texts()
        page.go_back()
        assert seen[180:240] == page.locator(".memory .sentence").all_inner_texts()


def test_a_search_among_many_says_when_it_stopped(site: Site, many: str) -> None:
    """A word that stands far behind is looked for so far, and the page says so and goes on."""
    with site.visit(many) as page:
        page.goto(f"{site.address}/me?q=rota+77")
        expect(page.locator(".memory").first).to_contain_text("Entrega da rota 77")
        page.goto(f"{site.address}/me?q=5001")
        expect(page.locator("#known")).to_contain_text(text("pt", "list.not_yet"))
        page.get_by_role("link", name=text("pt", "list.go_on")).click()
        expect(page.locator(".memory")).to_contain_text("rota 5001")


def test_the_explorer_of_the_desk_has_pages_too(site: Site, many: str) -> None:
    """Nobody's memories end at the first two hundred, and what a question finds comes first, wherever it is."""
    site.run(site.user(many).remember("tools.zzz", "A van azul é do Tadeu"))
    site.run(site.running.rememora.settle())
    query = {"tenant": TENANT, "user": many, "reason": "ticket 1"}
    with site.visit() as page:
        page.context.add_cookies([{"name": SESSION_COOKIE, "value": site.session("owner"), "url": site.address}])
        page.goto(f"{site.address}/desk/people?{urlencode(query)}")
        expect(page.locator("table.memories tbody tr")).to_have_count(200)
        first = page.locator("table.memories tbody tr").first.inner_text()
        page.get_by_role("link", name=text("pt", "list.next")).click()
        expect(page.locator("table.memories tbody tr")).to_have_count(200)
        assert first != page.locator("table.memories tbody tr").first.inner_text()
        page.goto(f"{site.address}/desk/people?{urlencode({**query, 'q': 'de quem é a van azul?'})}")
        expect(page.locator("table.memories tbody tr").first).to_contain_text("van azul")


def test_two_clicks_do_one_thing(site: Site) -> None:
    """A double click on every act of a line and of a card writes one entry each."""
    site.say("twice", "Moro em Recife.")
    with site.visit("twice") as page:
        for act, done in (("do.hush", "done.hushed"), ("undo", "done.restored"), ("do.forget", "done.forgotten")):
            page.get_by_role("button", name=text("pt", act)).first.dblclick()
            expect(page.locator(".done")).to_contain_text(text("pt", done))
    acts = [entry.action for entry in site.run(site.user("twice").audit.list())]
    assert (1, 1, 1) == (acts.count("suppress"), acts.count("unsuppress"), acts.count("delete"))


def test_second_click_of_a_double_click_follows_no_link(site: Site) -> None:
    """Where the first click moved a link under the pointer, the second leaves the page as it is."""
    site.say("moved", "Moro em Recife.")
    with site.visit("moved") as page:
        page.get_by_role("button", name=text("pt", "do.hush")).click()
        expect(page.locator(".done")).to_contain_text(text("pt", "done.hushed"))
        page.locator(".sentence a").hover()
        page.mouse.down(click_count=2)
        page.mouse.up(click_count=2)
        page.wait_for_load_state("networkidle")
        expect(page.locator(".done")).to_be_visible()
        assert "/memory/" not in page.url
        page.locator(".sentence a").click()
        page.wait_for_url("**/me/memory/*")
