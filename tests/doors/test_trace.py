"""Over REST: sources, attempts and acts of one's own memory, and talks that leave nothing."""

from __future__ import annotations

from tests.doors.conftest import Running


def test_a_person_reads_how_their_memory_came_about(server: Running) -> None:
    """The same as in Python and on the pages; nobody else's is there."""
    ana, bia = server.user("ana-trace"), server.user("bia-trace")
    ana.post("/chat", json={"message": "Guarda que o contador é o Paulo.", "conversation_id": "c1"})
    ana.post("/notes", json={"text": "minha senha é abacaxi123"})
    (memory,) = ana.get("/memories").json()["items"]
    sources = ana.get(f"/memories/{memory['id']}/sources").json()["items"]
    attempts = ana.get("/attempts", params={"limit": 1}).json()["items"]
    acts = ana.get("/acts").json()["items"]

    assert "Guarda que o contador é o Paulo." == sources[0]["content"]
    assert "sensitive.password" == attempts[0]["reason"]
    assert memory["id"] in {act["memory"] for act in acts}
    assert [] == ana.get("/acts", params={"before": 1}).json()["items"]
    assert 404 == bia.get(f"/memories/{memory['id']}/sources").status_code
    assert [] == bia.get("/acts").json()["items"]


def test_a_temporary_talk_is_answered_and_not_kept(server: Running) -> None:
    """It knows what is remembered and what its caller says was said before, and leaves nothing."""
    ana = server.user("ana-apart")
    ana.post("/chat", json={"message": "Moro em Recife.", "conversation_id": "c1"})
    server.run(server.rememora.settle())
    before = ana.get("/export").json()
    said = [{"role": "user", "content": "Oi"}, {"role": "assistant", "content": "Olá"}]
    answer = ana.post("/chat/temporary", json={"message": "Onde eu moro?", "said": said}).json()
    server.run(server.rememora.settle())

    assert "Recife" in answer["text"]
    assert answer["used_memories"]
    assert {**before, "exported_at": ""} == {**ana.get("/export").json(), "exported_at": ""}
