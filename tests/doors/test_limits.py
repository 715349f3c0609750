"""What a server does not take on: too much at once, too long a wait, and a listener whose key has ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.doors.conftest import Running, settings_of

AT_ONCE = 2


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Running]:
    """A server that holds two streams at once and no more, of a tenant where something has happened."""
    running = Running(settings_of(tmp_path, **{"server.streams": AT_ONCE})).start()
    running.tenant("acme")
    happen(running, "before")
    yield running
    running.stop()


def happen(running: Running, name: str) -> None:
    """Have one more event told."""
    ana = running.user("events")
    ana.put(f"/conversations/{name}", json={})
    ana.delete(f"/conversations/{name}")


def first_of(lines: Iterator[str]) -> str:
    """The first event of a stream, waited for; whoever drops the lines hangs up."""
    return next(line for line in lines if line.startswith("event: "))


def test_too_much_at_once_is_refused_at_the_door(narrow: Running) -> None:
    """Beyond the limit the answer is a 503 that says when to come again; other requests are still answered."""
    admin = narrow.client(narrow.key("admin", tenant="acme"))
    with ExitStack() as tails:
        heard = [tails.enter_context(admin.stream("GET", "/events/tail")).iter_lines() for _ in range(AT_ONCE)]
        items = [first_of(lines) for lines in heard]
        refusal = admin.get("/events/tail", headers={"X-Request-Id": "r-2"})
        value = admin.get("/keys")
        alive = admin.get("/health/live")

    assert ["event: conversation.deleted"] * AT_ONCE == items
    assert (503, "busy") == (refusal.status_code, refusal.json()["code"])
    assert refusal.headers["retry-after"].isdigit()
    assert "r-2" == refusal.headers["x-request-id"]
    assert (200, 200) == (value.status_code, alive.status_code)


def test_a_listener_hears_nothing_once_its_key_is_revoked(narrow: Running) -> None:
    """Revoking a key ends the streams it opened: what happens afterwards is not told to them."""
    access = narrow.rememora.tenant("acme", acting="test").access
    issued = narrow.run(access.issue_key("auditor"))
    with narrow.client(issued.secret).stream("GET", "/events/tail") as tail:
        lines = tail.iter_lines()
        seen = first_of(lines)
        narrow.run(access.revoke_key(issued.key.id))
        happen(narrow, "after")
        rest: list[str] = []
        for line in lines:
            rest += [line] if line.startswith(("event: ", "data: ")) else []
            if '"after"' in line:
                break

    assert "event: conversation.deleted" == seen
    assert "event: problem" == rest[-2]
    assert "key_rejected" in rest[-1]


def test_a_request_that_takes_too_long_is_a_504(tmp_path: Path) -> None:
    """The limit of time is the server's, and its problem says so."""
    running = Running(settings_of(tmp_path, **{"server.request_seconds": 1e-6})).start()
    running.tenant("acme")
    answer = running.user().get("/conversations")
    running.stop()

    assert (504, "timeout") == (answer.status_code, answer.json()["code"])
