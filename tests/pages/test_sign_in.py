"""Signing in with an account in a real browser: invitations, roles, the glass, and sessions that end."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.doors.conftest import Running, settings_of
from tests.pages.conftest import PASSWORD, TENANT, Site
from tests.pages.reading import MARKUP, Language, text
from tests.pages.test_desk import sign_in
from tests.pages.test_looks import findings

from rememora.cli.serve import owner_link
from rememora.dashboard.visitor import FORM_COOKIE, SESSION_COOKIE, csrf_of


def test_the_first_owner_comes_by_a_link_and_invites_others(site: Site, axe: str, language: Language) -> None:
    """The link of the start opens the owner's account; the owner invites, withdraws and removes."""
    width = 360 if language == "pt" else 1280
    operator = site.running.rememora.operator(acting="test")
    token = site.run(operator.access.invite("owner")).token
    with site.visit(language=language, width=width, expected=("409", "422", "401")) as page:
        page.goto(owner_link(site.address, token))
        assert [] == findings(page, axe)
        page.fill("input[name=name]", f"dona-{language} {MARKUP}"[:60])
        page.fill("input[name=password]", PASSWORD)
        page.get_by_role("button", name=text(language, "sign.open")).dblclick()
        expect(page.locator("h1")).to_have_text(text(language, "desk.overview"))
        page.goto(f"{site.address}/desk/logins?tenant={TENANT}")
        invited = invite(page, language, "auditor")
        invite(page, language, "support")
        page.get_by_role("button", name=text(language, "logins.withdraw")).first.click()
        expect(page.locator(".tally li")).to_have_count(1)
        assert "owned" != page.title()
        assert [] == findings(page, axe)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        with site.visit(language=language) as other:
            other.goto(invited)
            other.fill("input[name=name]", f"rita-{language}")
            other.fill("input[name=password]", PASSWORD)
            other.get_by_role("button", name=text(language, "sign.open")).click()
            expect(other.locator("h1")).to_have_text(text(language, "desk.overview"))
            page.reload()
            page.locator("tr", has_text=f"rita-{language}").get_by_role("button").click()
            expect(page.locator("main")).not_to_contain_text(f"rita-{language}")
            other.reload()
            expect(other.locator("h1")).to_have_text(text(language, "sign.title"))
        page.goto(owner_link(site.address, token))
        expect(page.locator(".alert")).to_have_text(text(language, "sign.over"))


def test_an_invitation_that_is_over_says_so(site: Site, language: Language) -> None:
    """Wrong, or withdrawn while its form was open: a stranger is told what happened, and where to sign in."""
    access = site.access()
    issued = site.run(access.invite("auditor"))
    with site.visit(language=language, expected=("401",)) as page:
        page.goto(f"{site.address}/invitation?token=rmi_wrong")
        expect(page.locator(".alert")).to_have_text(text(language, "sign.over"))
        page.goto(owner_link(site.address, issued.token))
        site.run(access.withdraw_invitation(issued.invitation.id))
        page.fill("input[name=name]", f"late-{language}")
        page.fill("input[name=password]", PASSWORD)
        page.get_by_role("button", name=text(language, "sign.open")).click()
        expect(page.locator(".alert")).to_have_text(text(language, "sign.over"))
        page.locator("main").get_by_role("link", name=text(language, "sign.title")).click()
        expect(page.locator("h1")).to_have_text(text(language, "sign.title"))


def invite(page: Page, language: Language, role: str) -> str:
    """The link of a new invitation, as it is shown once."""
    page.locator("details.codes summary").click()
    expect(page.locator("details.codes")).to_contain_text(text(language, f"login.{role}_about"))
    page.select_option("select[name=role]", role)
    page.get_by_role("button", name=text(language, "logins.invite")).click()
    return page.locator("pre code").inner_text()


