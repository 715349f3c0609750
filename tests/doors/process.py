"""`rememora serve` as a real process, with writers that note which messages were acknowledged."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from copy import copy
from pathlib import Path

import httpx

from rememora import Settings, SyncRememora
from rememora.settings import env_name

TENANT = "acme"


class Served:
    """A server process on a store of its own, or on one that is given."""

    def __init__(self, folder: Path, *, processes: int = 1, url: str | None = None) -> None:
        self.url = url or str(folder / "store")
        self._keys = {"store.key_folder": str(folder)} if url else {}
        self._processes = processes
        self._process: subprocess.Popen[str] | None = None
        self.address = ""
        with self.library() as rememora:
            rememora.operator(acting="test").tenants.create(TENANT)
            access = rememora.tenant(TENANT, acting="test").access
            self.key = access.issue_key("service").secret
            self.operator_key = rememora.operator(acting="test").access.issue_key("operator").secret

    def library(self) -> SyncRememora:
        """The store, opened by this process."""
        settings = Settings.load({"store.url": self.url, "recall.embedder": "none", **self._keys}, environ={})
        return SyncRememora.open(settings=settings, background=False)

    def beside(self) -> Served:
        """Another server on the same store, with the same keys."""
        other = copy(self)
        other._process = None
        return other

    def command(self, *words: str, through: Sequence[str] = ()) -> subprocess.Popen[str]:
        """One of the product's commands on this store, as a process of its own; `through` another, if need be."""
        environment = {**os.environ, "REMEMORA_RECALL_EMBEDDER": "none", "REMEMORA_TELEMETRY_LOG_LEVEL": "error"}
        environment |= {env_name(name): value for name, value in self._keys.items()}
        program = str(Path(sys.executable).with_name("rememora"))
        return subprocess.Popen(
            [*through, program, *words, "--url", self.url], stderr=subprocess.PIPE, text=True, env=environment
        )

    def start(self, *, through: Sequence[str] = ()) -> None:
        """Returns when it says its address."""
        words = ("serve", "--port", "0", "--processes", str(self._processes))
        self._process = self.command(*words, through=through)
        assert self._process.stderr is not None
        for line in self._process.stderr:
            hits = re.search(r"serves (http://\S+)/api/v1", line)
            if hits:
                self.address = hits[1]
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return
        raise AssertionError("the server did not start")

    def answers(self) -> bool:
        """Whether somebody is there."""
        try:
            return httpx.get(f"{self.address}/api/v1/health/live", timeout=30).is_success
        except httpx.HTTPError:
            return False

    def end(self, how: signal.Signals) -> int:
        """Send a signal and wait for the end; returns the exit code."""
        assert self._process is not None
        self._process.send_signal(how)
        return self._process.wait(60)

    def stored(self, user: str) -> list[str]:
        """The ids of all of a user's messages, as the store has them."""
        texts: list[str] = []
        with self.library() as rememora:
            ana = rememora.user(user, tenant=TENANT)
            for record in ana.conversations.list(limit=1000).items:
                after: str | None = None
                while True:
                    page = ana.conversation(record.id).messages(limit=1000, after=after)
                    texts += [message.id for message in page.items]
                    after = page.next
                    if after is None:
                        break
        return texts


class Writer(threading.Thread):
    """Appends messages with ids of its own until told to stop, noting those that were acknowledged."""

    def __init__(self, served: Served, user: str, name: str, conversation: str | None = None) -> None:
        super().__init__(daemon=True)
        self._served = served
        self._conversation = conversation or name
        self._user = user
        self._name = name
        self.stopped = threading.Event()
        self.acknowledged: list[str] = []

    def run(self) -> None:
        """Write, whatever becomes of the server; every request on a connection of its own."""
        headers = {"Authorization": f"Bearer {self._served.key}", "X-Rememora-User": self._user}
        number = 0
        while not self.stopped.is_set():
            number += 1
            id = f"{self._name}-{number}"
            body = {"role": "user", "content": f"mensagem {id}", "id": id}
            try:
                url = f"{self._served.address}/api/v1/conversations/{self._conversation}/messages"
                answer = httpx.post(url, json=body, headers=headers, timeout=30)
            except httpx.HTTPError:
                self.stopped.wait(0.05)
                continue
            if answer.status_code == 201:
                self.acknowledged.append(id)
