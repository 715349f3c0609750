"""The REST door: what it answers, to whom, and how it refuses."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from tests.doors.conftest import Running

from rememora.domain.tenancy import Plan, Quota
from rememora.errors import RememoraError
from rememora.server.problems import STATUS
from rememora.server.routes import table

HEADERS = {
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "content-security-policy",
    "cache-control",
}


NO_KEYS = [{}, {"Authorization": "Bearer rem_x"}, {"Authorization": "Basic eDp5"}, {"X-API-Key": "x"}]


def problem(response: httpx.Response) -> dict[str, Any]:
    """The problem of a refusal, which is one in form as well."""
    result: dict[str, Any] = response.json()

    assert "application/problem+json" == response.headers["content-type"]
    assert response.status_code == result["status"]
    assert {"type", "title", "status", "code"} <= set(result)
    return result


def test_what_was_said_comes_back_in_order(server: Running) -> None:
    """Messages are appended and paged over HTTP as in the library."""
    ana = server.user("order")
    for number in range(5):
        said = ana.post("/conversations/c1/messages", json={"role": "user", "content": f"mensagem {number}"})

        assert 201 == said.status_code
        assert number + 1 == said.json()["seq"]
    first = ana.get("/conversations/c1/messages", params={"limit": 3}).json()
    rest = ana.get("/conversations/c1/messages", params={"limit": 3, "after": first["next"]}).json()

    assert [f"mensagem {n}" for n in range(5)] == [item["content"] for item in first["items"] + rest["items"]]
    assert rest["next"] is None


def test_the_memory_of_a_conversation_is_one_piece(server: Running) -> None:
    """The addresses that hosts already call: GET and DELETE of a conversation's memory, and search."""
    ana = server.user("piece")
    ana.post("/conversations/c1/messages", json={"role": "user", "content": "o fornecedor chega quinta"})
    whole = ana.get("/memory/c1").json()
    hits = ana.get("/memory/search", params={"q": "fornecedor", "kinds": "message"}).json()["items"]
    gone = ana.delete("/memory/c1").json()

    assert ["o fornecedor chega quinta"] == [message["content"] for message in whole["messages"]]
    assert ["o fornecedor chega quinta"] == [hit["content"] for hit in hits]
    assert (1, 1) == (gone["conversations"], gone["messages"])
    assert 404 == ana.get("/memory/c1").status_code


@pytest.mark.parametrize("id", ["a/b", "a%2Fb", "50%", "ação", "a b", "..", "a?b", "a#b", "%"])
def test_an_id_may_hold_anything_printable(server: Running, id: str) -> None:
    """Slashes, percent signs and accents in an id come back as they were given."""
    ana = server.user("ids")
    path = "/conversations/" + "".join(f"%{byte:02X}" for byte in id.encode())
    made = ana.put(path, json={"channel": "voice"})

    assert (200, id) == (made.status_code, made.json()["id"])


@pytest.mark.parametrize("headers", NO_KEYS)
def test_without_a_good_key_nothing_is_answered(server: Running, headers: dict[str, str]) -> None:
    """The refusal is the same whatever is wrong with the credential."""
    refusal = server.client().get("/conversations", headers=headers)

    assert "key_rejected" == problem(refusal)["code"]
    assert refusal.headers["www-authenticate"].startswith("Bearer")


def test_the_key_is_looked_at_before_the_body(server: Running) -> None:
    """A body that nobody may send is never read."""
    refusal = server.client().post("/conversations/c1/messages", content=b"{" * 100_000)

    assert 401 == refusal.status_code


def test_a_users_key_is_for_that_user(server: Running) -> None:
    """Naming another user by header needs the right to."""
    refusal = server.user("ana").get("/conversations", headers={"X-Rememora-User": "bia"})

    assert "right_missing" == problem(refusal)["code"]


def test_an_admin_names_the_user_and_only_inside_the_tenant(server: Running) -> None:
    """The header says whom it is about; without it there is no memory, and no other tenant can be named."""
    server.user("bia").post("/conversations/c1/messages", json={"role": "user", "content": "oi"})
    admin = server.client(server.key("admin", tenant="acme"), X_Rememora_Reason="ticket 1")
    mine = admin.get("/conversations", headers={"X-Rememora-User": "bia"})
    unnamed = admin.get("/conversations")
    foreign = admin.get("/conversations", headers={"X-Rememora-User": "bia", "X-Rememora-Tenant": "acme2"})

    assert ["c1"] == [item["id"] for item in mine.json()["items"]]
    assert ("invalid_input", "x-rememora-user") == (problem(unnamed)["code"], problem(unnamed)["field"])
    assert "right_missing" == problem(foreign)["code"]


