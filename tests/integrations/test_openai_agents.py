"""The OpenAI Agents SDK's own runner with our session, and a model that is scripted by the SDK's testing kit."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, RunConfig, Runner, function_tool
from agents.memory import Session, SessionSettings
from agents.testing import ScriptedModel, assistant_message, function_call

from rememora import Rememora
from rememora.integrations.openai_agents import RememoraSession

QUIET = RunConfig(tracing_disabled=True)


def session_of(rememora: Rememora, **how: Any) -> RememoraSession:
    """A thread of Ana's."""
    return RememoraSession(rememora, session_id=how.pop("id", "t1"), user="ana", tenant="acme", **how)


def user(text: str) -> Any:
    """An item of the person."""
    return {"role": "user", "content": text}


async def test_it_is_a_session(rememora: Rememora) -> None:
    """By the SDK's own protocol."""
    assert isinstance(session_of(rememora), Session)


async def test_a_runner_goes_on_where_it_ended(rememora: Rememora) -> None:
    """The second run sees both sides of the first, and tool calls with their results."""

    @function_tool
    def seats() -> str:
        """Say which seats there are."""
        return "14C"

    model = ScriptedModel(
        [
            [function_call("seats", {}, call_id="c1")],
            [assistant_message("14C is free.")],
            [assistant_message("14C, as I said.")],
        ]
    )
    agent = Agent(name="desk", model=model, tools=[seats])
    await Runner.run(agent, "Which seat is free?", session=session_of(rememora), run_config=QUIET)
    last = await Runner.run(agent, "Which one?", session=session_of(rememora), run_config=QUIET)
    items = await session_of(rememora).get_items()

    assert "14C, as I said." == last.final_output
    kinds = [item.get("type", item.get("role")) for item in items]
    assert ["user", "function_call", "function_call_output", "message", "user", "message"] == kinds
    stored = (await rememora.user("ana", tenant="acme").conversation("t1").messages()).items
    assert ["user", "tool", "tool", "assistant", "user", "assistant"] == [item.role for item in stored]


async def test_the_model_is_told_what_is_remembered(rememora: Rememora) -> None:
    """From another thread, for this call alone: the session does not keep it."""
    first, second = session_of(rememora, id="t1"), session_of(rememora, id="t2")
    model = ScriptedModel([[assistant_message("Noted.")], [assistant_message("Aisle.")]])
    agent = Agent(name="desk", model=model)
    for session, text in ((first, "I prefer aisle seats."), (second, "Which seats do I prefer?")):
        config = RunConfig(tracing_disabled=True, call_model_input_filter=session.add_memory)
        await Runner.run(agent, text, session=session, run_config=config)
    shown = str(model.calls[-1].input)

    assert "aisle seats" in shown
    assert "<memory>" in shown
    assert "<memory>" not in str(await second.get_items())


async def test_a_long_answer_of_a_tool_is_kept_whole(rememora: Rememora) -> None:
    """Longer than what is said beside a message may be; its text is stored once, as the message's own."""
    session = session_of(rememora)
    pages = "A page about seats. " * 10_000
    items: Any = [
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"page": 7}'},
        {"type": "function_call_output", "call_id": "c1", "output": pages},
        user("Which seats? " * 8_000),
    ]
    await session.add_items(items)
    stored = (await rememora.user("ana", tenant="acme").conversation("t1").messages()).items

    assert items == await session.get_items()
    assert ['{"page": 7}', pages] == [item.content for item in stored[:2]]
    assert pages not in str(stored[1].metadata)


async def test_newest_items_in_order(rememora: Rememora) -> None:
    """A limit, given or set for the session, takes the newest, oldest first."""
    session = session_of(rememora)
    await session.add_items([user(f"message number {n}") for n in range(5)])
    limited = session_of(rememora, session_settings=SessionSettings(limit=1))

    assert [user("message number 3"), user("message number 4")] == await session.get_items(2)
    assert [user("message number 4")] == await limited.get_items()
    assert 5 == len(await session.get_items(9))
    assert [] == await session.get_items(0)


async def test_pop_and_clear(rememora: Rememora) -> None:
    """The newest item is taken back and given out; popping goes on from there, and clearing leaves nothing."""
    session = session_of(rememora)
    await session.add_items([user("one is here"), user("two is here")])
    popped = [await session.pop_item(), await session.pop_item(), await session.pop_item()]
    await session.add_items([user("three is here")])

    assert [user("two is here"), user("one is here"), None] == popped
    assert [user("three is here")] == await session.get_items()
    await session.clear_session()
    assert [] == await session.get_items()


async def test_threads_and_people_are_apart(rememora: Rememora) -> None:
    """Another thread, user or tenant sees nothing."""
    await session_of(rememora).add_items([user("one is here")])
    others = [
        session_of(rememora, id="t2"),
        RememoraSession(rememora, session_id="t1", user="bia", tenant="acme"),
        RememoraSession(rememora, session_id="t1", user="ana", tenant="acme2"),
    ]

    assert [[], [], []] == [await other.get_items() for other in others]


async def test_a_cancelled_caller_loses_nothing(rememora: Rememora) -> None:
    """What was begun is stored whole before the cancellation goes on."""
    session = session_of(rememora)
    adding = asyncio.create_task(session.add_items([user(f"message number {n}") for n in range(20)]))
    await asyncio.sleep(0)
    adding.cancel()
    await asyncio.gather(adding, return_exceptions=True)

    assert adding.cancelled()
    assert len(await session.get_items()) in (0, 20)


async def test_what_the_person_asks_of_memory_is_done(rememora: Rememora) -> None:
    """As the message is stored."""
    await session_of(rememora).add_items([user("Remember that I live in Recife.")])
    known = await rememora.user("ana", tenant="acme").memories.list()

    assert ["Recife"] == [memory.value for memory in known.items]
