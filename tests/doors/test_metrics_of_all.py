"""Metrics of a server of several processes: whichever answers tells the sum of all."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import httpx
from tests.doors.process import Served

ASKED = 24
COUNTED = re.compile(r'rememora_http_requests_total\{.*route="/api/v1/conversations".*\} ([0-9.]+)')


def test_every_worker_tells_the_sum(tmp_path: Path) -> None:
    """Requests on connections of their own reach both workers; each count that is told holds all of them."""
    served = Served(tmp_path, processes=2)
    served.start()
    mine = {"Authorization": f"Bearer {served.key}", "X-Rememora-User": "ana"}
    operator = {"Authorization": f"Bearer {served.operator_key}"}
    try:
        for _ in range(ASKED):
            answer = httpx.get(f"{served.address}/api/v1/conversations", headers=mine, timeout=60)

            assert 200 == answer.status_code
        responses = [httpx.get(f"{served.address}/api/v1/metrics", headers=operator, timeout=60) for _ in range(8)]
    finally:
        served.end(signal.SIGTERM)

    assert {200} == {answer.status_code for answer in responses}
    assert {float(ASKED)} == {float(hits[1]) for answer in responses if (hits := COUNTED.search(answer.text))}
