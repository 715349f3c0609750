"""Middleware that adds a request id, security headers, and a problem document for every failure."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Awaitable, Callable, Iterable

from rememora.server.problems import refused, unexpected
from rememora.server.routing import Message, Receive, Send
from rememora.telemetry import REQUEST

logger = logging.getLogger(__name__)
REQUEST_HEADER = b"x-request-id"
_PLAIN = re.compile(rb"[A-Za-z0-9._-]{1,64}")
# For the API. Pages send their own policy, which this one must not override.
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"cross-origin-resource-policy": b"same-origin",
}


class RequestContext:
    """Middleware around the whole application."""

    def __init__(self, app: Callable[[Message, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope = {**scope, **_place(scope)}
        id = _request_id(scope["headers"])
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                given = {name for name, _ in message["headers"]}
                # An upstream's answer brings the id that its own support asks for.
                defaults = [
                    (name, value) for name, value in {**HEADERS, REQUEST_HEADER: id}.items() if name not in given
                ]
                message["headers"] = [*message["headers"], *defaults]
            await send(message)

        token = REQUEST.set(id.decode())
        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            logger.exception("%s failed: %s", scope["method"], type(error).__name__)
            if begun:
                raise
            # Whatever happens anywhere behind this, the caller gets a problem with the id to ask about.
            await refused(unexpected())(scope, receive, send_with_headers)
        finally:
            REQUEST.reset(token)


def _place(scope: Message) -> Message:
    """Return the path where a host mounted this application, and the whole path, even if the host cut it.

    Starlette derives `request.base_url` from `app_root_path`.
    """
    root, path = scope.get("root_path", "").rstrip("/"), scope["path"]
    whole = path if f"{path}/".startswith(f"{root}/") else root + path
    return {"path": whole, "root_path": root, "app_root_path": root}


def _request_id(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the caller's id for this request if it is valid, else a new one."""
    given = next((value for name, value in headers if name == REQUEST_HEADER), None)
    if given is not None and _PLAIN.fullmatch(given):
        return given
    # Only to tell requests apart in the logs: it need not be hard to guess, and costs no system call.
    return b"%016x" % random.getrandbits(64)