def test_an_operator_names_the_tenant_as_well(server: Running) -> None:
    """An operator reaches every tenant that has an account, and none that has not."""
    operator = server.client(server.key("operator"), X_Rememora_User="ana", X_Rememora_Reason="ticket 1")

    assert 200 == operator.get("/conversations", headers={"X-Rememora-Tenant": "acme"}).status_code
    assert 404 == operator.get("/conversations", headers={"X-Rememora-Tenant": "nobody"}).status_code
    assert 422 == operator.get("/conversations").status_code


def test_an_auditor_sees_no_memory(server: Running) -> None:
    """Events and usage, and nothing that anybody said."""
    auditor = server.client(server.key("auditor", tenant="acme"))

    assert 200 == auditor.get("/usage").status_code == auditor.get("/events").status_code
    for path in ("/conversations", "/memory/c1", "/memory/search?q=oi", "/keys", "/tenants"):
        assert "right_missing" == problem(auditor.get(path))["code"]


def test_a_header_carries_any_name_percent_encoded(server: Running) -> None:
    """Names beyond ASCII reach their user."""
    service = server.client(server.key("service", tenant="acme"))
    name = {"X-Rememora-User": "jo%C3%A3o"}
    service.put("/conversations/c9", json={}, headers=name)

    assert "joão" == service.get("/conversations/c9", headers=name).json()["user"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "undecodable"),
        (b"\xff\xfe", "undecodable"),
        (b'{"metadata": {"a": ' + b"[" * 5000, "undecodable"),
        (b"[]", "invalid_input"),
        (b"{}", "invalid_input"),
        (b'{"role": "user", "content": ""}', "invalid_input"),
        (b'{"role": "user", "content": "a\\u0000b"}', "invalid_input"),
        (b'{"role": "king", "content": "oi"}', "invalid_input"),
        (b'{"role": "user", "content": "oi", "tenant": "acme2"}', "invalid_input"),
        (b'{"role": "user", "content": "oi", "created_at": "2025-01-01T00:00:00"}', "invalid_input"),
        (b'{"role": "user", "content": "oi", "metadata": {"a": NaN}}', "undecodable"),
    ],
)
def test_a_bad_body_is_refused_with_its_field(server: Running, body: bytes, code: str) -> None:
    """Nothing is stored, and the problem says what is wrong."""
    ana = server.user("bad-body")
    refusal = ana.post("/conversations/c1/messages", content=body, headers={"Content-Type": "application/json"})

    assert code == problem(refusal)["code"]
    assert 404 == ana.get("/conversations/c1").status_code


def test_other_media_types_are_refused(server: Running) -> None:
    """The API speaks JSON."""
    refusal = server.user().put("/conversations/c1", content="channel=x", headers={"Content-Type": "text/plain"})

    assert "unsupported_media_type" == problem(refusal)["code"]


def test_a_body_too_large_is_refused_declared_or_not(server: Running) -> None:
    """The limit holds for a body whose length is not told in advance, too."""
    ana = server.user()
    big = json.dumps({"role": "user", "content": "x" * server.settings.server.body_bytes}).encode()
    for content in (big, iter([big[:70_000], big[70_000:]])):
        refusal = ana.post("/conversations/c1/messages", content=content)

        assert "too_large" == problem(refusal)["code"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/usage", "GET, HEAD"),
        ("DELETE", "/conversations", "GET, HEAD"),
        ("PATCH", "/conversations/c1", "DELETE, GET, HEAD, PUT"),
        ("PUT", "/memory/c1", "DELETE, GET, HEAD"),
        ("HEAD", "/tasks/claim", "POST"),
        ("OPTIONS", "/conversations/c1/messages", "GET, HEAD, POST"),
    ],
)
def test_a_wrong_method_is_told_the_right_ones(server: Running, method: str, path: str, allowed: str) -> None:
    """405 names every method of that address in `Allow`."""
    refusal = server.user().request(method, path)

    assert (405, allowed) == (refusal.status_code, refusal.headers["allow"])


