"""Closes connections whose request line and headers do not arrive in time.

The underlying server waits for them forever, so a client could hold connections by sending half a request.
"""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any, cast

LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HeadersInTime(asyncio.Protocol):
    """Mixin for the server's protocol: a timer runs until the headers of a request have arrived.

    It starts with the connection, and with the first byte of each later request.
    """

    header_seconds: float
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    cycle: Any
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the timer."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._unwatch()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Stop the timer when the headers have arrived."""
        super().data_received(data)
        if self._awaits_headers():
            self._watch()
        else:
            self._unwatch()

    def _awaits_headers(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        # Bytes that trickle in do not start the clock again.
        if self._late is None:
            self._late = self.loop.call_later(self.header_seconds, self._close_late)

    def _unwatch(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _close_late(self) -> None:
        self._late = None
        if self._awaits_headers() and not self.transport.is_closing():
            self.transport.write(LATE)
            self.transport.close()


def protocol_of(header_seconds: float) -> type[asyncio.Protocol]:
    """The HTTP protocol of the server, with a time limit for everything before the body."""
    plain = import_module("uvicorn.protocols.http.auto").AutoHTTPProtocol
    made = type("TimedProtocol", (HeadersInTime, plain), {"header_seconds": header_seconds})
    return cast("type[asyncio.Protocol]", made)
