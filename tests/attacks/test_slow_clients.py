"""Clients that hold places without using them: half-sent headers, half-sent bodies, idle streams."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.attacks.counts import Probe
from tests.doors.conftest import Running, settings_of

SHARE = {
    "server.in_flight": 12,
    "server.in_flight_tenant": 6,
    "server.in_flight_key": 4,
    "server.streams": 9,
    "server.streams_tenant": 5,
    "server.streams_key": 3,
}
ATTACKERS = 40
TRIES = 20
PATIENCE = 60.0


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Running]:
    """A server with few places whose slow clients are let wait for long."""
    running = Running(
        settings_of(tmp_path, **SHARE, **{"server.body_start_seconds": PATIENCE, "server.body_seconds": PATIENCE})
    ).start()
    for tenant in ("acme", "other"):
        running.tenant(tenant)
    yield running
    running.stop()


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[Running]:
    """A server that waits for headers and bodies for a moment only."""
    brief = {"server.header_seconds": 0.5, "server.body_start_seconds": 0.5, "server.body_seconds": 1.0}
    running = Running(settings_of(tmp_path, **brief)).start()
    running.tenant("acme")
    yield running
    running.stop()


def opened(running: Running, text: str) -> socket.socket:
    """A connection on which a text was sent, and nothing more."""
    return opened_at(running.address, text)


def opened_at(url: str, text: str) -> socket.socket:
    """The same, to a server of this address."""
    address = urlsplit(url)
    made = socket.create_connection((address.hostname or "", address.port or 0), timeout=PATIENCE)
    made.sendall(text.encode())
    return made


def half_a_body(key: str) -> str:
    """A request whose body is announced and not sent."""
    head = f"POST /api/v1/judge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
    return head + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"


def attack(running: Running, keys: list[str], held: ExitStack, places: int) -> None:
    """Open half-sent requests until all but those that hold a place were answered.

    Before that, requests whose key is still being looked up take places too, and anybody may be told `busy`.
    """
    waiting = [held.enter_context(closing(opened(running, half_a_body(key)))) for key in keys]
    until = time.monotonic() + PATIENCE
    while len(waiting) > places:
        answered, _, _ = select.select(waiting, [], [], PATIENCE)
        waiting = [connection for connection in waiting if connection not in answered]
        assert time.monotonic() < until
    assert len(waiting) == places


def rest_of(connection: socket.socket) -> bytes:
    """What a connection is told until it is closed by the other side."""
    content = b""
    while part := connection.recv(4096):
        content += part
    return content


def test_half_sent_bodies_shut_nobody_else_out(shared: Running, probe: Probe) -> None:
    """One key holds its share of requests and no more; its tenant's other users and other tenants are served."""
    key = shared.key("user", tenant="acme", user="eve")
    with ExitStack() as held:
        attack(shared, [key] * ATTACKERS, held, SHARE["server.in_flight_key"])
        refusal = shared.client(key).get("/conversations")
        neighbour, apart = shared.user("ana", tenant="acme"), shared.user("bia", tenant="other")
        for _ in range(TRIES):
            probe(neighbour.get("/conversations").status_code == 200, "the same tenant")
            probe(apart.get("/conversations").status_code == 200, "another tenant")

    problem = refusal.json()
    assert (429, "share_used_up") == (refusal.status_code, problem["code"])
    assert ("in_flight_key", 4) == (problem["quota"], problem["limit"])
    assert refusal.headers["retry-after"].isdigit()


def test_keys_together_hold_no_more_than_their_tenants_share(shared: Running, probe: Probe) -> None:
    """Many keys of one tenant leave places for other tenants, and the refusal names the tenant's share."""
    keys = [shared.key("user", tenant="acme", user=f"eve{number}") for number in range(4)]
    with ExitStack() as held:
        attack(shared, keys * (ATTACKERS // len(keys)), held, SHARE["server.in_flight_tenant"])
        refusal = shared.user("ana", tenant="acme").get("/conversations")
        apart = shared.user("bia", tenant="other")
        for _ in range(TRIES):
            probe(apart.get("/conversations").status_code == 200, "another tenant")

    assert (429, "in_flight_tenant") == (refusal.status_code, refusal.json()["quota"])


def test_idle_streams_shut_nobody_else_out(shared: Running, probe: Probe) -> None:
    """Streams are counted apart: a tenant that opens as many as it can leaves streams and requests for others."""
    keys = [shared.key("auditor", tenant="acme") for _ in range(4)]
    with ExitStack() as held:
        codes: list[tuple[int, str]] = []
        for key in (key for key in keys for _ in range(ATTACKERS // len(keys))):
            tail = held.enter_context(shared.client(key).stream("GET", "/events/tail"))
            if not tail.is_success:
                tail.read()
            codes.append((tail.status_code, "" if tail.is_success else tail.json()["quota"]))
        admin = shared.client(shared.key("admin", tenant="other"))
        with admin.stream("GET", "/events/tail") as heard:
            probe(heard.status_code == 200, "another tenant's stream")
        for _ in range(TRIES):
            probe(admin.get("/keys").status_code == 200, "another tenant")
            probe(shared.client(keys[0]).get("/events").status_code == 200, "the same tenant")

    assert SHARE["server.streams_tenant"] == codes.count((200, ""))
    assert {(429, "streams_key"), (429, "streams_tenant")} == {*codes} - {(200, "")}


def test_a_closed_stream_gives_its_place_back(shared: Running, probe: Probe) -> None:
    """A share that was used up is free again once its streams end."""
    client = shared.client(shared.key("auditor", tenant="acme"))
    for _ in range(4 * SHARE["server.streams_key"]):
        until = time.monotonic() + PATIENCE
        while True:
            with client.stream("GET", "/events/tail", params={"quiet_seconds": 0}) as tail:
                tail.read()
            if tail.is_success or time.monotonic() > until:
                break
        probe(tail.is_success)


@pytest.mark.parametrize("sent", ["", "GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\nX-Half"])
def test_half_sent_headers_are_closed(impatient: Running, probe: Probe, sent: str) -> None:
    """A connection that never completes its headers is closed, and so is one that sends nothing at all."""
    with ExitStack() as held:
        connections = [held.enter_context(closing(opened(impatient, sent))) for _ in range(ATTACKERS)]
        for connection in connections:
            probe(rest_of(connection).startswith(b"HTTP/1.1 408"))


def test_headers_that_trickle_in_are_closed(impatient: Running, probe: Probe) -> None:
    """A byte now and then buys no more time, on a connection that was used before as well."""
    request = "GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n\r\n"
    for opening in ("GET /", request + "GET /"):
        with closing(opened(impatient, opening)) as connection:
            connection.settimeout(0.1)
            content, closed = b"", False
            until = time.monotonic() + PATIENCE
            while not closed and time.monotonic() < until:
                try:
                    connection.sendall(b"a")
                    part = connection.recv(4096)
                except TimeoutError:
                    continue
                except OSError:
                    break
                content, closed = content + part, not part
            probe(b"HTTP/1.1 408" in content, opening)


def test_bodies_that_do_not_come_are_refused(impatient: Running, probe: Probe) -> None:
    """A body that never begins, or begins and never ends, is a problem, and the connection is closed."""
    key = impatient.key("user", tenant="acme", user="eve")
    begun = half_a_body(key)
    for sent, said in ((begun.removesuffix("{"), b"nothing of the body"), (begun, b"not complete")):
        with closing(opened(impatient, sent)) as connection:
            rest = rest_of(connection)
        probe(rest.startswith(b"HTTP/1.1 408") and b"body_too_slow" in rest and said in rest, rest[:60])