def test_support_breaks_the_glass_for_a_reason(site: Site, axe: str, language: Language) -> None:
    """Until then no word of a person is on the page; after it, the reason is in the person's own timeline."""
    name = f"glass-{language}"
    site.say(name, "Moro em Recife.")
    with site.visit(language=language, expected=("403",)) as page:
        sign_in(page, site, site.account("support", tenant=TENANT))
        page.goto(f"{site.address}/desk/people?user={name}&q=Recife&reason=curious")
        expect(page.locator("tbody tr")).to_have_count(1)
        assert "Recife" not in page.locator("main").inner_text()
        assert [] == findings(page, axe)
        page.fill("form.warn input[name=reason]", f"ticket 7 {MARKUP}")
        page.get_by_role("button", name=text(language, "glass.go")).click()
        expect(page.locator("tbody")).to_contain_text("Recife")
        expect(page.locator(".note")).to_contain_text("ticket 7")
        assert "owned" != page.title()
        page.goto(f"{site.address}/desk/keys")
        expect(page.locator(".alert")).to_have_text(text(language, "error.forbidden"))
        expect(page.get_by_role("link", name=text(language, "sign.title"))).to_have_count(0)
        page.get_by_role("link", name=text(language, "desk.title")).click()
        expect(page.locator("h1")).to_have_text(text(language, "desk.overview"))
    looks = [act for act in site.run(site.user(name).audit.list()) if act.action == "read"]
    assert looks
    assert all("ticket 7" in act.why for act in looks)


def test_a_person_signs_in_to_their_own_page(site: Site, language: Language) -> None:
    """The same page as by a link, and nothing of the desk."""
    name = f"home-{language}"
    site.say(name, "Moro em Recife.")
    with site.visit(language=language, expected=("401", "403")) as page:
        sign_in(page, site, site.account("person", tenant=TENANT, user=name))
        expect(page.locator(".memory")).to_contain_text("Recife")
        page.get_by_role("button", name=text(language, "do.forget")).click()
        expect(page.locator(".done")).to_contain_text(text(language, "done.forgotten"))
        page.goto(f"{site.address}/desk")
        expect(page.locator(".alert")).to_have_text(text(language, "error.forbidden"))
        page.goto(f"{site.address}/me")
        page.get_by_role("button", name=text(language, "foot.leave")).click()
        page.goto(f"{site.address}/me")
        expect(page.locator("main")).to_contain_text(text(language, "enter.lead"))


