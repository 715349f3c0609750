"""Webhooks against a real HTTP server: signed, in order, tried again, never to an address that is not public."""

from __future__ import annotations

import ipaddress
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.clock import MIDDAY, SetClock
from tests.happening import happen
from tests.looped import looped

from rememora import Rememora, Settings, verify_webhook
from rememora.adapters.webhook import checked_url, is_public
from rememora.domain.signature import signed
from rememora.errors import InvalidInput

SECRET = "whsec_" + "c2VncmVkbyBtdWl0byBiZW0gZ3VhcmRhZG8="


class Endpoint:
    """A server that answers as told and remembers what it got."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        self.paths: list[str] = []
        endpoint = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                endpoint.got.append((dict(self.headers), body))
                endpoint.paths.append(self.path)
                status = endpoint.answers.pop(0) if endpoint.answers else 204
                self.send_response_only(status)
                if status == 302:
                    self.send_header("location", f"{endpoint.url}/elsewhere")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def positions(self) -> list[int]:
        """What came, by position."""
        return [json.loads(body)["position"] for _, body in self.got]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A running server."""
    result = Endpoint()
    thread = threading.Thread(target=result.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield result
    result.server.shutdown()
    result.server.server_close()
    thread.join()


@pytest.fixture
def overrides() -> dict[str, object]:
    """The loopback is allowed here; few attempts, first wait of a second."""
    return {"events.private_addresses": True, "events.attempts": 3, "events.backoff_seconds": 1}


async def test_an_event_arrives_signed(rememora: Rememora, endpoint: Endpoint, clock: SetClock) -> None:
    """The body is the event; its id, the moment and the body are under the signature."""
    await rememora.events.webhook("crm", f"{endpoint.url}/in?of=acme", secret=SECRET)
    await happen(rememora, "c1")
    await rememora.settle()
    [event] = await rememora.tenant("acme", acting="boss").events.list()
    [(headers, body)] = endpoint.got

    assert ("/in?of=acme", event.id) == (endpoint.paths[0], headers["webhook-id"])
    assert event.id == json.loads(body)["id"]
    assert verify_webhook(SECRET, headers, body, now=clock())


async def test_a_changed_stale_or_foreign_delivery_is_not_genuine() -> None:
    """Body, id, moment and secret all count; several signatures may be given, as while a secret changes."""
    key = b"x" * 16
    headers, body = signed(key, "e1", b"{}", at=MIDDAY), b"{}"
    secret = key.decode()

    def genuine(changed: dict[str, str] | None = None, *, body: bytes = body, late: float = 0) -> bool:
        now = MIDDAY + timedelta(seconds=late)
        return verify_webhook(secret, {**headers, **(changed or {})}, body, now=now)

    assert genuine()
    assert genuine({"webhook-signature": f"v1,other {headers['webhook-signature']}"})
    assert genuine(late=300)
    assert [False] * 7 == [
        genuine(body=b"[]"),
        genuine({"webhook-id": "e2"}),
        genuine({"webhook-timestamp": "1"}),
        genuine({"webhook-timestamp": "x"}),
        genuine({"webhook-signature": ""}),
        genuine(late=301),
        verify_webhook("y" * 16, headers, body, now=MIDDAY),
    ]


async def test_a_failing_server_is_tried_again_in_order(
    rememora: Rememora, endpoint: Endpoint, clock: SetClock
) -> None:
    """What comes later in the conversation waits behind it; the id is the same at each try."""
    endpoint.answers = [500, 204, 503]
    await rememora.events.webhook("crm", endpoint.url, secret=SECRET)
    await happen(rememora, "c1", "c2", "c1")
    await rememora.settle()

    assert [1, 2] == endpoint.positions

    for _ in range(2):
        clock.advance(2)
        await rememora.settle()

    assert [1, 2, 1, 1, 3] == endpoint.positions
    assert 3 == len({headers["webhook-id"] for headers, _ in endpoint.got})


@pytest.mark.parametrize("status", [302, 400, 410, 500])
async def test_anything_but_success_ends_as_a_dead_letter(
    rememora: Rememora, endpoint: Endpoint, clock: SetClock, status: int
) -> None:
    """A redirect is not followed; after the last try the event is a dead letter, and a replay brings it again."""
    endpoint.answers = [status] * 3
    await rememora.events.webhook("crm", endpoint.url, secret=SECRET)
    await happen(rememora, "c1")
    for _ in range(5):
        await rememora.settle()
        clock.advance(60)
    [letter] = await rememora.tenant("acme", acting="boss").events.dead_letters()

    assert (3, "Unavailable", {"/"}) == (len(endpoint.got), letter.error, set(endpoint.paths))

    await rememora.events.replay("crm", tenant="acme", after=0)
    await rememora.settle()

    assert [1, 1, 1, 1] == endpoint.positions
    assert [] == await rememora.tenant("acme", acting="boss").events.dead_letters()


async def test_a_private_address_is_refused(tmp_path: Path, endpoint: Endpoint) -> None:
    """A public name that leads to a private address gets nothing: the address counts, not the name."""
    settings = Settings.load({"store.url": str(tmp_path)}, environ={})
    port = endpoint.url.rpartition(":")[2]
    async with Rememora.open(settings=settings, background=False) as rememora:
        with pytest.raises(InvalidInput):
            await rememora.events.webhook("plain", endpoint.url, secret=SECRET)
        await rememora.events.webhook("crm", f"https://localhost:{port}", secret=SECRET)
        await happen(rememora, "c1")
        await rememora.settle()
        name = "crm"
        parked = await rememora._parts.store.relay(lambda view: view.parked_streams(name))

    assert [] == endpoint.got
    assert {("acme", "ana", "c1")} == parked


@looped(
    "address",
    [
        *("127.0.0.1", "10.0.0.8", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *(
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
        ),
        *("2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "ff02::1"),
        # Forms that embed an IPv4 address, whichever it is, and ranges that nobody may announce.
        *("::127.0.0.1", "::8.8.8.8", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"),
        *("64:ff9b::808:808", "64:ff9b:1::7f00:1", "64:ff9b:1:ffff::1", "2002:808:808::1", "2001::1"),
        *("5f00::1", "5f00:ffff::1", "3fff::1", "3fff:fff:ffff::1", "2001:db8::1", "2001:2::1", "2001:10::1"),
        *("100::1", "fec0::1", "2620:4f:8000::1", "1fff:ffff::1", "4000::1", "e000::1"),
        *("0.1.2.3", "100.127.255.255", "169.254.169.254", "172.31.0.1", "192.0.0.8", "192.0.2.1", "192.88.99.1"),
        *("192.31.196.1", "192.52.193.1", "192.175.48.1", "198.19.0.1", "198.51.100.1", "203.0.113.1"),
        *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    ],
)
def test_these_addresses_are_not_public(address: str) -> None:
    """Private, loopback, link-local, shared, multicast, unspecified, and what IPv6 wraps around them."""
    assert not is_public(ipaddress.ip_address(address))


@looped(
    "address",
    [
        *("1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "198.17.255.255"),
        *("223.255.255.255", "192.0.1.1", "2001:200::1", "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1"),
    ],
)
def test_these_addresses_are_public(address: str) -> None:
    """The rule above lets the internet through."""
    assert is_public(ipaddress.ip_address(address))


@looped(
    "url",
    [
        *("http://example.com", "ftp://example.com", "https://", "https://u:p@example.com", "https://a.com/#x"),
        *(
            "https://a.com:0/",
            "https://a.com:99999/",
            "https://a.com/a b",
            "https://a.com/\r\nx: y",
            "https://é.com",
        ),
        *("//example.com", "https://[::1"),
    ],
)
def test_a_url_that_cannot_be_told_to_is_refused(url: str) -> None:
    """Also one that would carry a header of its own."""
    with pytest.raises(InvalidInput):
        checked_url(url, private=False)


@pytest.mark.parametrize("secret", ["", "short", "whsec_!", "whsec_YWJj"])
async def test_a_weak_secret_is_refused(rememora: Rememora, endpoint: Endpoint, secret: str) -> None:
    """At least 16 bytes."""
    with pytest.raises(InvalidInput):
        await rememora.events.webhook("crm", endpoint.url, secret=secret)


async def test_the_settings_can_name_a_webhook(settings: Settings, endpoint: Endpoint) -> None:
    """Where loops run, as in `rememora work`, what the settings name is told; its secret is never shown."""
    overrides = {
        "store.url": settings.store.url,
        "events.webhook_url": endpoint.url,
        "events.webhook_secret": SECRET,
    }
    chosen = Settings.load({**overrides, "events.private_addresses": True}, environ={})
    async with Rememora.open(settings=chosen) as rememora:
        await happen(rememora, "c1")
        await rememora.settle()

    assert [1] == endpoint.positions
    assert SECRET not in repr(chosen)
