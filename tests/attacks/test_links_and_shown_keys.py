"""Probes of client links, and of keys made of a person's words on their way to others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.attacks.door import CANARY, TENANT, USER, Door, opened, outcome
from tests.clock import SetClock

from rememora import Rememora, UserMemory
from rememora.domain.event import Event
from rememora.domain.scope import Scope
from rememora.errors import ConfirmationRejected, KeyRejected

WORDS = "Acho que vou me separar do Marcelo"
SEGMENTS = ("separar", "marcelo")


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """The server and its people, shared by the tests of this module."""
    yield from opened(tmp_path_factory.mktemp("rights"))


@pytest.mark.parametrize("role", ["user", "service", "admin", "operator", "auditor"])
def test_the_page_takes_links_only(door: Door, role: Any) -> None:
    """A key in an address ends in logs and histories: whoever's it is, it opens no page."""
    of = {} if role == "operator" else {"tenant": TENANT}
    key = door.server.key(role, **of, **({"user": USER} if role == "user" else {}))
    page = httpx.get(f"{door.server.address}/me", params={"link": key}, timeout=30)

    assert 401 == page.status_code
    assert CANARY not in page.text
    for read_only in (False, True):
        link = {"link": door.link(read_only=read_only)}
        assert (
            CANARY in httpx.get(f"{door.server.address}/me", params=link, timeout=30, follow_redirects=True).text
        )


ERASURES: dict[str, tuple[str, str, Any]] = {
    "person": ("POST", "/erase", {"person": True}),
    "memory": ("POST", "/erase", {"memory": "user.city"}),
    "conversation": ("DELETE", "/conversations/c1", None),
    "its memory": ("DELETE", "/memory/c1", None),
}


@pytest.mark.parametrize("what", ERASURES)
def test_a_link_erases_only_what_was_just_confirmed(door: Door, what: str) -> None:
    """The first request changes nothing and gives a token; the token does that one act for that person, once."""
    user = f"erased {what}"
    owner, linked = door.client("user", user=user), door.client("link", user=user)
    other = door.client("link", user="somebody else")
    owner.post("/conversations/c1/messages", json={"role": "user", "content": "oi"})
    owner.post("/memories", json={"key": "user.city", "value": "Recife"})
    method, path, body = ERASURES[what]
    sent = {} if body is None else {"json": body}

    def erase(client: httpx.Client, token: str | None = None, **changed: Any) -> httpx.Response:
        headers = {} if token is None else {"X-Rememora-Confirm": token}
        return client.request(method, changed.pop("path", path), headers=headers, **{**sent, **changed})

    first = erase(linked)

    assert (428, "confirmation_needed") == (first.status_code, first.json()["code"])
    assert first.json()["expires_at"]
    assert (
        1
        == len(owner.get("/memories", params={"scope": "personal"}).json()["items"])
        == len(owner.get("/conversations").json()["items"])
    )
    token = first.json()["confirmation"]
    elsewhere = {"json": {"topic": "user"}} if body else {"path": path.replace("c1", "c2")}

    assert "denied" == outcome(erase(linked, token, **elsewhere))
    assert "denied" == outcome(erase(other, token))
    assert "denied" == outcome(erase(linked, token[:-2] + "xx"))
    assert "denied" == outcome(erase(linked, door.link(user)))
    assert 200 == erase(linked, token).status_code
    owner.post("/memories", json={"key": "user.city", "value": "Olinda"})

    assert "confirmation_rejected" == erase(linked, token).json()["code"]
    assert "Olinda" == owner.get("/memories/user.city").json()["value"]


def test_a_confirmed_erasure_may_be_repeated_under_its_key(door: Door) -> None:
    """The answer under an Idempotency-Key comes again, although the token is used up."""
    owner, linked = door.client("user", user="again"), door.client("link", user="again")
    owner.post("/conversations/c1/messages", json={"role": "user", "content": "oi"})
    token = linked.delete("/conversations/c1").json()["confirmation"]
    headers = {"X-Rememora-Confirm": token, "Idempotency-Key": "k1"}
    answers = [linked.delete("/conversations/c1", headers=headers) for _ in range(2)]

    assert [200, 200] == [answer.status_code for answer in answers]
    assert "true" == answers[1].headers["Idempotency-Replayed"]


async def test_a_confirmation_is_fresh_or_nothing(rememora: Rememora, clock: SetClock) -> None:
    """After its minutes it is refused, also when the whole person was erased meanwhile."""
    await rememora.operator(acting="test").tenants.create("acme")
    scope, act = Scope("acme", "ana"), b"\x01" * 32
    late = await rememora.credentials.ask_to_confirm(scope, act)
    clock.now = late.expires_at
    with pytest.raises(ConfirmationRejected):
        await rememora.credentials.confirm(scope, late.token, act)

    fresh = await rememora.credentials.ask_to_confirm(scope, act)
    await rememora.credentials.confirm(scope, fresh.token, act)
    await rememora.user("ana", tenant="acme").erase(person=True)
    clock.now += timedelta(seconds=1)
    with pytest.raises(ConfirmationRejected):
        await rememora.credentials.confirm(scope, fresh.token, act)


