"""One turn over REST, whole and streamed, and the missions beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.doors.conftest import Running
from tests.doors.test_rest import problem

from rememora.domain.tenancy import Plan, Quota


def test_a_turn_is_answered_and_both_sides_are_stored(server: Running) -> None:
    """The reply names its conversation, whatever the host calls it."""
    ana = server.user("turn")
    said = {"message": "Oi, tudo bem?", "session_id": "s1", "mission_id": "m1", "anything": "else"}
    turn = ana.post("/chat", json=said).json()

    assert ("s1", "m1") == (turn["conversation_id"], turn["mission_id"])
    stored = ana.get("/conversations/s1/messages").json()["items"]

    assert [("user", "Oi, tudo bem?"), ("assistant", turn["reply"])] == [
        (each["role"], each["content"]) for each in stored
    ]


@pytest.mark.parametrize(
    ("user", "said", "key"),
    [
        ("husband", "Minha esposa se chama Fernanda", "people.fernanda.role"),
        ("baker", "Salva que abrimos de terça a sábado das 9 às 18", "operating.business_hours"),
    ],
)
def test_what_a_user_says_is_shared_with_nobody(server: Running, user: str, said: str, key: str) -> None:
    """An application's key carries the words of its users: they are the user's own, not the tenant's."""
    service = server.client(server.key("service", tenant="acme"), X_Rememora_User=user)
    turn = service.post("/chat", json={"message": said, "conversation": "c1"}).json()
    kept = server.user(user).get("/memories").json()["items"]

    assert "c1" == turn["conversation_id"]
    assert [(key, "personal")] == [(each["key"], each["scope"]) for each in kept]


def test_a_turn_under_an_idempotency_key_is_answered_once(server: Running) -> None:
    """The repeat is the same turn."""
    ana = server.user("turn-once")
    said = {"message": "Oi", "conversation_id": "c1"}
    turns = [ana.post("/chat", json=said, headers={"Idempotency-Key": "t1"}).json() for _ in range(2)]

    assert turns[0]["answer"] == turns[1]["answer"]
    assert [False, True] == [turn["replayed"] for turn in turns]
    assert 2 == len(ana.get("/conversations/c1/messages").json()["items"])


def test_a_turn_is_streamed_piece_by_piece(server: Running) -> None:
    """The pieces add up to the reply, which comes last."""
    ana = server.user("stream")
    said = {"message": "Conte uma história", "conversation_id": "c1", "stream": True}
    events: list[tuple[str, Any]] = []
    with ana.stream("POST", "/chat", json=said) as answer:
        kind = ""
        for line in answer.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            if line.startswith("data: "):
                events.append((kind, json.loads(line.removeprefix("data: "))))

    assert "reply" == events[-1][0]
    assert events[-1][1]["reply"] == "".join(value["text"] for kind, value in events if kind == "piece")
    assert 2 == len(ana.get("/conversations/c1/messages").json()["items"])


def test_tokens_beyond_the_quota_are_refused_before_anything_is_stored(server: Running) -> None:
    """A turn that may not be answered is not begun."""
    server.tenant("thrifty", plan=Plan(name="thrifty", tokens=Quota(1, "day")))
    ana = server.user(tenant="thrifty")
    ana.post("/chat", json={"message": "Oi", "conversation_id": "c1"})
    for stream in (False, True):
        refusal = ana.post("/chat", json={"message": "De novo", "conversation_id": "c1", "stream": stream})

        assert "tokens" in refusal.text
        assert "quota_exceeded" in refusal.text
    assert 2 == len(ana.get("/conversations/c1/messages").json()["items"])


def test_a_user_cannot_give_the_agent_instructions(server: Running) -> None:
    """Instructions are the host's."""
    refusal = server.user("boss").post("/chat", json={"message": "Oi", "instructions": "Obey"})

    assert "right_missing" == problem(refusal)["code"]


def test_the_context_is_given_without_a_model_and_with_the_plan(server: Running) -> None:
    """Each item says where it comes from; the plan is part of it."""
    ana = server.user("pack")
    ana.post("/memories", json={"key": "prefs.short_answers", "value": True})
    pack = ana.post("/conversations/c1/context", json={"query": "como responder?", "budget": 500}).json()
    rendered = ana.post("/conversations/c1/context/rendered", json={"query": "oi", "form": "chat"}).json()

    assert pack["tokens"] <= 500
    assert "memory" in [item["kind"] for item in pack["items"]]
    assert "unlimited" in json.dumps(pack)
    assert "oi" in json.dumps(rendered["rendered"])


def test_a_mission_lives_and_ends_over_rest(server: Running) -> None:
    """Its board is written by path, its bus refuses a loop, and nothing of it survives."""
    ana = server.user("mission")
    mission = ana.post("/missions", json={"query": "Compare os fundos"}).json()["id"]
    ana.patch(f"/missions/{mission}", json={"changes": {"orchestrator.objective": "comparar"}})

    assert "comparar" == ana.get(f"/missions/{mission}").json()["orchestrator"]["objective"]
    call = ana.post(f"/missions/{mission}/calls", json={"sender": "a", "to": "b", "start": True})

    assert 201 == call.status_code
    loop = ana.post(f"/missions/{mission}/calls", json={"sender": "b", "to": "a"})

    assert "loop_refused" == problem(loop)["code"]
    assert 404 == server.user("mission-other").get(f"/missions/{mission}").status_code
    assert ana.post(f"/missions/{mission}/close", json={}).json()["done"]
    assert ana.delete(f"/missions/{mission}").json()["done"]
    assert 404 == ana.get(f"/missions/{mission}").status_code


@pytest.mark.parametrize(("method", "path"), [("GET", "/debug/missions"), ("POST", "/debug/missions/sweep")])
def test_debug_views_exist_in_development_only(server: Running, method: str, path: str) -> None:
    """Elsewhere there is nothing at their address."""
    assert 404 == server.client(server.key("operator")).request(method, path).status_code
