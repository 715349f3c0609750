"""The door itself: HEAD, the id of a request on every answer, and where somebody lands who tries the address."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest
from tests.doors.conftest import Running, settings_of

from rememora import UserMemory
from rememora.errors import InvalidInput
from rememora.missions.limits import Terms
from rememora.server.serve import listen


def test_an_answer_is_sent_at_once(tmp_path: Path) -> None:
    """The socket is known to be TCP and holds no small packet back, under whichever event loop it is served."""
    with listen(settings_of(tmp_path)) as bound:
        assert socket.IPPROTO_TCP == bound.proto
        assert bound.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_head_answers_as_get_without_its_body(server: Running) -> None:
    """The same status and headers, `Content-Length` too, and nothing else; a refusal likewise."""
    ana = server.user("head")
    for path in ("/conversations", "/health/live", "/memories/absent"):
        whole, head = ana.get(path), ana.head(path)

        assert whole.status_code == head.status_code
        assert whole.headers["content-length"] == head.headers["content-length"]
        assert b"" == head.content


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/conversations", 401),
        ("GET", "/api/v1/nowhere", 404),
        ("GET", "/nowhere", 404),
        ("PUT", "/api/v1/usage", 405),
        ("PUT", "/api/v1/openapi.json", 405),
        ("GET", "/me", 401),
        ("GET", "/api/v1/health/live", 200),
    ],
)
def test_every_answer_names_its_request(server: Running, method: str, path: str, status: int) -> None:
    """The caller's id comes back once, and where there is none, a new one; whatever the answer is."""
    named = httpx.request(method, server.address + path, headers={"X-Request-Id": "r-7"}, timeout=30)
    nameless = httpx.request(method, server.address + path, timeout=30)

    assert status == named.status_code == nameless.status_code
    assert ["r-7"] == named.headers.get_list("x-request-id")
    assert 16 == len(nameless.headers["x-request-id"])


@pytest.mark.parametrize("path", ["/", "/api/v1", "/api/v1/"])
def test_the_bare_address_says_where_to_go_on(server: Running, path: str) -> None:
    """What this is, its version, and addresses that answer."""
    body = httpx.get(server.address + path, timeout=30).json()

    assert "Rememora" == body["name"]
    assert body["version"]
    for name in ("docs", "health"):
        assert 200 == httpx.get(server.address + body[name], timeout=30).status_code


@pytest.mark.parametrize("seconds", [29, 301, 10**9, 10**12, 10**30])
def test_a_mission_without_end_is_refused(server: Running, seconds: int) -> None:
    """Terms beyond their range are a refusal that names the field, however far beyond."""
    answer = server.user("terms").post("/missions", json={"query": "q", "terms": {"timeout_s": seconds}})

    assert (422, "invalid_input") == (answer.status_code, answer.json()["code"])
    assert "timeout_s" in answer.json()["field"]


async def test_terms_without_end_are_refused_in_code_as_well(ana: UserMemory) -> None:
    """A deadline that no calendar has is no error of the house."""
    for seconds in (29, 10**12):
        with pytest.raises(InvalidInput, match="timeout_s"):
            await ana.missions.create("q", terms=Terms(timeout_s=seconds))


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/chat", {"mesage": "Oi"}, "message: is missing; unknown field 'mesage', did you mean 'message'?"),
        ("/judge", {"txt": "Oi"}, "unknown field 'txt', did you mean 'text'?"),
        ("/memories", {"key": "user.city", "valeu": "Recife"}, "unknown field 'valeu', did you mean 'value'?"),
        ("/judge", {"text": "Oi", "zebra": 1}, "unknown field 'zebra'"),
    ],
)
def test_a_misspelt_field_is_named(server: Running, path: str, body: dict[str, object], said: str) -> None:
    """The refusal says which field is not known, and which one may be meant."""
    answer = server.user().post(path, json=body)

    assert 422 == answer.status_code
    assert said in answer.json()["detail"]


def test_a_host_may_say_more_in_a_chat(server: Running) -> None:
    """A field that the chat does not know is no fault while its message is there."""
    assert 200 == server.user().post("/chat", json={"message": "Oi", "messages": [], "model": "x"}).status_code