def test_an_unknown_address_is_a_problem_too(server: Running) -> None:
    """404 looks like every other refusal."""
    assert "not_found" == problem(server.user().get("/nothing/here"))["code"]
    assert "not_found" == problem(httpx.get(f"{server.address}/elsewhere"))["code"]


def test_every_answer_carries_the_security_headers(server: Running) -> None:
    """Refusals too; and no other origin is allowed in."""
    ana = server.user()
    for path in ("/conversations", "/nothing", "/health/live"):
        answer = ana.get(path, headers={"Origin": "https://elsewhere.example"})

        assert set(answer.headers) >= HEADERS
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


def test_a_write_under_an_idempotency_key_is_done_once(server: Running) -> None:
    """The repeat gets the first answer; the same key for another body is a conflict; keys are each user's own."""
    ana, bia = server.user("once-ana"), server.user("once-bia")
    said = {"role": "user", "content": "uma vez"}
    key = {"Idempotency-Key": "k1"}
    first = ana.post("/conversations/c1/messages", json=said, headers=key)
    again = ana.post("/conversations/c1/messages", json=said, headers=key)
    other = ana.post("/conversations/c1/messages", json={**said, "content": "outra"}, headers=key)
    theirs = bia.post("/conversations/c1/messages", json=said, headers=key)

    assert (201, 201, 409, 201) == tuple(item.status_code for item in (first, again, other, theirs))
    assert first.content == again.content
    assert "true" == again.headers["idempotency-replayed"]
    assert 1 == len(ana.get("/conversations/c1/messages").json()["items"])
    assert "idempotency-replayed" not in theirs.headers


def test_a_quota_is_a_clear_429(server: Running) -> None:
    """It names the quota, its limit and when it resets, and says when to come back."""
    server.tenant("tiny", plan=Plan(name="tiny", messages=Quota(1, "day")))
    ana = server.user(tenant="tiny")
    said = {"role": "user", "content": "oi"}
    ana.post("/conversations/c1/messages", json=said)
    refusal = ana.post("/conversations/c1/messages", json=said)
    result = problem(refusal)

    assert (429, "quota_exceeded", "messages", 1) == (
        refusal.status_code,
        result["code"],
        result["quota"],
        result["limit"],
    )
    assert 1 <= int(refusal.headers["retry-after"]) <= 86_400
    admin = server.client(server.key("admin", tenant="tiny"))
    report = admin.get("/usage").json()

    assert ("tiny", 1) == (report["plan"]["name"], report["usage"][0]["used"])


def test_keys_are_issued_rotated_and_revoked_over_http(server: Running) -> None:
    """A secret is shown once; a revoked key opens nothing from the next request on."""
    admin = server.client(server.key("admin", tenant="acme"))
    issued = admin.post("/keys", json={"role": "user", "user": "carla", "label": "phone"}).json()
    carla = server.client(issued["secret"])

    assert 200 == carla.get("/conversations").status_code
    fresh = admin.post(f"/keys/{issued['key']['id']}/rotate").json()
    for secret in (issued["secret"], fresh["secret"]):
        assert 200 == server.client(secret).get("/conversations").status_code
    admin.delete(f"/keys/{issued['key']['id']}")

    assert 401 == carla.get("/conversations").status_code
    listed = admin.get("/keys").text

    assert issued["key"]["id"] in listed
    assert issued["secret"] not in listed


def test_a_link_opens_one_persons_memory(server: Running) -> None:
    """And no other's."""
    admin = server.client(server.key("admin", tenant="acme"))
    token = admin.post("/links", json={"user": "dora"}).json()["token"]
    dora = server.client(token)

    assert 200 == dora.get("/conversations").status_code
    assert 403 == dora.get("/conversations", headers={"X-Rememora-User": "ana"}).status_code
    assert 403 == dora.get("/keys").status_code


def test_operators_open_and_change_accounts(server: Running) -> None:
    """A suspended tenant is shut out at once."""
    operator = server.client(server.key("operator"))
    made = operator.post("/tenants", json={"id": "nova", "plan": {"name": "mini", "messages": {"limit": 5}}})

    assert 201 == made.status_code
    nova = server.user(tenant="nova")
    operator.patch("/tenants/nova", json={"status": "suspended"})

    assert "forbidden" == problem(nova.get("/conversations"))["code"]
    assert 409 == operator.post("/tenants", json={"id": "nova"}).status_code
    assert "nova" in [item["id"] for item in operator.get("/tenants").json()["items"]]
    assert 403 == server.client(server.key("admin", tenant="acme")).get("/tenants").status_code