@pytest.fixture(scope="module")
def strict(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that ends sessions at once, and takes two tries and one request of a caller."""
    limits = {"access.idle_minutes": 0.001, "access.tries_account": 2, "server.in_flight": 1}
    running = Running(settings_of(tmp_path_factory.mktemp("strict"), **limits)).start()
    running.tenant(TENANT)
    yield Site(running, browser)
    running.stop()


def test_an_idle_session_ends_on_the_server(strict: Site) -> None:
    """However long the browser keeps its cookie."""
    session = strict.session("owner")
    with strict.visit() as page:
        page.context.add_cookies([{"name": SESSION_COOKIE, "value": session, "url": strict.address}])
        page.wait_for_timeout(100)
        page.goto(f"{strict.address}/desk")
        expect(page.locator("h1")).to_have_text(text("pt", "sign.title"))


def test_too_many_tries_are_told(strict: Site) -> None:
    """Also where the password is right by then."""
    name = strict.account("owner")
    with strict.visit(expected=("401", "429")) as page:
        for password in ("wrong one", "wrong two", PASSWORD):
            sign_in(page, strict, name, password)
            expect(page.locator("#wrong")).to_be_visible()
        expect(page.locator("#wrong")).to_have_text(text("pt", "error.tries"))


def test_page_requests_take_places_of_the_server(strict: Site) -> None:
    """While a request holds the only place, a page says that the server is busy, and when to come again."""
    places = strict.running.server_places()
    with places.whole() as free:
        refused = httpx.get(f"{strict.address}/", headers={"Accept": "text/html"}, timeout=30)
    again = httpx.get(f"{strict.address}/", headers={"Accept": "text/html"}, timeout=30)

    assert free
    assert (503, "1", 200) == (refused.status_code, refused.headers["retry-after"], again.status_code)


def test_a_session_of_another_origin_does_nothing(site: Site) -> None:
    """An invitation cannot be accepted by a form of another site."""
    token = site.run(site.running.rememora.operator(acting="test").access.invite("owner")).token
    answer = httpx.post(
        f"{site.address}/invitation",
        data={"csrf": csrf_of("s"), "token": token, "name": "eve", "password": PASSWORD},
        cookies={FORM_COOKIE: "s"},
        headers={"Sec-Fetch-Site": "cross-site"},
        timeout=30,
    )
    assert 403 == answer.status_code
    assert site.run(site.running.rememora.sessions.invitation(token)).role == "owner"


def test_somebody_changes_their_own_password(site: Site, axe: str, language: Language) -> None:
    """Told the old one; this browser stays signed in, another one does not, and the old password opens nothing."""
    width = 360 if language == "pt" else 1280
    name, fresh = site.account("auditor", tenant=TENANT), "another sentence of some length"
    with (
        site.visit(language=language, width=width, expected=("403", "422", "401")) as page,
        site.visit(language=language) as other,
    ):
        sign_in(page, site, name)
        sign_in(other, site, name)
        page.get_by_role("link", name=text(language, "account.title")).click()
        expect(page.locator(".lead")).to_contain_text(name)
        assert [] == findings(page, axe)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for old, new, again, reply in (
            ("not the password", fresh, fresh, "account.wrong"),
            (PASSWORD, fresh, f"{fresh}!", "account.differ"),
            (PASSWORD, PASSWORD, PASSWORD, "account.same"),
        ):
            change_password(page, old, new, again)
            expect(page.locator("#wrong")).to_have_text(text(language, reply))
        assert [] == findings(page, axe)
        change_password(page, PASSWORD, fresh, fresh)
        expect(page.locator(".done")).to_have_text(text(language, "account.changed"))
        page.get_by_role("link", name=text(language, "desk.title")).click()
        expect(page.locator("h1")).to_have_text(text(language, "desk.overview"))
        other.reload()
        expect(other.locator("h1")).to_have_text(text(language, "sign.title"))
    with site.visit(language=language, expected=("401",)) as page:
        sign_in(page, site, name)
        expect(page.locator("#wrong")).to_have_text(text(language, "sign.wrong"))
        sign_in(page, site, name, fresh)
        expect(page.locator("h1")).to_have_text(text(language, "desk.overview"))


def change_password(page: Page, old: str, new: str, again: str) -> None:
    """Fill the form in and send it."""
    for field, value in (("old", old), ("new", new), ("again", again)):
        page.fill(f"input[name={field}]", value)
    page.locator("main form button").click()


def test_a_person_finds_the_change_in_their_timeline(site: Site) -> None:
    """The account is one link away from their own page; somebody with a link has no account to change."""
    site.say("senhor", "Moro em Recife.")
    with site.visit() as page:
        sign_in(page, site, site.account("person", tenant=TENANT, user="senhor"))
        page.get_by_role("link", name=text("pt", "account.title")).click()
        change_password(page, PASSWORD, f"{PASSWORD} 2", f"{PASSWORD} 2")
        expect(page.locator(".done")).to_be_visible()
        page.goto(f"{site.address}/me/timeline")
        expect(page.locator(".timeline")).to_contain_text(text("pt", "act.password"))
    with site.visit("senhor") as page:
        expect(page.get_by_role("link", name=text("pt", "account.title"))).to_have_count(0)
        page.goto(f"{site.address}/account")
        expect(page.locator("h1")).to_have_text(text("pt", "sign.title"))


def test_a_password_is_not_changed_by_another_site(site: Site) -> None:
    """Neither without the token of our own form, nor where a browser says that the form came from elsewhere."""
    session = site.session("auditor", tenant=TENANT)
    form = {"old": PASSWORD, "new": f"{PASSWORD} 2", "again": f"{PASSWORD} 2"}
    forged = [
        httpx.post(
            f"{site.address}/account",
            data={**form, "csrf": token},
            cookies={SESSION_COOKIE: session},
            headers=headers,
            timeout=30,
        ).status_code
        for token, headers in (("", {}), (csrf_of(session), {"Sec-Fetch-Site": "cross-site"}))
    ]

    assert [403, 403] == forged
    assert site.run(site.running.rememora.sessions.admit(session)).role == "auditor"
