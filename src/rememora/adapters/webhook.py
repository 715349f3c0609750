"""Events to a URL: one signed POST each, to an address that was looked at first.

Written over asyncio's own streams: the connection goes to the address that was checked and to no other, nothing is
followed, a delivery can be cut short at any point, and no package is needed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

import msgspec

from rememora.adapters.public_addresses import is_public
from rememora.domain.event import Event
from rememora.domain.signature import secret_bytes, signed
from rememora.errors import Forbidden, InvalidInput, Unavailable
from rememora.ports.outside import Clock

SECONDS = 10.0
HEADER_LINES = 200
PORTS = {"https": 443, "http": 80}


class Webhook:
    """Posts events to a URL: accepted when it answers 2xx in time, refused otherwise."""

    def __init__(
        self, url: str, *, secret: str, clock: Clock, private: bool = False, seconds: float = SECONDS
    ) -> None:
        self._target = checked_url(url, private=private)
        self._key = secret_bytes(secret)
        self._clock = clock
        self._private = private
        self._seconds = seconds

    async def __call__(self, event: Event) -> None:
        body = msgspec.json.encode(event)
        headers = signed(self._key, event.id, body, at=self._clock())
        async with asyncio.timeout(self._seconds):
            status = await self._post(body, headers)
        if not 200 <= status < 300:
            raise Unavailable(f"the webhook answered {status}")

    async def _post(self, body: bytes, headers: Mapping[str, str]) -> int:
        reader, writer = await self._connected()
        try:
            writer.write(request(self._target, body, headers))
            await writer.drain()
            return await final_status(reader)
        finally:
            writer.close()
            # Whatever the other side does about the end, the answer is known.
            with suppress(OSError, ssl.SSLError):
                await writer.wait_closed()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        target = self._target
        host, port = target.hostname or "", target.port or PORTS[target.scheme]
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        refuse_private(addresses, allowed=self._private)
        secure = ssl.create_default_context() if target.scheme == "https" else None
        for address in addresses[:-1]:
            with suppress(OSError):
                return await connect(address, port, host=host, secure=secure)
        return await connect(addresses[-1], port, host=host, secure=secure)


async def connect(
    address: str, port: int, *, host: str, secure: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to one address, whose certificate has to be the host's."""
    return await asyncio.open_connection(address, port, ssl=secure, server_hostname=host if secure else None)


def checked_url(url: str, *, private: bool) -> SplitResult:
    """Check a webhook URL: https, or http where private addresses are allowed, and no password in it."""
    if not (url.isascii() and url.isprintable()) or " " in url:
        raise InvalidInput("url", "must be plain ASCII")
    try:
        target = urlsplit(url)
        port = target.port
    except ValueError:
        raise InvalidInput("url", "must be a URL") from None
    if target.scheme not in (("https", "http") if private else ("https",)):
        raise InvalidInput("url", "must begin with https://")
    if not target.hostname or port == 0 or target.username is not None or target.fragment:
        raise InvalidInput("url", "must name a host, without user, password or fragment")
    return target


def refuse_private(addresses: Iterable[str], *, allowed: bool) -> None:
    """Refuse a name that leads, with any of its addresses, where the public internet does not."""
    if not allowed and not all(
        is_public(ipaddress.ip_address(address.partition("%")[0])) for address in addresses
    ):
        raise Forbidden("the address is not of the public internet; events.private_addresses would allow it")


def request(target: SplitResult, body: bytes, headers: Mapping[str, str]) -> bytes:
    """The bytes of one POST."""
    path = (target.path or "/") + (f"?{target.query}" if target.query else "")
    lines = [
        f"POST {path} HTTP/1.1",
        f"host: {target.netloc}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "user-agent: rememora",
        "connection: close",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def final_status(reader: asyncio.StreamReader) -> int:
    """The status of the answer; what comes before it (1xx) is passed over, what comes after is not read."""
    for _ in range(HEADER_LINES):
        version, _, rest = (await reader.readline()).decode("latin-1").partition(" ")
        status = rest[:3]
        if not (version.startswith("HTTP/1.") and status.isascii() and status.isdecimal()):
            raise Unavailable("the webhook did not answer in HTTP")
        if int(status) >= 200:
            return int(status)
        while (await reader.readline()).strip():
            pass
    raise Unavailable("the webhook did not answer")
