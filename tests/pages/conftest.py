"""A real Chromium that visits a real server: one browser and one server per module, one page per visit."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright
from tests.doors.conftest import Running, settings_of

from rememora.domain.login import LoginRole
from rememora.domain.tenancy import EVERY_TENANT
from rememora.handles.access import Access

Language = Literal["pt", "en"]
LOCALES = {"pt": "pt-BR", "en": "en-US"}
CANDIDATES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TENANT = "acme"
PASSWORD = "a sentence of some length"
WAIT_MS = 20_000


@pytest.fixture(params=["pt", pytest.param("en", marks=pytest.mark.slow)])
def language(request: pytest.FixtureRequest) -> Language:
    """Each language of the pages; every page is also looked at in English by `test_looks`."""
    chosen: Language = request.param
    return chosen


def installed_browser() -> str | None:
    """The program of a Chromium of this machine."""
    named = os.environ.get("REMEMORA_TEST_BROWSER")
    return named or next((program for name in CANDIDATES if (program := shutil.which(name))), None)


class Site:
    """The server under test, the browser, and ways to visit as a person."""

    def __init__(self, running: Running, browser: Browser) -> None:
        self.running = running
        self.browser = browser
        self.address = running.address
        self._accounts: list[str] = []

    def user(self, name: str) -> Any:
        """A person's memory."""
        return self.running.rememora.user(name, tenant=TENANT)

    def run(self, work: Any) -> Any:
        """The result of a verb, run in the server's loop."""
        return self.running.run(work)

    def link(self, name: str, *, read_only: bool = False) -> str:
        """A link to a person's page."""
        access = self.running.rememora.tenant(TENANT, acting="test").access
        return str(self.run(access.link(name, read_only=read_only)).token)

    def access(self, tenant: str = TENANT) -> Access:
        """Open the access handle of a tenant."""
        return self.running.rememora.tenant(tenant, acting="test").access

    def account(self, role: LoginRole, *, tenant: str = EVERY_TENANT, user: str | None = None) -> str:
        """The name of a new account; its password is `PASSWORD`."""
        name = f"{role}-{tenant}-{len(self._accounts)}"
        self._accounts.append(name)
        access = self.running.rememora.tenant(tenant, acting="test").access
        token = self.run(access.invite(role, user=user)).token
        self.run(self.running.rememora.sessions.accept_invitation(token, name=name, password=PASSWORD))
        return name

    def session(self, role: LoginRole, *, tenant: str = EVERY_TENANT, user: str | None = None) -> str:
        """The session of a new account."""
        name = self.account(role, tenant=tenant, user=user)
        return str(self.run(self.running.rememora.sessions.sign_in(name, PASSWORD, address="test")))

    def say(self, name: str, *texts: str, conversation: str = "c1") -> None:
        """Turns of one conversation."""
        for text in texts:
            self.run(self.user(name).conversation(conversation).reply(text))

    @contextmanager
    def visit(
        self,
        name: str | None = None,
        *,
        language: Language = "pt",
        width: int = 1280,
        dark: bool = False,
        read_only: bool = False,
        expected: tuple[str, ...] = (),
    ) -> Iterator[Page]:
        """A page signed in as a person; any console error but the expected ones fails the test."""
        context = self.browser.new_context(
            locale=LOCALES[language],
            viewport={"width": width, "height": 800},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        troubles: list[str] = []
        elsewhere: list[str] = []
        page.on("console", lambda item: troubles.append(item.text) if item.type == "error" else None)
        page.on("pageerror", lambda item: troubles.append(str(item)))
        page.on("request", lambda item: elsewhere.append(item.url) if self._is_elsewhere(item) else None)
        if name is not None:
            page.goto(f"{self.address}/me?link={self.link(name, read_only=read_only)}")
        yield page
        context.close()

        assert [] == [trouble for trouble in troubles if not any(part in trouble for part in expected)]
        assert [] == elsewhere

    def _is_elsewhere(self, request: Request) -> bool:
        return not request.url.startswith((self.address, "data:", "about:"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module: while it is open, its event loop keeps others out of the thread."""
    program = installed_browser()
    if program is None:
        reason = "no Chromium or Chrome is installed: `apt-get install chromium`, or set REMEMORA_TEST_BROWSER"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    # Long beside what anything here takes, so that a busy machine fails nothing.
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for the tests of a module; each test has people of its own."""
    settings = settings_of(tmp_path_factory.mktemp("pages"), **{"server.demo": True, "events.attempts": 1})
    running = Running(settings).start()
    running.tenant(TENANT)
    running.run(running.rememora.warm())
    yield Site(running, browser)
    running.stop()


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker's script."""
    return (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")
