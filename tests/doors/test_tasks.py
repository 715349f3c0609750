"""Tasks over REST: handed over by a user, taken and ended by a module that holds them, under a lease."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from tests.doors.conftest import Running

CRM = "mod-02-whatsapp-crm"
SENDING = {"to": "+5511987654321", "text": "oi"}


class Desk:
    """A tenant of a test's own: a user who delegates, and a module that works."""

    def __init__(self, server: Running, tenant: str) -> None:
        server.tenant(tenant)
        self.user = server.client(server.key("user", tenant=tenant, user="ana"))
        self.module = server.client(server.key("module", tenant=tenant, module=CRM))
        self.admin = server.client(server.key("admin", tenant=tenant))
        self.stranger = server.client(server.key("module", tenant=tenant, module="mod-03-billing"))

    def delegate(self, **more: Any) -> dict[str, Any]:
        """A message to be sent."""
        query = {"module": CRM, "kind": "message.send", "payload": SENDING, **more}
        answer = self.user.post("/tasks", json=query)

        assert 201 == answer.status_code, answer.text
        return dict(answer.json())

    def claim(self) -> Any:
        """What the module gets to do."""
        return self.module.post("/tasks/claim", json={"module": CRM}).json()["held"]

    def end(self, held: Any, how: str, **more: Any) -> httpx.Response:
        """Let a task that is held end, or go."""
        return self.module.post(f"/tasks/{held['task']['id']}/{how}", json={"lease": held["lease"], **more})

    def events(self) -> list[str]:
        """What was told, in order."""
        return [item["type"] for item in self.admin.get("/events").json()["items"]]


@pytest.fixture
def desk(server: Running, request: pytest.FixtureRequest) -> Desk:
    """A tenant of the test's own."""
    return Desk(server, request.node.name)


def test_work_is_taken_once_and_told_once(desk: Desk) -> None:
    """Created, taken by one, completed: the user sees the result, and each event is told once."""
    task = desk.delegate(correlation="pedido-7")
    held, nothing = desk.claim(), desk.claim()
    done = desk.end(held, "complete", summary="entregue", result={"wamid": "w1"})
    seen = desk.user.get(f"/tasks/{task['id']}").json()

    assert (task["id"], None, 200) == (held["task"]["id"], nothing, done.status_code)
    assert SENDING == held["task"]["payload"]
    assert ("completed", {"wamid": "w1"}, "entregue") == (seen["status"], seen["result"], seen["summary"])
    assert ["module.task.created", "module.task.completed", "crm.delegation.sent"] == desk.events()


def test_a_modules_key_does_that_modules_work_and_nothing_else(desk: Desk) -> None:
    """Another module's tasks are refused or absent, its lease known or not; memory and events are closed to it."""
    task = desk.delegate()
    refused = desk.stranger.post("/tasks/claim", json={"module": CRM})
    held = desk.claim()
    for how in ("renew", "complete", "release"):
        body = {"lease": held["lease"]}
        foreign = desk.stranger.post(f"/tasks/{task['id']}/{how}", json=body)
        absent = desk.stranger.post(f"/tasks/{'0' * len(task['id'])}/{how}", json=body)

        assert 404 == foreign.status_code == absent.status_code
    closed = [desk.module.get(path).status_code for path in ("/tasks/all", "/events", "/keys", "/usage")]

    assert (403, "right_missing") == (refused.status_code, refused.json()["code"])
    assert [403] * 4 == closed
    assert 403 == desk.module.get("/memories", headers={"X-Rememora-User": "ana"}).status_code
    assert 200 == desk.end(held, "complete").status_code


def test_a_modules_key_names_its_modules(desk: Desk) -> None:
    """Without a module, or with one on another role, no key is issued; what is issued says whose work it does."""
    ask = {"role": "module", "modules": [CRM, CRM]}
    issued = desk.admin.post("/keys", json=ask).json()["key"]
    rotated = desk.admin.post(f"/keys/{issued['id']}/rotate").json()["key"]
    wrong = [{"role": "module"}, {"role": "auditor", "modules": [CRM]}, {"role": "module", "modules": [""]}]

    assert [CRM] == issued["modules"] == rotated["modules"]
    assert [422] * 3 == [desk.admin.post("/keys", json=item).status_code for item in wrong]


