"""LangChain agents with memory: real agents of `create_agent`, with a model that is scripted."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field

from rememora import Rememora, Settings, SyncRememora, UserMemory
from rememora.errors import InvalidInput, StoreUnavailable
from rememora.integrations.langchain import MemoryMiddleware, memory_tools

RUN: Any = {"configurable": {"tenant_id": "acme", "user_id": "ana", "thread_id": "t1"}}


class Scripted(GenericFakeChatModel):
    """A model that says what it is told to say, and remembers what it was shown."""

    shown: list[list[BaseMessage]] = Field(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.shown.append(messages)
        return super()._generate(messages, *args, **kwargs)

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """Tools are called by the script."""
        return self


def saying(*answers: str | AIMessage) -> Scripted:
    """A model with these answers."""
    return Scripted(
        messages=iter([AIMessage(answer) if isinstance(answer, str) else answer for answer in answers]), shown=[]
    )


def calling(tool: str, **arguments: Any) -> AIMessage:
    """An answer that calls a tool."""
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": f"call-{tool}", "type": "tool_call"}])


async def said(ana: UserMemory, thread: str = "t1") -> list[tuple[str, str]]:
    """What is stored of a conversation."""
    return [(message.role, message.content) for message in (await ana.conversation(thread).messages()).items]


async def test_a_turn_is_told_and_kept_once(rememora: Rememora, ana: UserMemory) -> None:
    """The model is shown memory before the question; state has none of it; both sides are stored once."""
    model = saying("Noted.", "Aisle.")
    agent = create_agent(model, middleware=[MemoryMiddleware(rememora)])
    await agent.ainvoke({"messages": [HumanMessage("I prefer aisle seats.")]}, RUN)
    state = await agent.ainvoke({"messages": [HumanMessage("Which seats do I prefer?")]}, RUN)
    *before, question = model.shown[-1]

    assert "aisle seats" in before[-1].text
    assert "<memory>" in before[-1].text
    assert "Which seats do I prefer?" == question.text
    assert ["Which seats do I prefer?", "Aisle."] == [message.text for message in state["messages"]]
    assert {"messages"} == set(state)
    assert 4 == len(await said(ana))


async def test_once_per_turn_however_often_the_model_is_called(rememora: Rememora, ana: UserMemory) -> None:
    """A turn with a tool call is one question and one answer in history, and memory is shown at each call."""
    await ana.remember("prefs.seat", "aisle seats")
    model = saying(calling("search_memory", query="seats"), "Aisle.")
    agent = create_agent(model, tools=memory_tools(rememora), middleware=[MemoryMiddleware(rememora)])
    await agent.ainvoke({"messages": [HumanMessage("Which seats?")]}, RUN)

    assert [("user", "Which seats?"), ("assistant", "Aisle.")] == await said(ana)
    assert ["aisle seats" in str(shown) for shown in model.shown] == [True, True]


async def test_a_thread_with_a_checkpointer(rememora: Rememora, ana: UserMemory) -> None:
    """What the state holds is not told twice, and a message is not stored again with the next turn."""
    model = saying("Hello Ana.", "Ana.")
    agent = create_agent(model, middleware=[MemoryMiddleware(rememora)], checkpointer=InMemorySaver())
    await agent.ainvoke({"messages": [HumanMessage("My name is Ana Prado.")]}, RUN)
    await agent.ainvoke({"messages": [HumanMessage("Who am I?")]}, RUN)

    assert ["My name is Ana Prado.", "Hello Ana.", "Who am I?", "Ana."] == [text for _, text in await said(ana)]
    assert 1 == str(model.shown[-1]).count("My name is Ana Prado.")


class Seat(BaseModel):
    """Structured answer of an agent, in place of words."""

    row: int


async def test_a_silent_answer_is_not_the_one_before(rememora: Rememora, ana: UserMemory) -> None:
    """An agent that answers with data gives no words of an earlier turn as its answer; the data is stored."""
    model = saying("Hello.", calling("Seat", row=14))
    plain = create_agent(model, middleware=[MemoryMiddleware(rememora)], checkpointer=(saver := InMemorySaver()))
    shaped = create_agent(
        model, middleware=[MemoryMiddleware(rememora)], checkpointer=saver, response_format=ToolStrategy(Seat)
    )
    await plain.ainvoke({"messages": [HumanMessage("Hi, who are you?")]}, RUN)
    state = await shaped.ainvoke({"messages": [HumanMessage("Which seat is free?")]}, RUN)

    assert Seat(row=14) == state["structured_response"]
    assert ["Hi, who are you?", "Hello.", "Which seat is free?", '{"row":14}'] == [
        text for _, text in await said(ana)
    ]


async def test_a_picture_alone_is_no_second_question(rememora: Rememora, ana: UserMemory) -> None:
    """The agent answers it with memory; the question before it is neither stored nor answered again."""
    await ana.remember("prefs.seat", "aisle seats")
    model = saying("Aisle.", "A boarding pass.")
    agent = create_agent(model, middleware=[MemoryMiddleware(rememora)], checkpointer=InMemorySaver())
    picture: Any = {"type": "image", "base64": "AAAA", "mime_type": "image/png"}
    await agent.ainvoke({"messages": [HumanMessage("Which seats do I prefer?")]}, RUN)
    state = await agent.ainvoke({"messages": [HumanMessage(content_blocks=[picture])]}, RUN)

    assert "A boarding pass." == state["messages"][-1].text
    assert "aisle seats" in str(model.shown[-1])
    assert ["Which seats do I prefer?", "Aisle."] == [text for _, text in await said(ana)]


async def test_a_text_that_cannot_be_kept_is_answered(rememora: Rememora, ana: UserMemory) -> None:
    """The agent goes on without memory."""
    agent = create_agent(saying("Long."), middleware=[MemoryMiddleware(rememora)])
    state = await agent.ainvoke({"messages": [HumanMessage("with \x00 in it")]}, RUN)

    assert "Long." == state["messages"][-1].text
    assert [] == await said(ana)


async def test_memory_in_the_system_message(rememora: Rememora, ana: UserMemory) -> None:
    """Where the host wants it there, behind its own words."""
    await ana.remember("prefs.seat", "aisle seats")
    model = saying("Aisle.")
    middleware = MemoryMiddleware(rememora, placement="system")
    agent = create_agent(model, system_prompt="Be brief.", middleware=[middleware])
    await agent.ainvoke({"messages": [HumanMessage("Which seats?")]}, RUN)
    first = model.shown[0][0]

    assert isinstance(first, SystemMessage)
    assert first.text.startswith("Be brief.")
    assert "aisle seats" in first.text


async def test_whose_memory_may_come_with_the_context(rememora: Rememora) -> None:
    """The context of a run goes before its configuration; without names nothing is read or stored."""
    agent = create_agent(saying("Ok.", "Ok."), middleware=[MemoryMiddleware(rememora)], context_schema=dict)
    whose = {"tenant_id": "acme", "user_id": "bia", "thread_id": "t9"}
    await agent.ainvoke({"messages": [HumanMessage("I prefer tea.")]}, RUN, context=whose)

    assert 2 == len(await said(rememora.user("bia", tenant="acme"), "t9"))
    with pytest.raises(InvalidInput, match="tenant_id"):
        await agent.ainvoke({"messages": [HumanMessage("I prefer tea.")]})


async def test_an_agent_answers_without_a_memory_that_is_down(
    rememora: Rememora, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and the turn goes on."""
    agent = create_agent(saying("Ok."), middleware=[MemoryMiddleware(rememora)])

    async def fail(*_: Any, **__: Any) -> None:
        raise StoreUnavailable

    monkeypatch.setattr("rememora.handles.conversation.Conversation.append", fail)
    state = await agent.ainvoke({"messages": [HumanMessage("Hello")]}, RUN)

    assert "Ok." == state["messages"][-1].text
    assert "store_unavailable" in caplog.text


