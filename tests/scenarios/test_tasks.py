"""Delegation: handed over once, worked on by one at a time, tried again, taken back, and told exactly once."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import msgspec
import pytest
from tests.clock import SetClock
from tests.delegating import ENDS, SENDING, Hands, delegated, told

from rememora import Module, Rememora, Settings, TaskDone, TaskFailed, UserMemory
from rememora.domain.modules import CRM
from rememora.domain.task import SUMMARY_CHARACTERS
from rememora.errors import Conflict, InvalidInput, NotFound, StoreUnavailable


@pytest.fixture
def overrides() -> dict[str, object]:
    """Few tries, first wait of a second, a short lease."""
    return {"tasks.attempts": 3, "tasks.backoff_seconds": 1, "tasks.lease_seconds": 0.3, "tasks.at_once": 2}


async def test_work_is_done_and_told_in_order(rememora: Rememora) -> None:
    """Created, completed, sent: one of each, with the task's id and the caller's correlation."""
    hands = Hands(TaskDone(summary="entregue", result={"wamid": "w1"}))
    await rememora.modules.serve(CRM, hands)
    task = await delegated(rememora, correlation="pedido-7", conversation="c1")
    await rememora.settle()
    done = await rememora.user("ana", tenant="acme").tasks.get(task.id)
    events = await told(rememora, task)

    assert ("completed", {"wamid": "w1"}, "entregue", 1) == (done.status, done.result, done.summary, done.attempts)
    assert ["module.task.created", "module.task.completed", "crm.delegation.sent"] == [e.type for e in events]
    assert {("pedido-7", "c1")} == {(e.payload["correlation_id"], e.conversation) for e in events}
    assert {
        "task_id": task.id,
        "correlation_id": "pedido-7",
        "tenant_id": "acme",
        "result_summary": "entregue",
    } == events[-1].payload
    assert [SENDING] == [tried.payload for tried in hands.tried]


async def test_another_module_tells_of_no_delegation(rememora: Rememora) -> None:
    """`crm.delegation.*` is the CRM's."""

    class Sum(msgspec.Struct):
        numbers: list[int]

    await rememora.modules.add(Module(name="mod-09-sums", kinds={"add": Sum}))
    await rememora.modules.serve("mod-09-sums", lambda task: TaskDone(result=sum(task.payload["numbers"])))
    task = await rememora.user("ana", tenant="acme").tasks.delegate("mod-09-sums", "add", {"numbers": [1, 2]})
    await rememora.settle()

    assert 3 == (await rememora.user("ana", tenant="acme").tasks.get(task.id)).result
    assert ["module.task.created", "module.task.completed"] == [e.type for e in await told(rememora, task)]


@pytest.mark.parametrize(
    ("module", "kind", "payload", "field"),
    [
        ("mod-77", "message.send", SENDING, "module"),
        (CRM, "message.burn", SENDING, "kind"),
        (CRM, "message.send", {"text": "oi"}, "payload.to"),
        (CRM, "message.send", {**SENDING, "to": "11 98765"}, "payload.to"),
        (CRM, "message.send", {**SENDING, "cc": "x"}, "payload.cc"),
        (CRM, "message.send", {**SENDING, "text": 3}, "payload.text"),
        (CRM, "contact.update", {"phone": "+5511987654321", "tags": ["a", ""]}, "payload.tags[1]"),
        (CRM, "followup.schedule", {**SENDING, "phone": "+5511987654321", "at": "2025-01-01T10:00"}, "payload.to"),
        (CRM, "message.send", [], "payload"),
        (CRM, "message.send", {**SENDING, "text": float("nan")}, "payload"),
    ],
)
async def test_a_bad_payload_stores_nothing(
    rememora: Rememora, ana: UserMemory, module: str, kind: str, payload: Any, field: str
) -> None:
    """It is refused by its path, without repeating the value, and neither a task nor an event is there."""

    with pytest.raises(InvalidInput) as refused:
        await ana.tasks.delegate(module, kind, payload)

    assert field == refused.value.field
    assert "segredo" not in str(refused.value)
    assert () == (await ana.tasks.list()).items
    assert [] == await told(rememora)


async def test_a_key_hands_over_once(rememora: Rememora) -> None:
    """The same order under the same key is the same task, also at once; another order is a conflict."""
    tasks = await asyncio.gather(*(delegated(rememora, key="k1") for _ in range(8)))
    with pytest.raises(Conflict):
        await rememora.user("ana", tenant="acme").tasks.delegate(
            CRM, "message.send", {**SENDING, "text": "outro"}, key="k1"
        )
    bia = await delegated(rememora, user="bia", key="k1")

    assert {tasks[0].id} == {task.id for task in tasks}
    assert bia.id != tasks[0].id
    assert 2 == len(await told(rememora))


async def test_a_failure_is_tried_again_later(rememora: Rememora, clock: SetClock) -> None:
    """Not at once: after one second, then two; nothing is told before it ends."""
    hands = Hands(ConnectionError("o segredo"), StoreUnavailable(), "ok")
    await rememora.modules.serve(CRM, hands)
    task = await delegated(rememora)
    tries: list[int] = []
    for seconds in (0, 0.9, 0.1, 1.9, 0.1):
        clock.advance(seconds)
        await rememora.settle()
        tries.append(len(hands.tried))

    assert [1, 1, 2, 2, 3] == tries
    assert ["module.task.created", *ENDS[::2]] == [event.type for event in await told(rememora, task)]
    assert 3 == (await told(rememora, task))[1].payload["attempts"]


