"""Takes the pictures of the pages in `docs/images` (`make images`): a server with the demonstration, and Chromium.

A browser is found as the tests of pages find theirs; `REMEMORA_TEST_BROWSER` names another.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs/images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
DEMO = "rememora-demo"
NAME, PASSWORD = "dona@exemplo.com.br", "uma frase bem comprida"
SAID = ("Guarda que o forno novo chega na quinta às 8h.", "Qual é o horário de funcionamento?")
WAIT_SECONDS = 120


def main() -> None:
    """Start a server, visit its pages as a stranger, as a person and as its owner, and write five pictures."""
    program = os.environ.get("REMEMORA_TEST_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit("no Chromium or Chrome is installed: `apt-get install chromium`")
    TARGET.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as (address, invitation),
        sync_playwright() as playwright,
    ):
        expect.set_options(timeout=WAIT_SECONDS * 1000)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        state = visit_as_person(browser, address)
        show_phone(browser, address, state)
        show_desk(browser, invitation)
        browser.close()


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, str]]:
    """Run a server on a new store; yield its address and the link that opens the owner's account."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    printed, address = folder / "printed.txt", f"http://127.0.0.1:{port}"
    command = [
        sys.executable,
        "-m",
        "rememora",
        "serve",
        "--demo",
        "--port",
        str(port),
        "--url",
        str(folder / "store"),
    ]
    with printed.open("w") as file:
        # The pages of this checkout, wherever the environment was installed from.
        mine = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        server = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, cwd=folder, env=mine)
    try:
        wait_for(address, server)
        link = re.search(r"http\S+/invitation\?token=\S+", printed.read_text(encoding="utf-8"))
        if link is None:
            raise SystemExit(f"the server printed no invitation:\n{printed.read_text(encoding='utf-8')}")
        yield address, link[0]
    finally:
        server.terminate()
        server.wait(WAIT_SECONDS)


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Return when the server answers."""
    late = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < late and server.poll() is None:
        try:
            httpx.get(address, timeout=5)
        except httpx.TransportError:
            time.sleep(0.3)
        else:
            return
    raise SystemExit("the server did not start")


@contextmanager
def visiting(browser: Browser, height: int, **given: Any) -> Iterator[Page]:
    """Open a page in Portuguese."""
    overrides = {
        "viewport": {"width": 1280, "height": height},
        "locale": "pt-BR",
        "color_scheme": "light",
        **given,
    }
    context = browser.new_context(**overrides)
    context.set_default_timeout(WAIT_SECONDS * 1000)
    yield context.new_page()
    context.close()


def visit_as_person(browser: Browser, address: str) -> Any:
    """Write the home page, the memories and the chat; return what the browser then holds."""
    with visiting(browser, 860) as page:
        page.goto(address)
        page.screenshot(path=TARGET / "home.png")
        page.locator("form[action='/demo'] button").click()
        page.wait_for_url("**/me")
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.locator(".memory button.quiet").first.click()
        expect(page.locator(".memory .facts").first).to_be_visible()
        page.screenshot(path=TARGET / "memories.png")
        page.set_viewport_size({"width": 1280, "height": 1380})
        page.goto(f"{address}/chat")
        for number, text in enumerate(SAID, 1):
            page.fill("textarea[name=text]", text)
            page.keyboard.press("Enter")
            expect(page.locator("#talk li.assistant > div > details")).to_have_count(number)
        page.locator("#talk li.assistant > div > details summary").last.click()
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        page.screenshot(path=TARGET / "chat.png")
        return page.context.storage_state()


def show_phone(browser: Browser, address: str, state: Any) -> None:
    """Write the memories as a phone shows them in the dark."""
    phone = {"viewport": {"width": 360, "height": 780}, "device_scale_factor": 2, "color_scheme": "dark"}
    with visiting(browser, 780, storage_state=state, **phone) as page:
        page.goto(f"{address}/me")
        page.evaluate("scrollTo(0, document.querySelector('#known h2').offsetTop - 12)")
        page.screenshot(path=TARGET / "phone.png")


def show_desk(browser: Browser, invitation: str) -> None:
    """Write the overview of the demonstration, as the owner of the server sees it."""
    with visiting(browser, 1180) as page:
        page.goto(invitation)
        page.fill("input[name=name]", NAME)
        page.fill("input[name=password]", PASSWORD)
        page.locator("main form button").click()
        page.wait_for_url("**/desk")
        page.goto(f"{page.url}?tenant={DEMO}")
        page.screenshot(path=TARGET / "desk.png")


if __name__ == "__main__":
    main()
