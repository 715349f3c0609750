"""One turn over REST, whole and streamed, and the missions beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.doors.conftest import Running
from tests.doors.test_rest import problem

from rememora.context import fence
from rememora.domain.tenancy import METERS, Plan, Quota

DECIDED = {
    "what": "olhar taxas",
    "reason": "pesam mais",
    "at": "2026-05-04T12:00:00Z",
    "cycle": 1,
    "operation": "op 1",
}


def test_a_turn_is_answered_and_both_sides_are_stored(server: Running) -> None:
    """The reply names its conversation, whatever the host calls it."""
    ana = server.user("turn")
    said = {"message": "Oi, tudo bem?", "session_id": "s1", "anything": "else"}
    turn = ana.post("/chat", json=said).json()

    assert ("s1", None) == (turn["conversation_id"], turn["mission_id"])
    stored = ana.get("/conversations/s1/messages").json()["items"]

    assert [("user", "Oi, tudo bem?"), ("assistant", turn["reply"])] == [
        (item["role"], item["content"]) for item in stored
    ]


@pytest.mark.parametrize(
    ("user", "said", "text"),
    [
        ("husband", "Minha esposa se chama Fernanda", "Fernanda"),
        ("baker", "Salva que abrimos de terça a sábado das 9 às 18", "terça a sábado das 9 às 18"),
    ],
)
def test_what_a_user_says_is_shared_with_nobody(server: Running, user: str, said: str, text: str) -> None:
    """An application's key carries the words of its users: they are the user's own, not the tenant's."""
    service = server.client(server.key("service", tenant="acme"), X_Rememora_User=user)
    turn = service.post("/chat", json={"message": said, "conversation": "c1"}).json()
    kept = server.user(user).get("/memories").json()["items"]

    assert "c1" == turn["conversation_id"]
    assert ["personal"] == [item["scope"] for item in kept]
    assert text in kept[0]["value"]


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
    """Each item says where it comes from; the plan is part of it, with what is used of every quota."""
    limited = {meter: Quota(10, "month") for meter in METERS}
    server.tenant("planned", plan=Plan(name="gold", **limited))
    ana = server.user("pack", tenant="planned")
    ana.post("/memories", json={"key": "prefs.short_answers", "value": True})
    for number in range(5):
        ana.post("/conversations/c1/messages", json={"role": "user", "content": f"mensagem {number}"})
    pack = ana.post("/conversations/c1/context", json={"query": "como responder?", "budget": 2000}).json()
    rendered = ana.post("/conversations/c1/context/rendered", json={"query": "oi", "form": "chat"}).json()

    assert pack["tokens"] <= 2000
    assert "memory" in [item["kind"] for item in pack["items"]]
    texts = [item["text"] for item in pack["items"] if item["section"] == "tenant"]
    assert "plan: gold" == texts[0]
    assert "messages: 50 % of 10 a month used" in texts
    assert "memories: 10 % of 10 a month used" in texts
    assert {*METERS} == {text.partition(":")[0] for text in texts[1:]}
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


@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_says_which_mission_it_belongs_to(server: Running, stream: bool) -> None:
    """Its memory is part of the context, fenced; one that is not there, or another's, is not found."""
    ana, bia = server.user(f"turn{stream}"), server.user(f"turn{stream}-other")
    mission = ana.post("/missions", json={"query": "Compare os fundos", "session": "s1"}).json()
    ana.post(
        f"/missions/{mission['id']}/board",
        json={"act": "push", "path": "coordinators.fundos.decisions", "value": DECIDED},
    )
    said = {"message": "e aí?", "session_id": "s1", "mission_id": mission["id"], "stream": stream}
    query = {"query": "e aí?", "mission_id": mission["id"]}
    pack = ana.post("/conversations/s1/context", json=query).json()
    shown = ana.post("/conversations/s1/context/rendered", json={**query, "form": "markdown"}).json()["rendered"]

    assert "s1" == mission["session"]
    assert [mission["id"]] == [item["id"] for item in ana.get("/missions?session=s1").json()["items"]]
    assert [] == ana.get("/missions?session=s2").json()["items"]
    assert any("olhar taxas" in item["text"] for item in pack["items"] if item["section"] == "mission")
    assert not [item for item in pack["items"] if item["section"] == "mission" and item.get("trust") == "operator"]
    assert shown.rindex(fence.OPEN) < shown.index("olhar taxas") < shown.rindex(fence.CLOSE)
    refusals = [bia.post("/chat", json=said), ana.post("/chat", json={**said, "mission_id": "none"})]
    assert [(404, "not_found")] * 2 == [(refusal.status_code, refusal.json()["code"]) for refusal in refusals]
    assert 404 == bia.get("/conversations/s1").status_code
    assert 404 == bia.post("/conversations/s1/context", json=query).status_code
    assert 200 == ana.post("/chat", json=said).status_code


def test_rest_offers_the_whole_bus(server: Running) -> None:
    """Intake, fallbacks, priorities, take, extend, callbacks, check and promotion, as in Python."""
    ana = server.user("bus")
    intake = {
        "classification": {"kind": "complex"},
        "candidates": [{"coordinator": "a", "score": 9, "reason": "r"}],
    }
    opened = ana.post("/missions", json={"query": "q", "intake": intake, "fallbacks": {"Agente Um": "b"}})
    at = f"/missions/{opened.json()['id']}"
    low = ana.post(f"{at}/calls", json={"sender": "a", "to": "b", "priority": "low"}).json()
    high = ana.post(f"{at}/calls", json={"sender": "a", "to": "c", "priority": "critical", "callback": "a"}).json()
    taken = [ana.post(f"{at}/calls/take", json={"sender": "a"}).json()["call"] for _ in range(3)]
    more = ana.post(f"{at}/calls/{high['id']}/extend", json={"reserve": {"tokens": 7}}).json()
    ana.post(f"{at}/calls/{high['id']}/settle", json={"ok": True, "result": {"x": 1}})
    items = ana.post(f"{at}/callbacks/take", json={"agent": "a"}).json()["items"]

    assert 201 == opened.status_code
    assert "a" == opened.json()["intake"]["candidates"][0]["coordinator"]
    assert {"Agente Um": "b"} == opened.json()["bus"]["fallbacks"]
    assert [high["id"], low["id"], None] == [item and item["id"] for item in taken]
    assert 7 == more["reserved"]["tokens"]
    assert [{"x": 1}] == [item["result"] for item in items]
    assert [] == ana.post(f"{at}/check").json()["overdue"]
    ana.patch(at, json={"changes": {"final.answer": "prefere fundos com taxa baixa"}})
    promoted = ana.post(f"{at}/promote", json={"path": "final.answer", "key": "prefs.funds"})
    assert (202, 1) == (promoted.status_code, len(promoted.json()["proposals"]))
    unknown = ana.post("/missions", json={"query": "q", "intake": {"classification": {"mood": 1}}})
    assert (422, True) == (unknown.status_code, "mood" in unknown.json()["detail"])


@pytest.mark.parametrize(("method", "path"), [("GET", "/debug/missions"), ("POST", "/debug/missions/sweep")])
def test_debug_views_exist_in_development_only(server: Running, method: str, path: str) -> None:
    """Elsewhere there is nothing at their address."""
    assert 404 == server.client(server.key("operator")).request(method, path).status_code