async def test_the_last_failure_is_final(rememora: Rememora, clock: SetClock) -> None:
    """After the limit it is a dead letter with a code, told once, seen by the tenant without its content."""
    hands = Hands(*[ConnectionError("o segredo")] * 9)
    await rememora.modules.serve(CRM, hands)
    task = await delegated(rememora)
    for _ in range(6):
        clock.advance(60)
        await rememora.settle()
    [dead] = (await rememora.tenant("acme", acting="boss").tasks.list(status="failed")).items
    events = await told(rememora, task)

    assert 3 == len(hands.tried)
    assert (task.id, "ConnectionError", {}) == (dead.id, dead.error, dead.payload)
    assert ["module.task.failed", "crm.delegation.failed"] == [event.type for event in events[1:]]
    assert {"ConnectionError"} == {event.payload["error_code"] for event in events[1:]}


async def test_a_refusal_is_not_tried_again(rememora: Rememora, clock: SetClock) -> None:
    """`TaskFailed` is the worker's last word."""
    hands = Hands(TaskFailed(error="number_blocked"))
    await rememora.modules.serve(CRM, hands)
    task = await delegated(rememora)
    clock.advance(600)
    await rememora.settle()

    assert 1 == len(hands.tried)
    assert "number_blocked" == (await told(rememora, task))[-1].payload["error_code"]


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        (None, ""),
        ("feito", "feito"),
        (TaskDone(summary="a\nb\x00c\ud800 d"), "a b c d"),
        (TaskDone(summary="x" * 9999), "x" * SUMMARY_CHARACTERS),
    ],
)
async def test_a_summary_is_one_bounded_line(rememora: Rememora, answer: object, summary: str) -> None:
    """Whatever the worker says, the event tells at most one line of it."""
    await rememora.modules.serve(CRM, Hands(answer))
    task = await delegated(rememora)
    await rememora.settle()

    assert summary == (await told(rememora, task))[-1].payload["result_summary"]


async def test_a_result_that_cannot_be_kept_does_not_repeat_the_work(rememora: Rememora, clock: SetClock) -> None:
    """The effect is there: the task fails once, under a code of its own."""
    hands = Hands(TaskDone(result=object()))
    await rememora.modules.serve(CRM, hands)
    task = await delegated(rememora)
    clock.advance(600)
    await rememora.settle()

    assert 1 == len(hands.tried)
    assert "bad_result" == (await rememora.user("ana", tenant="acme").tasks.get(task.id)).error


async def test_work_is_taken_back_before_it_begins(rememora: Rememora, ana: UserMemory) -> None:
    """It is never worked on, and its end is told once, however often it is cancelled."""
    hands = Hands()
    task = await delegated(rememora)
    assert "cancelled" == (await ana.tasks.cancel(task.id)).status
    await ana.tasks.cancel(task.id)
    await rememora.modules.serve(CRM, hands)
    await rememora.settle()

    assert [] == hands.tried
    assert ["module.task.failed", "crm.delegation.failed"] == [e.type for e in (await told(rememora, task))[1:]]
    assert {"cancelled"} == {event.payload["error_code"] for event in (await told(rememora, task))[1:]}


async def test_what_has_ended_cannot_be_taken_back(rememora: Rememora) -> None:
    """It stays as it ended, and nothing more is told."""
    await rememora.modules.serve(CRM, Hands())
    task = await delegated(rememora)
    await rememora.settle()

    assert "completed" == (await rememora.user("ana", tenant="acme").tasks.cancel(task.id)).status
    assert 3 == len(await told(rememora, task))


async def test_nobody_reaches_anothers_task(rememora: Rememora) -> None:
    """Neither to see it nor to cancel it."""
    task = await delegated(rememora)
    bia = rememora.user("bia", tenant="acme")
    for act in (bia.tasks.get, bia.tasks.cancel):
        with pytest.raises(NotFound):
            await act(task.id)

    assert () == (await bia.tasks.list()).items
    assert "waiting" == (await rememora.user("ana", tenant="acme").tasks.get(task.id)).status


async def test_tasks_are_paged(rememora: Rememora, ana: UserMemory) -> None:
    """Newest first, page by page, each once; a status that there is not is refused."""
    tasks = [await delegated(rememora) for _ in range(5)]
    first = await ana.tasks.list(limit=3)
    rest = await ana.tasks.list(limit=3, after=first.next)

    assert [task.id for task in reversed(tasks)] == [task.id for task in (*first.items, *rest.items)]
    assert rest.next is None
    with pytest.raises(InvalidInput):
        await ana.tasks.list(status="lost")  # type: ignore[arg-type]


async def test_an_erased_person_leaves_no_task(rememora: Rememora, ana: UserMemory, settings: Settings) -> None:
    """Their tasks go with them, out of the files too; an export holds them before."""
    await delegated(rememora)
    await delegated(rememora, user="bia")
    [held] = (await ana.archive.export())["tasks"]
    receipt = await ana.erase(person=True)

    assert SENDING == held["payload"]
    assert 1 == receipt.counts["tasks"]
    assert 1 == len((await rememora.tenant("acme", acting="boss").tasks.list()).items)


async def test_nothing_of_the_content_is_logged_or_told(
    rememora: Rememora, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Logs and events hold ids and codes."""
    caplog.set_level(logging.DEBUG)
    await rememora.modules.serve(CRM, Hands(ConnectionError("o segredo da Ana")))
    await delegated(rememora)
    await rememora.settle()
    clock.advance(60)
    await rememora.settle()

    assert "ConnectionError" in caplog.text
    assert "segredo" not in caplog.text
    assert b"segredo" not in msgspec.json.encode(await told(rememora))