async def test_only_links_are_taken_where_links_are(rememora: Rememora) -> None:
    """`admit_link` refuses what `admit` takes."""
    await rememora.operator(acting="test").tenants.create("acme")
    access = rememora.tenant("acme", acting="test").access
    key, link = (
        (await access.issue_key("user", user="ana")).secret,
        (await access.link("ana", read_only=True)).token,
    )

    assert (await rememora.credentials.admit(key)).user == (await rememora.credentials.admit_link(link)).user
    assert (True, True) == (
        (await rememora.credentials.admit(link)).link,
        (await rememora.credentials.admit(link)).read_only,
    )
    with pytest.raises(KeyRejected):
        await rememora.credentials.admit_link(key)


def test_keys_made_of_words_reach_nobody_else(door: Door, capsys: pytest.CaptureFixture[str]) -> None:
    """Events, the chain and the application's metrics show a digest; the owner sees the key."""
    owner = door.client("user", user="words")
    owner.post("/notes", json={"text": WORDS})
    owner.post("/memories", json={"key": "operating.note_separar_marcelo", "value": "segunda que vem"})
    owner.post("/memories", json={"key": "separar_marcelo.plano", "value": "advogada", "category": "operating"})
    owner.patch("/memories/operating.note_separar_marcelo", json={"value": "terça", "why": "vou separar"})
    owner.delete("/memories/operating.note_separar_marcelo")
    service = door.client("service", user="words")
    service.post("/memories/forget", json={"target": "separar_marcelo.plano", "why": "separar do Marcelo"})
    views = {
        "auditor's events": door.client("auditor").get("/events", params={"limit": 1000}).text,
        "auditor's chain": door.client("auditor").get("/audit", params={"limit": 1000}).text,
        "auditor's stream": door.client("auditor").get("/events/tail", params={"quiet_seconds": 0}).text,
        "admin's events": door.client("admin").get("/events", params={"limit": 1000}).text,
        "admin's chain": door.client("admin").get("/audit", params={"limit": 1000}).text,
        "metrics": door.client("operator").get("/metrics").text,
    }
    leaks = [f"{name}: {word}" for name, text in views.items() for word in SEGMENTS if word in text]
    with capsys.disabled():
        print(f"\nrights: {len(SEGMENTS)} words x {len(views)} views, {len(leaks)} leaks")

    assert [] == leaks
    digests = set(re.findall(r'"key":"(operating\.note_#[0-9a-f]{12})"', views["auditor's events"]))

    # One for the memory, and one for the question that the note became.
    assert digests
    assert digests & set(re.findall(r'"key":"([^"]+)"', views["auditor's chain"]))
    assert "operating.note_separar_marcelo" in owner.get("/export").text
    assert "operating.note_separar_marcelo" in owner.get("/memories", params={"status": "deleted"}).text


async def test_subscribers_hear_digests_that_differ_by_tenant(rememora: Rememora) -> None:
    """The same key twice is the same digest, in another tenant another; keys of the policy stay readable."""
    heard: list[Event] = []

    async def listen(event: Event) -> None:
        heard.append(event)

    await rememora.events.subscribe("attacker", listen, from_start=True)
    for tenant in ("acme", "rival"):
        ana = rememora.user("ana", tenant=tenant)
        for value in ("segunda", "terça"):
            await ana.remember("operating.note_separar_marcelo", value)
        await ana.remember("user.name", "Ana")
        await ana.forget("operating.note_separar_marcelo")
        await ana.profile.seed(timezone="America/Recife")
    await rememora.settle()
    said = " ".join(str(event.payload) for event in heard)
    keys = {tenant: {e.payload.get("key") for e in heard if e.tenant == tenant} for tenant in ("acme", "rival")}
    digests = {tenant: {key for key in result if key and "#" in key} for tenant, result in keys.items()}

    assert not any(word in said for word in SEGMENTS)
    assert [1, 1] == [len(digest) for digest in digests.values()]
    assert not digests["acme"] & digests["rival"]
    assert {"user.name", "user.timezone"} <= keys["acme"]


async def test_erasing_a_memory_takes_its_events_along(rememora: Rememora, ana: UserMemory) -> None:
    """Events name the memory by a digest, and go with it all the same; those of others stay."""
    await ana.remember("operating.note_separar_marcelo", "ok")
    await ana.remember("operating.note_separar_marcelo", "segunda que vem às dez")
    await ana.remember("user.name", "Ana")
    boss = rememora.tenant("acme", acting="boss")
    before = {event.payload.get("key") for event in await boss.events.list()}
    await ana.erase(memory="operating.note_separar_marcelo")
    after = {event.payload.get("key") for event in await boss.events.list()}

    assert 1 == len({key for key in before if key and "#" in key})
    assert "user.name" in after
    assert not {key for key in after if key and "#" in key}
