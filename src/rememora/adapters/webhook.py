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
from typing import Final
from urllib.parse import SplitResult, urlsplit

import msgspec

from rememora.domain.event import Event
from rememora.domain.signature import secret_bytes, signed
from rememora.errors import Forbidden, InvalidInput, Unavailable
from rememora.ports.outside import Clock

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

IPV6: Final = ipaddress.IPv6Network("2000::/3")
"""All that has been given out for use on the internet; every form that embeds IPv4 but 6to4 lies outside."""

SPECIAL_IPV4: Final = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by a provider's customers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
SPECIAL_IPV6: Final = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)


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
        infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(info[4][0]) for info in infos))
        # The connection goes to the addresses that were checked, and not to the name again: a second lookup
        # could answer with an internal address (DNS rebinding).
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
    # Parsers disagree about control characters and Unicode hosts: an address that two of them read differently
    # could pass the check below and lead elsewhere.
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
        raise Forbidden("the address is not public; events.private_addresses allows private ones")


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
    # Bounded, so that a receiver cannot hold a worker with endless interim answers.
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


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the public internet."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in special for special in SPECIAL_IPV4)
    return address in IPV6 and not any(address in special for special in SPECIAL_IPV6)
