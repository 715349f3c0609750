"""Idempotency keys over HTTP: a timeout or a killed server leaves no key taken, and nothing is done twice."""

from __future__ import annotations

import random
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from tests.doors.conftest import Running, settings_of
from tests.doors.process import Served

from rememora.adapters.sql.folder import FILE

MENTION = {"type": "product", "key": "pão", "value": "de queijo"}
CLIENTS = 3


def count_of(client: httpx.Client) -> int:
    """How often the one thing was mentioned."""
    return sum(item["mentions"] for item in client.get("/entities").json()["items"])


def test_a_request_that_timed_out_is_repeated_at_once(tmp_path: Path) -> None:
    """While another process holds the store a write times out; the same key then goes on, and counts once."""
    running = Running(settings_of(tmp_path, **{"server.request_seconds": 1.0})).start()
    try:
        running.tenant("acme")
        ana = running.user()
        key = {"Idempotency-Key": "k1"}
        with closing(sqlite3.connect(tmp_path / "store" / FILE, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            given_up = ana.post("/entities", json=MENTION, headers=key)
            other.execute("ROLLBACK")
        repeated = [ana.post("/entities", json=MENTION, headers=key).status_code for _ in range(3)]

        assert "timeout" == given_up.json()["code"]
        assert [201, 201, 201] == repeated
        assert 1 == count_of(ana)
    finally:
        running.stop()


class Mentioner(threading.Thread):
    """Mentions the same thing under one key after another, each repeated until it is acknowledged."""

    def __init__(self, served: Served, name: str) -> None:
        super().__init__(daemon=True)
        self._served = served
        self._name = name
        self.stopped = threading.Event()
        self.acknowledged = 0
        self.turned_away = 0

    def run(self) -> None:
        """Go on whatever becomes of the server, and end on an acknowledged key."""
        while not self.stopped.is_set():
            key = f"{self._name}-{self.acknowledged}"
            while not self._mention(key):
                time.sleep(0.02)
            self.acknowledged += 1

    def _mention(self, key: str) -> bool:
        headers = {
            "Authorization": f"Bearer {self._served.key}",
            "X-Rememora-User": "ana",
            "Idempotency-Key": key,
        }
        url = f"{self._served.address}/api/v1/entities"
        try:
            answer = httpx.post(url, json=MENTION, headers=headers, timeout=30)
        except httpx.HTTPError:
            return False
        self.turned_away += answer.status_code == 409
        return answer.status_code == 201


def kill_and_repeat(folder: Path, times: int, *, processes: int) -> tuple[int, int, int]:
    """Kill the server among mentions; returns how many were acknowledged, counted, and turned away with 409."""
    served = Served(folder, processes=processes)
    chance = random.Random(7)
    at_work = [Mentioner(served, f"m{number}") for number in range(CLIENTS)]
    served.start()
    for task in at_work:
        task.start()
    for _ in range(times):
        seen = sum(item.acknowledged for item in at_work)
        while sum(item.acknowledged for item in at_work) < seen + CLIENTS:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.1))
        served.end(signal.SIGKILL)
        served.start()
    for task in at_work:
        task.stopped.set()
    for task in at_work:
        task.join(60)
    served.end(signal.SIGTERM)
    with served.library() as rememora:
        counted = sum(entity.mentions for entity in rememora.user("ana", tenant="acme").entities.list())
    return sum(item.acknowledged for item in at_work), counted, sum(item.turned_away for item in at_work)


def test_a_killed_server_counts_no_repeat_twice(tmp_path: Path) -> None:
    """Every key counts once, and no key of a dead process is taken."""
    acknowledged, counted, turned_away = kill_and_repeat(tmp_path, 1, processes=1)

    assert acknowledged == counted
    assert 0 == turned_away


@pytest.mark.slow
def test_a_server_killed_forty_times_counts_no_repeat_twice(tmp_path: Path) -> None:
    """The same, forty times on one store with two worker processes."""
    acknowledged, counted, turned_away = kill_and_repeat(tmp_path, 40, processes=2)

    assert acknowledged == counted
    assert 0 == turned_away
