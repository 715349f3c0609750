"""The API against its own document: generated requests, every check, linked calls, no surprise."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.doors.conftest import Running, settings_of

from rememora.server.routes import table
from rememora.server.samples import SAMPLES

# A cursor that no page gave, two fields that exclude each other, an id with an invisible character: JSON Schema
# cannot say these rules, and 422 is their documented answer. A text that is too long for its field may be too long
# for a body.
CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "412", "422", "429"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429"]
"""
CASES = 5_000
PHASES = "examples,coverage,fuzzing,stateful"
# A stream of events ends soon, so that whoever reads it to its end gets there; and the debug views are there too.
WHOLE = {"server.stream_seconds": 0.05, "missions.debug": True}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with every route there is."""
    running = Running(settings_of(tmp_path_factory.mktemp("whole"), **WHOLE)).start()
    running.tenant("acme")
    yield running
    running.stop()


def run_schemathesis(server: Running, folder: Path, *arguments: str) -> tuple[int, str]:
    """Schemathesis against a running server; how many cases it made, and what it said."""
    config = folder / "schemathesis.toml"
    config.write_text(CONFIG)
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config), "run"),
        *(f"{server.address}/api/v1/openapi.json", "--checks", "all", "--no-color"),
        *("--max-failures", "20"),
        *("-H", f"Authorization: Bearer {server.key('operator')}", "-H", "X-Rememora-Tenant: acme"),
        *("-H", "X-Rememora-User: ana", "-H", "X-Rememora-Reason: test", *arguments),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    hits = re.search(r"([\d,]+) generated", done.stdout)

    assert hits is not None, done.stdout + done.stderr
    assert 0 == done.returncode, _failures(done.stdout)
    return int(hits[1].replace(",", "")), done.stdout


def test_generated_requests_find_no_fault(whole: Running, tmp_path: Path) -> None:
    """The samples, random requests for every route, and chains of linked ones: answered as the document says."""
    phases = "examples,fuzzing,stateful"
    made, _ = run_schemathesis(whole, tmp_path, "--phases", phases, "--max-examples", "1", "--seed", "1")

    assert made > 60


def test_every_body_has_a_sample() -> None:
    """What a reader copies first stands at every route that takes a body; the run above has sent each of them."""
    routes = {route.name: route for route in table() if route.body is not None}

    assert set(routes) == set(SAMPLES)
    for name, sample in SAMPLES.items():
        msgspec.convert(sample, routes[name].body)


@pytest.mark.slow
def test_thousands_of_generated_requests_find_no_fault(whole: Running, tmp_path: Path) -> None:
    """Every phase: edge cases, random requests, and calls that follow the links between routes."""
    made, _ = run_schemathesis(whole, tmp_path, "--phases", PHASES, "--max-examples", "40", "--seed", "7")

    assert made >= CASES


def _failures(text: str) -> str:
    """What went wrong, without the requests whose bodies fill pages."""
    lines = text[max(0, text.find("= FAILURES =")) :].splitlines()
    return "\n".join(line[:300] for line in lines[:200])