def test_events_are_listed_and_told_as_they_happen(server: Running) -> None:
    """The tail begins after a position, gives each event its id, and goes on as more happens."""
    ana = server.user("events")
    admin = server.client(server.key("admin", tenant="acme"))
    for number in range(2):
        ana.put(f"/conversations/e{number}", json={})
        ana.delete(f"/conversations/e{number}")
    events = admin.get("/events", params={"types": "conversation.deleted"}).json()["items"]
    seen: list[str] = []
    with admin.stream("GET", "/events/tail", params={"after": events[-2]["position"]}) as tail:
        assert tail.headers["content-type"].startswith("text/event-stream")
        for line in tail.iter_lines():
            if line.startswith("id: "):
                seen.append(line.removeprefix("id: "))
                if len(seen) == 1:
                    ana.put("/conversations/e9", json={})
                    ana.delete("/conversations/e9")
            if len(seen) == 2:
                break

    assert str(events[-1]["position"]) == seen[0]
    assert int(seen[1]) > int(seen[0])


def test_a_stream_of_events_can_be_told_when_to_end(server: Running) -> None:
    """After so many events, or once nothing has come for a while; `Last-Event-ID` goes on behind the last one."""
    ana = server.user("ends")
    admin = server.client(server.key("admin", tenant="acme"))
    for number in range(3):
        ana.put(f"/conversations/end{number}", json={})
        ana.delete(f"/conversations/end{number}")
    overrides = {"types": "conversation.deleted"}
    every = [str(item["position"]) for item in admin.get("/events", params=overrides).json()["items"]]
    two = admin.get("/events/tail", params={**overrides, "limit": "2"})
    on = {"Last-Event-ID": every[1]}
    rest = admin.get("/events/tail", params={**overrides, "quiet_seconds": "0"}, headers=on)

    assert every[:2] == _ids(two)
    assert every[2:] == _ids(rest)
    assert [] == _ids(admin.get("/events/tail", params={"after": every[-1], "quiet_seconds": "0.01", **overrides}))
    assert 422 == admin.get("/events/tail", params={"quiet_seconds": "-1"}).status_code


def test_health_needs_no_key(server: Running) -> None:
    """A probe asks whether the process lives and the store answers."""
    anybody = server.client()

    assert {"status": "ok"} == anybody.get("/health/live").json()
    assert "ok" == anybody.get("/health/ready").json()["status"]


def test_the_document_lists_every_route(server: Running) -> None:
    """OpenAPI is served, and knows every address of the table."""
    document = server.client().get("/openapi.json").json()
    assert not [name for name in document["components"]["schemas"] if "." in name]
    routes = {(route.method.lower(), route.path) for route in table() if not route.development}

    assert routes == {(method, path) for path, methods in document["paths"].items() for method in methods}


def test_every_error_has_its_status() -> None:
    """An error that is added without a status fails here."""
    codes = {kind.code for kind in _tree(RememoraError)}

    assert set() == codes - set(STATUS)


def _tree(kind: type[RememoraError]) -> list[type[RememoraError]]:
    return [kind, *(leaf for item in kind.__subclasses__() for leaf in _tree(item))]


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/memories", {"suppressed": "1"}),
        ("/memories", {"suppressed": "null"}),
        ("/memories", {"as_of": "0"}),
        ("/memories", {"as_of": "2020-01-01"}),
        ("/memory/search", {"q": "oi", "min_similarity": "null"}),
        ("/memory/search", {"q": "oi", "min_similarity": "nan"}),
        ("/memory/search", {"q": "oi", "limit": "1_0"}),
        ("/memory/search", {"q": "oi", "kinds": "message,king"}),
        ("/conversations", {"limit": "0"}),
    ],
)
def test_a_query_is_taken_as_it_is_spelled(server: Running, path: str, params: dict[str, str]) -> None:
    """What the document does not allow is refused, not guessed at."""
    assert "invalid_input" == problem(server.user("spelling").get(path, params=params))["code"]


def _ids(reply: httpx.Response) -> list[str]:
    return [line.removeprefix("id: ") for line in reply.text.splitlines() if line.startswith("id: ")]
