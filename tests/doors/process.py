"""`rememora serve` as a real process, with writers that note which messages were acknowledged."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx

from rememora import Settings, SyncRememora

TENANT = "acme"


class Served:
    """A server process on a store of its own."""

    def __init__(self, folder: Path, *, processes: int = 1) -> None:
        self.url = str(folder / "store")
        self._processes = processes
        self._process: subprocess.Popen[str] | None = None
        self.address = ""
        with self.library() as rememora:
            rememora.operator(acting="test").create_tenant(TENANT)
            access = rememora.tenant(TENANT, acting="test").access
            self.key = access.issue_key("admin").secret
            self.operator_key = rememora.operator(acting="test").access.issue_key("operator").secret

    def library(self) -> SyncRememora:
        """The store, opened by this process."""
        settings = Settings.load({"store.url": self.url, "recall.embedder": "none"}, environ={})
        return SyncRememora.open(settings=settings, background=False)

    def start(self) -> None:
        """Returns when it says its address."""
        command = [str(Path(sys.executable).with_name("rememora")), "serve", "--url", self.url, "--port", "0"]
        environment = {**os.environ, "REMEMORA_RECALL_EMBEDDER": "none", "REMEMORA_TELEMETRY_LOG_LEVEL": "error"}
        self._process = subprocess.Popen(
            [*command, "--processes", str(self._processes)], stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            found = re.search(r"serves (http://\S+)/api/v1", line)
            if found:
                self.address = found[1]
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return
        raise AssertionError("the server did not start")

    def end(self, how: signal.Signals) -> int:
        """Send a signal and wait for the end; returns the exit code."""
        assert self._process is not None
        self._process.send_signal(how)
        return self._process.wait(60)

    def stored(self, user: str) -> list[str]:
        """The ids of all of a user's messages, as the store has them."""
        found: list[str] = []
        with self.library() as rememora:
            ana = rememora.user(user, tenant=TENANT)
            for record in ana.conversations(limit=1000).items:
                after: str | None = None
                while True:
                    page = ana.conversation(record.id).messages(limit=1000, after=after)
                    found += [message.id for message in page.items]
                    after = page.next
                    if after is None:
                        break
        return found


class Writer(threading.Thread):
    """Appends messages with ids of its own until told to stop, noting those that were acknowledged."""

    def __init__(self, served: Served, user: str, name: str) -> None:
        super().__init__(daemon=True)
        self._served = served
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
                url = f"{self._served.address}/api/v1/conversations/{self._name}/messages"
                answer = httpx.post(url, json=body, headers=headers, timeout=30)
            except httpx.HTTPError:
                self.stopped.wait(0.05)
                continue
            if answer.status_code == 201:
                self.acknowledged.append(id)
