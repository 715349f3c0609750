"""Work handed to modules is part of the context: pending until it is done, then with what came of it."""

from __future__ import annotations

from datetime import timedelta

from tests.clock import SetClock
from tests.delegating import Hands, delegated

from rememora import Conversation, Rememora, Settings, Task, TaskDone, TaskFailed
from rememora.context.fence import CLOSE, OPEN
from rememora.domain.context import ContextPack, Item
from rememora.domain.modules import CRM


async def pack(rememora: Rememora, conversation: str = "c1", *, user: str = "ana") -> ContextPack:
    return await rememora.user(user, tenant="acme").conversation(conversation).context("como está o envio?")


async def tasks(rememora: Rememora, conversation: str = "c1", *, user: str = "ana") -> tuple[Item, ...]:
    return (await pack(rememora, conversation, user=user)).section("tasks")


async def ended(rememora: Rememora, *answers: object) -> list[Task]:
    """One task for each answer, worked on to its end."""
    made = [await delegated(rememora, conversation="c1") for _ in answers]
    await rememora.modules.serve(CRM, Hands(*answers))
    await rememora.settle()
    return made


async def test_a_delegated_task_is_pending_and_then_done(rememora: Rememora) -> None:
    """In the next pack it stands as pending, and after its end with the module's summary."""
    task = await delegated(rememora, conversation="c1")
    [before] = await tasks(rememora)
    await rememora.modules.serve(CRM, Hands(TaskDone(summary="entregue às 15h", result={"wamid": "w1"})))
    await rememora.settle()
    [after] = await tasks(rememora)

    assert task.id == before.id == after.id
    assert "message.send" in before.text
    assert "pending" in before.text
    assert after.text.endswith("done: entregue às 15h")
    assert ("assistant", "tool") == (before.origin, after.origin)
    assert {"handed to a module in this conversation"} == {before.reason, after.reason}
    assert {"recalled"} == {before.trust, after.trust}


async def test_how_it_ended_is_told(rememora: Rememora) -> None:
    """A result where there is no summary, the code of a failure, and that it was taken back."""
    await ended(rememora, TaskDone(result={"wamid": "w1"}), TaskFailed(error="number_unknown"))
    gone = await delegated(rememora, conversation="c2")
    await rememora.user("ana", tenant="acme").tasks.cancel(gone.id)
    texts = [item.text.rpartition("): ")[2] for item in await tasks(rememora)]

    assert {'done: {"wamid":"w1"}', "failed: number_unknown", "cancelled"} == set(texts)


async def test_the_model_is_given_it(rememora: Rememora) -> None:
    """The next turn's prompt holds how the task stands, as data between the fence's marks."""
    await ended(rememora, TaskDone(summary="entregue às 15h"))
    given = rememora.render(await pack(rememora), "chat")["messages"]

    assert "entregue às 15h" in given[0]["content"].rpartition(OPEN)[2].partition(CLOSE)[0]


async def test_open_work_is_told_everywhere_and_what_ended_only_for_a_while(
    rememora: Rememora, clock: SetClock
) -> None:
    """Elsewhere an ended task is told of for a week, in its own conversation for good, and to nobody else."""
    await ended(rememora, TaskDone(summary="entregue"))
    await delegated(rememora, conversation="c9")
    counts = [len(await tasks(rememora, item)) for item in ("c1", "c2")]
    clock.advance(timedelta(days=8).total_seconds())
    later = [len(await tasks(rememora, item)) for item in ("c1", "c2")]

    assert ([2, 2], [2, 1]) == (counts, later)
    assert () == await tasks(rememora, user="bia")


async def test_the_host_may_tell_of_tasks_as_well(rememora: Rememora, chat: Conversation) -> None:
    """What the call says stands beside what the modules do."""
    await delegated(rememora, conversation="c1")
    result = (await chat.context("oi", situation={"tasks": ["planilha de vendas criada"]})).section("tasks")

    assert {"told by the host", "handed to a module in this conversation"} == {item.reason for item in result}


async def test_the_layer_has_its_switch(settings: Settings, clock: SetClock) -> None:
    """Off, it gives nothing, and the pack says so."""
    off = Settings.load({"store.url": settings.store.url, "layers.tasks": False}, environ={})
    async with Rememora.open(settings=off, clock=clock, background=False) as rememora:
        await delegated(rememora, conversation="c1")
        result = await pack(rememora)

        assert () == result.section("tasks")
        assert ("tasks", "off") in {(missing.layer, missing.why) for missing in result.missing}