async def test_tools_under_the_gate(rememora: Rememora, ana: UserMemory) -> None:
    """An agent saves, finds, corrects and forgets; what the gate refuses or asks is told to it."""
    search, save, correct, forget = memory_tools(rememora)
    kept = await save.ainvoke({"text": "I prefer aisle seats."}, RUN)
    refused = await save.ainvoke({"text": "ok, thanks"}, RUN)
    result = await save.ainvoke({"text": "I prefer tea.", "said_by": "tool"}, RUN)
    id = kept["memories"][0]["id"]
    results = await search.ainvoke({"query": "seats"}, RUN)
    changed = await correct.ainvoke({"memory": id, "value": "window seats"}, RUN)
    gone = await forget.ainvoke({"memory": changed["memories"][0]["id"]}, RUN)
    missing = await forget.ainvoke({"memory": "user.nothing"}, RUN)

    outcomes = [item["outcome"] for item in (kept, refused, result, changed, gone, missing)]
    assert ["kept", "refused", "asked", "changed", "forgotten", "not_found"] == outcomes
    assert id in [item["id"] for item in results]
    assert () == (await ana.memories.list()).items
    assert all("config" not in tool.args for tool in (search, save, correct, forget))


def test_the_same_without_await(settings: Settings) -> None:
    """An agent that is invoked plainly, over SyncRememora."""
    with SyncRememora.open(settings=settings, background=False) as memory:
        model = saying(calling("save_memory", text="I prefer aisle seats."), "Noted.", "Aisle.")
        agent = create_agent(model, tools=memory_tools(memory), middleware=[MemoryMiddleware(memory)])
        agent.invoke({"messages": [HumanMessage("Please note my seats.")]}, RUN)
        agent.invoke({"messages": [HumanMessage("Which seats do I prefer?")]}, RUN)
        stored = memory.user("ana", tenant="acme").conversation("t1").messages().items

    assert 4 == len(stored)
    assert "aisle seats" in str(model.shown[-1])
