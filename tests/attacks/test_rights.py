"""Rights under attack: every credential at every route, and what administrators and applications may do.

The matrix is written by hand, not read from the route table: a route that is missing here fails the suite, and so
does one whose flags let somebody in who is not named here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.attacks.door import CANARY, REASON, USER, Door, opened, outcome
from tests.doors.test_tenants_apart import ABSENT, BODIES, call

from rememora import Rememora, UserMemory
from rememora.domain.rights import ADMIN, SERVICE
from rememora.errors import InvalidInput, RightMissing
from rememora.server.routes import table
from rememora.server.routing import ApiOperation

OPEN = {"get_live", "get_ready", "get_policy", "get_events_schema"}
READS = {
    "list_conversations", "get_conversation", "list_messages", "get_window", "get_summary",
    "list_conversation_episodes", "get_context", "render_context", "search_memory", "get_conversation_memory",
    "list_memories", "get_memory", "get_memory_history", "explain_memory", "list_proposals", "get_profile",
    "export_person", "list_entities", "list_episodes", "list_missions", "get_mission", "list_tasks", "get_task",
    "get_memory_sources", "get_memory_timeline", "get_timeline", "list_attempts", "list_acts", "chat_temporary",
}  # fmt: skip
WRITES = {
    "chat", "put_conversation", "append_message", "append_messages", "append_episode", "remember", "correct",
    "forget", "suppress", "correct_memory", "forget_memory", "suppress_memory", "restore_memory", "note",
    "answer_proposal", "seed_profile", "import_person", "mention_entity", "restore_entities", "forget_entity",
    "restore_entity", "create_mission", "update_mission", "act_on_mission", "send_call", "settle_call",
    "close_mission", "create_task", "cancel_task", "take_call", "extend_call", "take_callbacks", "check_mission",
    "promote_result", "confirm_memory",
}  # fmt: skip
ERASES = {"erase", "delete_conversation", "delete_conversation_memory", "delete_mission"}
HARMLESS = {"judge"}
SERVES = {"issue_link"}
ADMINISTERS = {
    "list_keys", "issue_key", "rotate_key", "revoke_key", "verify_receipt", "list_all_tasks", "retry_dead_letters",
    "reject_quarantined",
}  # fmt: skip
REVIEWS = {"list_quarantine", "approve_quarantined"}
AUDITS = {"list_audit", "verify_audit", "list_events", "tail_events", "list_dead_letters", "get_usage"}
WORKS = {"claim_task", "renew_task", "complete_task", "fail_task", "release_task"}
OPERATES = {
    "get_metrics", "list_tenants", "create_tenant", "get_tenant", "change_tenant", "erase_tenant",
}  # fmt: skip
PERSON = READS | WRITES | ERASES
EVERY = OPEN | PERSON | HARMLESS | SERVES | ADMINISTERS | REVIEWS | AUDITS | WORKS | OPERATES
TRUSTED = PERSON | HARMLESS | SERVES | ADMINISTERS | REVIEWS | AUDITS | WORKS
UNDER_REASON = PERSON | REVIEWS | WORKS

LETS_IN: dict[str, set[str]] = {
    "nobody": set(),
    "user": PERSON | HARMLESS,
    "link": READS | WRITES | HARMLESS,
    "read-only link": READS | HARMLESS,
    "service": PERSON | HARMLESS | SERVES,
    "auditor": AUDITS,
    "module": WORKS,
    "admin": TRUSTED - UNDER_REASON,
    "admin with reason": TRUSTED,
    "operator": TRUSTED - UNDER_REASON | OPERATES,
    "operator with reason": TRUSTED | OPERATES,
}
ROUTES = {route.name: route for route in table() if not route.development}
BODY_OF = {**BODIES, "erase": {"memory": "user.absent"}}


def expected(who: str, name: str) -> str:
    """What a credential is answered at a route."""
    if name in OPEN or name in LETS_IN[who]:
        return "let in"
    if who == "nobody":
        return "no key"
    if who == "link" and name in ERASES:
        return "confirm"
    return "reason" if who in ("admin", "operator") and name in UNDER_REASON else "denied"


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """The server and its people, shared by the tests of this module."""
    yield from opened(tmp_path_factory.mktemp("rights"))


def ask(client: httpx.Client, route: ApiOperation, ids: dict[str, str]) -> httpx.Response:
    """One request to a route, that erases nothing that is there."""
    if route.name == "erase":
        return client.post("/erase", json=BODY_OF["erase"])
    return call(client, route, ids)


def test_every_route_stands_in_the_matrix() -> None:
    """A new route has to say here who may use it."""
    assert set(ROUTES) == EVERY


def test_each_credential_gets_what_it_may_at_every_route(door: Door, capsys: pytest.CaptureFixture[str]) -> None:
    """Deny by default: the outcome of every credential at every route is the one written down above."""
    wrong: list[str] = []
    counts: Counter[tuple[str, str]] = Counter()
    for who in LETS_IN:
        client = door.client(who)
        for name, route in ROUTES.items():
            result = outcome(ask(client, route, ABSENT))
            counts[who, result] += 1
            if result != expected(who, name):
                wrong.append(f"{who} at {name}: {result}, not {expected(who, name)}")
    with capsys.disabled():
        print(f"\nrights: {len(LETS_IN)} credentials x {len(ROUTES)} routes, {len(wrong)} wrong")
        for who in LETS_IN:
            said = ", ".join(f"{what} {count}" for (whose, what), count in sorted(counts.items()) if whose == who)
            print(f"  {who:<21} {said}")

    assert [] == wrong


@pytest.mark.parametrize("who", ["user", "service", "auditor", "module", "admin", "admin with reason"])
def test_another_tenants_credentials_see_nothing(door: Door, who: str) -> None:
    """With the victim's name and ids, whatever the role."""
    client = door.client(who, tenant="rival")
    for route in ROUTES.values():
        assert CANARY not in ask(client, route, door.ids).text, route.name


