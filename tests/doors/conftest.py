"""A real server on loopback in a thread with an event loop of its own, clients that talk to it, and a terminal."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from tests.calm import CALM
from tests.doors.terminal import Terminal

from rememora import Rememora, Settings
from rememora.domain.tenancy import EVERY_TENANT, UNLIMITED, KeyRole, Plan
from rememora.server.serve import GracefulServer, config_of, listen

ROOT = "test"
T = TypeVar("T")


class Running:
    """A server under test: its memory, its address, and keys to it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.rememora: Rememora
        self.address = ""
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()
        self._failure: BaseException | None = None
        self._server: GracefulServer
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> Running:
        """Returns when it accepts connections."""
        self._thread.start()
        assert self._up.wait(30)
        if self._failure is not None:
            raise self._failure
        return self

    def stop(self) -> None:
        """Shut down gracefully, and wait for it."""
        self._server.should_exit = True
        self._thread.join(30)

        assert not self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a verb, run in the server's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def server_places(self) -> Any:
        """Places that the pages take of the server."""
        return self._server.config.app.state.dispatcher.places  # type: ignore[union-attr]

    def tenant(self, tenant: str, *, plan: Plan = UNLIMITED) -> None:
        """Open an account."""
        self.run(self.rememora.operator(acting=ROOT).tenants.create(tenant, plan=plan))

    def key(self, role: KeyRole, *, tenant: str = EVERY_TENANT, user: str | None = None, module: str = "") -> str:
        """A new key's secret."""
        access = self.rememora.tenant(tenant, acting=ROOT).access
        return self.run(access.issue_key(role, user=user, modules=[module] if module else [])).secret

    def client(self, key: str | None = None, **headers: str) -> httpx.Client:
        """A client under `/api/v1` that holds a key."""
        mine = {} if key is None else {"Authorization": f"Bearer {key}"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx.Client(base_url=f"{self.address}/api/v1", headers={**mine, **named}, timeout=30)

    def user(self, user: str = "ana", *, tenant: str = "acme") -> httpx.Client:
        """A client of one user."""
        return self.client(self.key("user", tenant=tenant, user=user))

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:
            self._failure = error
            raise
        finally:
            self._up.set()

    async def _serve(self) -> None:
        bound = listen(self.settings)
        self.address = "http://{}:{}".format(*bound.getsockname()[:2])
        async with Rememora.open(settings=self.settings) as rememora:
            self.rememora = rememora
            self._server = GracefulServer(config_of(rememora))
            serving = asyncio.create_task(self._server.serve(sockets=[bound]))
            while not self._server.started:
                await asyncio.sleep(0.01)
            self._up.set()
            await serving


def settings_of(folder: Path, **more: object) -> Settings:
    """A store of the test's own, on a free port, going by words alone."""
    given = {"store.url": str(folder / "store"), "server.port": 0, "recall.embedder": "none"}
    return Settings.load({**CALM, **given, **more}, environ={})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with two tenants whose names look alike, shared by the tests of a module."""
    running = Running(settings_of(tmp_path_factory.mktemp("server"))).start()
    running.tenant("acme")
    running.tenant("acme2")
    yield running
    running.stop()


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal that goes by words alone, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMORA_RECALL_EMBEDDER", "none")
    monkeypatch.setenv("REMEMORA_CONTEXT_DEADLINE_MS", "20000")
    monkeypatch.setenv("REMEMORA_STORE_SYNCHRONOUS", "normal")
    return Terminal(tmp_path / "store")