def test_a_lost_lease_changes_nothing(desk: Desk) -> None:
    """A second end, a guessed lease, and an end after the task was given back are refused as a conflict."""
    desk.delegate()
    held = desk.claim()
    guessed = desk.end({**held, "lease": "guessed"}, "complete")
    released = desk.end(held, "release")
    late = desk.end(held, "complete")
    again = desk.claim()
    done, twice = desk.end(again, "fail", error="no_route"), desk.end(again, "complete")

    assert [409, 200, 409, 200, 409] == [item.status_code for item in (guessed, released, late, done, twice)]
    assert held["task"]["attempts"] == again["task"]["attempts"] == 1
    assert ["module.task.created", "module.task.failed", "crm.delegation.failed"] == desk.events()


def test_a_failure_that_may_pass_is_tried_again(desk: Desk) -> None:
    """With `retry` the task waits; it is not told of until it has ended."""
    desk.delegate()
    waiting = desk.end(desk.claim(), "fail", error="timeout", retry=True).json()

    assert ("waiting", "timeout", 1) == (waiting["status"], waiting["error"], waiting["attempts"])
    assert ["module.task.created"] == desk.events()


def test_a_lease_can_be_kept(desk: Desk) -> None:
    """Renewing moves its end."""
    desk.delegate()
    held = desk.claim()
    kept = desk.end(held, "renew", seconds=600)

    assert 200 == kept.status_code
    assert kept.json()["until"] > held["until"]


def test_what_is_asked_twice_is_done_once(desk: Desk) -> None:
    """Under a key, or an Idempotency-Key, the same work is the same task; other work under it is a conflict."""
    one, two = desk.delegate(key="k"), desk.delegate(key="k")
    other = {"module": CRM, "kind": "message.send", "payload": {**SENDING, "text": "outro"}, "key": "k"}
    header = {"Idempotency-Key": "again"}
    query = {"module": CRM, "kind": "message.send", "payload": SENDING}
    first, second = (desk.user.post("/tasks", json=query, headers=header) for _ in range(2))

    assert one["id"] == two["id"]
    assert 409 == desk.user.post("/tasks", json=other).status_code
    assert first.json()["id"] == second.json()["id"]


def test_work_can_be_taken_back(desk: Desk) -> None:
    """A cancelled task is not given out, and its worker has lost it."""
    task = desk.delegate()
    held = desk.claim()
    cancelled = desk.user.post(f"/tasks/{task['id']}/cancel").json()

    assert "cancelled" == cancelled["status"]
    assert 409 == desk.end(held, "complete").status_code
    assert desk.claim() is None


def test_lists_come_in_pages_and_the_tenants_list_has_no_content(desk: Desk) -> None:
    """A user sees their own, newest first; an admin sees how everybody's stand, and nothing of what they say."""
    made = [desk.delegate(key=str(number))["id"] for number in range(3)]
    page = desk.user.get("/tasks", params={"limit": 2}).json()
    rest = desk.user.get("/tasks", params={"limit": 2, "after": page["next"]}).json()
    everybody = desk.admin.get("/tasks/all", params={"status": "waiting"}).json()["items"]

    assert made[::-1] == [item["id"] for item in [*page["items"], *rest["items"]]]
    assert [{}] * 3 == [item["payload"] for item in everybody]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"module": "mod-99", "kind": "message.send", "payload": SENDING}, "module"),
        ({"module": CRM, "kind": "dance", "payload": {}}, "kind"),
        ({"module": CRM, "kind": "message.send", "payload": {"to": "me", "text": "oi"}}, "payload.to"),
    ],
)
def test_bad_work_is_refused_by_its_field(desk: Desk, query: dict[str, Any], field: str) -> None:
    """Nothing is stored, and the answer names what is wrong."""
    answer = desk.user.post("/tasks", json=query)

    assert (422, field) == (answer.status_code, answer.json()["field"])
    assert [] == desk.user.get("/tasks").json()["items"]


def test_only_those_with_the_right_take_work(desk: Desk) -> None:
    """A user's key delegates, and neither takes nor ends."""
    task = desk.delegate()

    assert 403 == desk.user.post("/tasks/claim", json={"module": CRM}).status_code
    assert 403 == desk.user.post(f"/tasks/{task['id']}/complete", json={"lease": "x"}).status_code
    assert 403 == desk.user.get("/tasks/all").status_code
