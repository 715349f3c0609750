"""An agent's own memory of a person at the doors: the REST API, and mem0's routes beside it."""

from __future__ import annotations

import httpx
from tests.doors.conftest import Running


def city(client: httpx.Client, **headers: str) -> object:
    """The city that is known under these headers, or the status of the refusal."""
    response = client.get("/memories/user.city", headers=headers)
    return response.json()["value"] if response.status_code == 200 else response.status_code


def test_a_header_names_the_agent(server: Running) -> None:
    """A person's own key reaches what each agent keeps of them, apart; an export holds all of it."""
    ana = server.user("agent-ana")
    support = {"X-Rememora-Agent": "support%20desk"}
    ana.post("/memories", json={"key": "user.city", "value": "Recife"}, headers=support)

    assert "Recife" == city(ana, **support)
    assert 404 == city(ana)
    assert 404 == city(ana, **{"X-Rememora-Agent": "support"})
    assert ["support desk"] == list(ana.get("/export").json()["agents"])


def test_nobody_reaches_anothers_agent(server: Running) -> None:
    """Neither by the header nor by a name made like one, under a key of a person or of an application."""
    ana, eve = server.user("agent-bia"), server.user("agent-eve")
    support = {"X-Rememora-Agent": "support"}
    ana.post("/memories", json={"key": "user.city", "value": "Recife"}, headers=support)
    service = server.client(server.key("service", tenant="acme"))
    posing = {"X-Rememora-User": "agent-bia%23agent%3Asupport"}

    assert 404 == city(eve, **support)
    assert 403 == city(eve, **posing)
    assert 422 == city(service, **posing)
    assert "Recife" == city(service, **{"X-Rememora-User": "agent-bia", **support})
    elsewhere = server.client(server.key("service", tenant="acme2"))
    assert 404 == city(elsewhere, **{"X-Rememora-User": "agent-bia", **support})


def test_mem0_has_agents_of_its_own(server: Running) -> None:
    """There `agent_id` narrows what is the user's, and the header changes nothing."""
    key = {"X-API-Key": server.key("user", tenant="acme", user="agent-mia"), "X-Rememora-Agent": "support"}
    with httpx.Client(base_url=f"{server.address}/mem0", headers=key, timeout=30) as rest:
        for text, agent in (("I prefer aisle seats.", "travel"), ("I prefer green tea.", "food")):
            rest.post("/memories", json={"messages": text, "user_id": "agent-mia", "agent_id": agent})

        def found(**filters: str) -> list[str]:
            query = {"query": "what I prefer", "filters": {"user_id": "agent-mia", **filters}}
            return sorted(row["agent_id"] for row in rest.post("/search", json=query).json()["results"])

        assert ["food", "travel"] == found()
        assert ["travel"] == found(agent_id="travel")
        assert [] == found(agent_id="nobody")
