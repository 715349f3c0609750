"""An endpoint that speaks the embeddings protocol over real HTTP, and refuses what a test tells it to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Refusal = Callable[[dict[str, Any]], int | None]


class Endpoint(ThreadingHTTPServer):
    """Gives every text the same vector, unless `refusal` names the status that a call is refused with."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.refusal = refusal
        self.calls = 0
        self.authorizations: list[str | None] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def embedding(refusal: Refusal) -> Iterator[Endpoint]:
    """An endpoint that listens on a free port of this machine."""
    server = Endpoint(refusal)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


class _Answer(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.calls += 1
        self.server.authorizations.append(self.headers["Authorization"])
        refused = self.server.refusal(document)
        if refused is not None:
            self._give(refused, {"error": {"message": f"cannot read {document['input']}", "type": "invalid"}})
            return
        rows = [
            {"object": "embedding", "index": n, "embedding": [3.0, 4.0]} for n in range(len(document["input"]))
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._give(200, {"object": "list", "data": rows, "model": document["model"], "usage": usage})

    def _give(self, status: int, body: object) -> None:
        answer = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("x-should-retry", "false")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
