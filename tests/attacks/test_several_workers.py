"""Slow clients before a server of several worker processes: each of them keeps places for everybody else."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.attacks.counts import Probe
from tests.attacks.test_slow_clients import PATIENCE, SHARE, TRIES, half_a_body, opened_at
from tests.doors.process import TENANT, Served

from rememora.settings import env_name

WORKERS = 2
OTHER = "other"


@contextmanager
def served(folder: Path) -> Iterator[tuple[Served, str]]:
    """A server with few places in each of its workers, and a key of another tenant."""
    result = Served(folder, processes=WORKERS)
    with result.library() as rememora:
        rememora.operator(acting="test").tenants.create(OTHER)
        key = rememora.tenant(OTHER, acting="test").access.issue_key("service").secret
    result.start()
    try:
        yield result, key
    finally:
        result.end(signal.SIGTERM)


def asked(result: Served, key: str) -> httpx.Response:
    """A request on a connection of its own, which either worker may accept."""
    headers = {"Authorization": f"Bearer {key}", "X-Rememora-User": "ana"}
    return httpx.get(f"{result.address}/api/v1/conversations", headers=headers, timeout=PATIENCE)


def test_one_key_shuts_nobody_out_of_any_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probe: Probe
) -> None:
    """Its half-sent bodies take its share in each worker: both refuse it then, and both serve the other tenant."""
    slow = {"server.body_start_seconds": PATIENCE, "server.body_seconds": PATIENCE}
    for name, value in {**SHARE, **slow}.items():
        monkeypatch.setenv(env_name(name), str(value))
    with served(tmp_path) as (result, other), ExitStack() as held:
        until = time.monotonic() + PATIENCE
        refused = 0
        while refused < TRIES and time.monotonic() < until:
            # Refused in a row: as long as one worker has a place of the share left, a request may find it, and one
            # more connection is held.
            held.enter_context(closing(opened_at(result.address, half_a_body(result.key))))
            refused = refused + 1 if asked(result, result.key).status_code == 429 else 0
        for _ in range(TRIES):
            probe(asked(result, other).status_code == 200, "another tenant")

    assert TRIES == refused, f"the share of {TENANT} was not used up in both workers"