def test_an_administrators_look_at_a_person_is_recorded(door: Door, capsys: pytest.CaptureFixture[str]) -> None:
    """Every route that reads a person leaves an entry with whose and why; the person's application leaves none."""
    admin, service = door.client("admin with reason"), door.client("service")
    silent: list[str] = []
    for name in sorted(READS):
        before = len(door.chain())
        ask(service, ROUTES[name], door.ids)
        assert before == len(door.chain()), name
        ask(admin, ROUTES[name], door.ids)
        added = door.chain()[before:]
        if [("read", USER, REASON)] != [(item["action"], item["owner"], item["why"]) for item in added]:
            silent.append(name)
    with capsys.disabled():
        print(f"\nrights: {len(READS)} reading routes, {len(silent)} without exactly one entry")

    assert [] == silent


def test_a_blank_reason_is_none(door: Door) -> None:
    """Blanks do not say why."""
    client = door.client("admin")

    assert "reason" == outcome(client.get("/memories", headers={"X-Rememora-Reason": "%20 %20"}))


def test_an_application_acts_for_people_and_administers_nothing(door: Door) -> None:
    """It chats, searches and erases for any user; what it changes is recorded under its own name."""
    service = door.client("service", user="eva")
    said = {"message": "Moro em Recife.", "conversation_id": "s1"}

    assert 200 == service.post("/chat", json=said).status_code
    assert 201 == service.post("/memories", json={"key": "user.team", "value": "vendas"}).status_code
    assert "Recife" in service.get("/memory/search", params={"q": "Recife"}).text
    actors = {item["actor"] for item in door.chain() if item["owner"] == "eva" and item["key"] == "user.team"}

    assert all(actor.startswith("service:") for actor in actors)
    assert actors
    wish = {"key": "tenant.name", "value": "Golpe", "scope": "tenant_shared"}
    assert "denied" == outcome(service.post("/memories", json=wish))
    assert 200 == service.post("/erase", json={"person": True}).status_code
    assert [] == service.get("/memories", params={"scope": "personal"}).json()["items"]


LOOKS: dict[str, Any] = {
    "recall": lambda ana: ana.recall("Recife"),
    "related": lambda ana: ana.context("Recife"),
    "conversations": lambda ana: ana.conversations.list(),
    "episodes": lambda ana: ana.conversations.episodes(),
    "proposals": lambda ana: ana.proposals.list(),
    "tasks": lambda ana: ana.tasks.list(),
    "restore": lambda ana: ana.memories.restore("user.city"),
    "messages": lambda ana: ana.conversation("c1").messages(),
    "last_turns": lambda ana: ana.conversation("c1").last_turns(),
    "about": lambda ana: ana.conversation("c1").about(),
    "context": lambda ana: ana.conversation("c1").context("Recife"),
    "reply": lambda ana: ana.conversation("c1").reply("Onde moro?"),
}


@pytest.mark.parametrize("name", LOOKS)
async def test_python_demands_right_and_reason_too(rememora: Rememora, ana: UserMemory, name: str) -> None:
    """A handle that acts for another reads nothing without both, and what it reads is recorded."""
    await ana.remember("user.city", "Recife")
    await ana.conversation("c1").append("user", "Moro em Recife")
    look = LOOKS[name]
    with pytest.raises(RightMissing):
        await look(rememora.user("ana", tenant="acme", acting="bia", reason=REASON))
    with pytest.raises(InvalidInput):
        await look(rememora.user("ana", tenant="acme", acting="bia", rights=ADMIN))
    await look(rememora.user("ana", tenant="acme", acting="app", rights=SERVICE))
    await look(rememora.user("ana", tenant="acme", acting="bia", rights=ADMIN, reason=REASON))
    chain = await rememora.tenant("acme", acting="boss").audit.list()

    assert [("bia", REASON)] == [(item.actor, item.why) for item in chain if item.action == "read"]
