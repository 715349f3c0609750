"""mem0's own client and the routes of its own server, against ours."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.doors.conftest import Running


@pytest.fixture
def client(server: Running, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    """mem0's `MemoryClient` under a service key; it tells nobody that it was used."""
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    from mem0 import MemoryClient

    return MemoryClient(api_key=server.key("service", tenant="acme"), host=f"{server.address}/mem0")


def test_mem0s_own_client(client: Any) -> None:
    """Add, search, list, read, change, history and delete through the client that mem0 ships."""
    added = client.add(
        [{"role": "user", "content": "I prefer aisle seats."}], user_id="maria", metadata={"kind": "x"}
    )
    id = added["results"][0]["id"]
    hits = client.search("seats", filters={"user_id": "maria"})
    listed = client.get_all(filters={"AND": [{"user_id": "maria"}]})
    client.update(id, text="I prefer window seats")

    assert [id] == [row["id"] for row in hits["results"]] == [row["id"] for row in listed["results"]]
    assert "I prefer window seats" == client.get(id)["memory"]
    assert ["ADD", "UPDATE"] == [item["event"] for item in client.history(id)]
    client.delete(id)
    client.add("I prefer tea.", user_id="maria")
    client.delete_all(user_id="maria")
    assert [] == client.get_all(filters={"user_id": "maria"})["results"]


def test_the_routes_of_mem0s_server(server: Running) -> None:
    """The paths, bodies and answers of its own REST server, under `X-API-Key`."""
    key = {"X-API-Key": server.key("user", tenant="acme", user="nina")}
    with httpx.Client(base_url=f"{server.address}/mem0", headers=key, timeout=30) as rest:
        said = {"messages": [{"role": "user", "content": "I prefer aisle seats."}], "user_id": "nina"}
        added = rest.post("/memories", json=said).json()["results"]
        id = added[0]["id"]
        result = rest.post("/search", json={"query": "seats", "filters": {"user_id": "nina"}}).json()["results"]
        changed = rest.put(f"/memories/{id}", json={"text": "I prefer window seats", "metadata": {"n": 1}})

        assert [id] == [row["id"] for row in result]
        assert 200 == changed.status_code
        assert "I prefer window seats" == rest.get(f"/memories/{id}").json()["memory"]
        assert 1 == len(rest.get("/memories", params={"user_id": "nina"}).json()["results"])
        assert 2 == len(rest.get(f"/memories/{id}/history").json())
        assert 200 == rest.delete(f"/memories/{id}").status_code
        assert 404 == rest.get(f"/memories/{id}").status_code == rest.delete(f"/memories/{id}").status_code
        assert 200 == rest.delete("/memories", params={"user_id": "nina"}).status_code
        assert 403 == rest.post("/reset").status_code


def test_batches_and_entities_of_mem0s_client(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several memories at once, the list of users, agents and runs, and the end of one or of all of them."""
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    from mem0 import MemoryClient

    server.tenant("entities")
    key = server.key("service", tenant="entities")
    client = MemoryClient(api_key=key, host=f"{server.address}/mem0")
    ids = [
        client.add(text, user_id="vera")["results"][0]["id"]
        for text in ("I prefer aisle seats.", "My sister lives in Leeds.")
    ]
    client.add("I like maps.", agent_id="travel", infer=False)
    client.add("We meet in Recife.", run_id="trip", infer=False)
    changed = client.batch_update([{"memory_id": ids[0], "text": "I prefer window seats"}])
    client.batch_delete([{"memory_id": ids[1]}])
    listed = client.users()

    def texts(**whose: str) -> list[str]:
        return [row["memory"] for row in client.get_all(filters=whose)["results"]]

    assert "Successfully updated 1 memories" == changed["message"]
    assert ["I prefer window seats"] == [
        row["memory"] for row in client.get_all(filters={"user_id": "vera"})["results"]
    ]
    items = {(row["type"], row["name"]) for row in listed["results"]}
    assert {("user", "vera"), ("agent", "travel"), ("run", "trip")} == items
    client.delete_users(agent_id="travel")
    assert [] == texts(agent_id="travel")
    assert 1 == len(texts(run_id="trip"))
    client.reset()
    assert (
        []
        == client.get_all(filters={"run_id": "trip"})["results"]
        == client.get_all(filters={"user_id": "vera"})["results"]
    )


def test_a_persons_key_lists_and_ends_nobody_else(server: Running) -> None:
    """Its own entity alone; a batch with another's memory is refused."""
    keys = [{"X-API-Key": server.key("user", tenant="acme", user=user)} for user in ("wanda", "yara")]
    with (
        httpx.Client(base_url=f"{server.address}/mem0", headers=keys[0], timeout=30) as wanda,
        httpx.Client(base_url=f"{server.address}/mem0", headers=keys[1], timeout=30) as yara,
    ):
        id = wanda.post("/v1/memories/", json={"messages": "I prefer aisle seats."}).json()["results"][0]["id"]
        one = {"memories": [{"memory_id": id, "text": "I prefer tea"}]}
        tries = [
            yara.put("/v1/batch/", json=one),
            yara.request("DELETE", "/v1/batch/", json=one),
            yara.delete("/v2/entities/user/wanda/"),
            yara.delete("/entities/agent/travel"),
        ]

        assert [403] * len(tries) == [item.status_code for item in tries]
        assert ["yara"] == [row["name"] for row in yara.get("/v1/entities/").json()["results"]]
        assert [422, 422, 422] == [
            yara.delete("/v2/entities/app/x/").status_code,
            yara.put("/v1/batch/", json={"memories": []}).status_code,
            yara.put("/v1/batch/", json={"memories": [{"memory_id": "x@yara"}]}).status_code,
        ]
        assert 1 == len(wanda.get("/v1/memories/").json()["results"])


def test_pages_count_what_there_is(server: Running) -> None:
    """The count is of all rows, each page names the ones beside it, and expired rows come where asked for."""
    key = {"X-API-Key": server.key("user", tenant="acme", user="zoe")}
    with httpx.Client(base_url=f"{server.address}/mem0", headers=key, timeout=30) as rest:
        for text in ("Likes maps", "Likes tea", "Likes trains"):
            rest.post("/memories", json={"messages": text, "infer": False}).raise_for_status()
        over = {"messages": "Likes fog", "infer": False, "expiration_date": "2020-01-01"}
        rest.post("/memories", json=over).raise_for_status()
        query: dict[str, Any] = {"filters": {"user_id": "zoe"}}
        pages = [rest.post(f"/v3/memories/?page={n}&page_size=2", json=query).json() for n in (1, 2)]
        shown = rest.post("/v3/memories/", json={**query, "show_expired": True}).json()
        odd = rest.post("/v3/memories/?page=0", json=query)

    assert [(3, 2), (3, 1)] == [(page["count"], len(page["results"])) for page in pages]
    assert (None, True) == (pages[0]["previous"], "page=2&page_size=2" in pages[0]["next"])
    assert (True, None) == ("page=1&page_size=2" in pages[1]["previous"], pages[1]["next"])
    assert 4 == shown["count"]
    assert 422 == odd.status_code


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_older_clients_are_answered(server: Running, version: str) -> None:
    """The addresses of mem0's client before version 3 of its routes, in the form of mem0 1.0."""
    key = {"Authorization": f"Token {server.key('user', tenant='acme', user=f'old-{version}')}"}
    with httpx.Client(base_url=f"{server.address}/mem0", headers=key, timeout=30) as rest:
        rest.post("/v1/memories/", json={"messages": [{"role": "user", "content": "I prefer aisle seats."}]})
        query = {"query": "seats", "filters": {"user_id": f"old-{version}"}}

        assert 1 == len(rest.post(f"/{version}/memories/search/", json=query).json()["results"])
        if version == "v2":
            assert 1 == len(rest.post("/v2/memories/", json={"filters": query["filters"]}).json()["results"])


def test_nobody_reads_another_persons_memory(server: Running) -> None:
    """A person's key speaks for that person alone, whatever id the body or the address names."""
    olga, paul = ({"X-API-Key": server.key("user", tenant="acme", user=user)} for user in ("olga", "paul"))
    said = {"messages": "I prefer aisle seats.", "user_id": "olga"}
    id = httpx.post(f"{server.address}/mem0/memories", json=said, headers=olga).json()["results"][0]["id"]
    query = {"query": "seats", "filters": {"user_id": "olga"}}
    tries = [
        httpx.get(f"{server.address}/mem0/memories/{id}", headers=paul),
        httpx.put(f"{server.address}/mem0/memories/{id}", json={"text": "x"}, headers=paul),
        httpx.delete(f"{server.address}/mem0/memories/{id}", headers=paul),
        httpx.get(f"{server.address}/mem0/memories/{id}/history", headers=paul),
        httpx.post(f"{server.address}/mem0/search", json=query, headers=paul),
        httpx.post(f"{server.address}/mem0/memories", json=said, headers=paul),
        httpx.get(f"{server.address}/mem0/memories", params={"user_id": "olga"}, headers=paul),
        httpx.delete(f"{server.address}/mem0/memories", params={"user_id": "olga"}, headers=paul),
    ]
    elsewhere = {"X-API-Key": server.key("service", tenant="acme2")}

    assert [403] * len(tries) == [item.status_code for item in tries]
    assert 404 == httpx.get(f"{server.address}/mem0/memories/{id}", headers=elsewhere).status_code
    assert 401 == httpx.get(f"{server.address}/mem0/memories/{id}").status_code
    assert 200 == httpx.get(f"{server.address}/mem0/memories/{id}", headers=olga).status_code


def test_what_is_wrong_is_said(server: Running) -> None:
    """A bad filter, query or date is a problem with its field, never a failure of the server."""
    key = {"X-API-Key": server.key("user", tenant="acme", user="rosa")}
    bad = [
        ("/search", {"query": "  "}),
        ("/search", {"query": "tea", "filters": {"n": {"nearby": 1}, "user_id": "rosa"}}),
        ("/memories", {"messages": "I prefer tea.", "expiration_date": "tomorrow"}),
        ("/memories", {"messages": 7}),
    ]
    httpx.post(f"{server.address}/mem0/memories", json={"messages": "I prefer tea."}, headers=key)
    answers = [httpx.post(f"{server.address}/mem0{path}", json=body, headers=key) for path, body in bad]

    assert [422] * len(bad) == [answer.status_code for answer in answers]
