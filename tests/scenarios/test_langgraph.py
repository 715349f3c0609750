"""LangGraph: the memory nodes alone, and the orchestrator whose agents may fail."""

from __future__ import annotations

import asyncio
import re
import runpy
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from tests.calm import CALM

from rememora import Message, Rememora, Settings
from rememora.errors import InvalidInput
from rememora.integrations.langgraph import (
    AgentCall,
    MemoryState,
    TurnMark,
    build_orchestrator,
    load_memory,
    persist_memory,
    query_of,
)

EXAMPLE = Path(__file__).parents[2] / "examples" / "marketing_orchestrator.py"
WHOSE: Any = {"configurable": {"tenant_id": "acme", "user_id": "ana", "thread_id": "t1"}}


@pytest.fixture
async def memory() -> AsyncIterator[Rememora]:
    settings = Settings.load({"store.url": ":memory:", "recall.embedder": "none", **CALM}, environ={})
    async with Rememora.open(settings=settings, background=False) as opened:
        yield opened


async def history(memory: Rememora) -> list[Message]:
    page = await memory.user("ana", tenant="acme").conversation("t1").messages()
    return list(page.items)


async def echo(call: AgentCall) -> str:
    """Repeats."""
    return call["query"]


async def broken(call: AgentCall) -> str:
    """Fails."""
    raise RuntimeError("no")


class Talk(MessagesState):
    """A graph's own state, of which the nodes know nothing."""

    memory_context: str


class Both(MessagesState):
    """Messages of the host, and the fields by which the nodes tell turns apart."""

    query: str
    asked_id: str
    memory_turn: TurnMark


async def test_the_nodes_serve_a_graph_of_messages(memory: Rememora) -> None:
    """Without fields of ours the messages themselves say what was asked and answered, and each is stored once."""

    async def model(state: Talk) -> dict[str, Any]:
        return {"messages": [AIMessage(f"sei: {'Ana' in state['memory_context']}")]}

    await memory.user("ana", tenant="acme").profile.seed(name="Ana")
    graph = StateGraph(Talk)
    graph.add_node("load_memory", load_memory(memory))
    graph.add_node("model", model)
    graph.add_node("persist_memory", persist_memory(memory))
    for one, other in pairwise([START, "load_memory", "model", "persist_memory", END]):
        graph.add_edge(one, other)
    await graph.compile().ainvoke({"messages": [HumanMessage("Oi!")], "memory_context": ""}, WHOSE)

    assert [("user", "Oi!"), ("assistant", "sei: True")] == [
        (message.role, message.content) for message in await history(memory)
    ]


async def test_an_answer_that_nobody_gave_is_missed(memory: Rememora) -> None:
    """The error names the field."""
    with pytest.raises(InvalidInput, match="synthesized_response"):
        await persist_memory(memory)({"query": "oi"}, WHOSE)


async def test_the_nodes_serve_any_graph(memory: Rememora) -> None:
    """A graph of two memory nodes and one of its own remembers from run to run."""

    async def answer(state: MemoryState) -> dict[str, str]:
        return {"synthesized_response": f"sei: {'Ana' in state['memory_context']}"}

    await memory.user("ana", tenant="acme").profile.seed(name="Ana")
    graph = StateGraph(MemoryState)
    graph.add_node("load_memory", load_memory(memory))
    graph.add_node("answer", answer)
    graph.add_node("persist_memory", persist_memory(memory))
    for one, other in ((START, "load_memory"), ("load_memory", "answer"), ("answer", "persist_memory")):
        graph.add_edge(one, other)
    graph.add_edge("persist_memory", END)
    state = await graph.compile().ainvoke({"query": "Quem sou eu?"}, config=WHOSE)

    assert "sei: True" == state["synthesized_response"]
    assert ["Quem sou eu?", "sei: True"] == [message.content for message in await history(memory)]


async def test_persisting_twice_stores_once(memory: Rememora) -> None:
    """A node that is run again after a fault leaves no second answer."""
    state = MemoryState(query="Oi", synthesized_response="Olá")
    loaded = await load_memory(memory)(state, WHOSE)
    both = cast("MemoryState", {**state, **loaded})
    await persist_memory(memory)(both, WHOSE)
    await persist_memory(memory)(both, WHOSE)

    assert ["Oi", "Olá"] == [message.content for message in await history(memory)]


async def test_persisting_alone_stores_both_sides(memory: Rememora) -> None:
    """Without `load_memory` before it, the node stores the question too."""
    await persist_memory(memory)(MemoryState(query="Oi", synthesized_response="Olá"), WHOSE)

    assert ["user", "assistant"] == [message.role for message in await history(memory)]


@pytest.mark.parametrize("field", ["tenant_id", "user_id", "thread_id"])
async def test_a_run_must_say_whose_memory_it_works_on(memory: Rememora, field: str) -> None:
    """Without all three names nothing is read or written."""
    whose: Any = {"configurable": {**WHOSE["configurable"], field: ""}}
    graph = build_orchestrator(agents={"echo": echo}, memory=memory)

    with pytest.raises(InvalidInput, match=field):
        await graph.ainvoke({"query": "Oi"}, config=whose)


async def test_a_failing_agent_does_not_stop_the_others(memory: Rememora) -> None:
    """Its gap is named, and the rest is answered."""
    graph = build_orchestrator(agents={"broken": broken, "echo": echo}, memory=memory)
    state = await graph.ainvoke({"query": "relatório de vendas"}, config=WHOSE)

    assert ["broken"] == state["failed_agents"]
    assert "echo: relatório de vendas\nSem resposta de: broken" == state["synthesized_response"]
    assert state["synthesized_response"] == (await history(memory))[-1].content


async def test_a_graph_counts_and_heeds_like_a_turn(memory: Rememora) -> None:
    """Mentions are counted in the worker, a bare wish means what the last run was about, and agents are told."""
    heard: list[str] = []

    async def listening(call: AgentCall) -> str:
        """Listens."""
        heard.append(call["memory_context"])
        return "ok"

    graph = build_orchestrator(agents={"listening": listening}, memory=memory)
    for query in ("a campanha Girassol vai bem", "Salva que moro em Recife", "esquece isso"):
        await graph.ainvoke({"query": query}, config=WHOSE)
    await memory.settle()
    ana = memory.user("ana", tenant="acme")

    assert ["campaign.girassol"] == [entity.key for entity in await ana.entities.list(type="campaign")]
    assert () == (await ana.memories.list()).items
    assert re.search(r"Guardei: .*Recife", heard[1])
    assert re.search(r"Esqueci: .+\.", heard[2])


async def test_a_slow_agent_is_given_up(memory: Rememora) -> None:
    """One that never answers counts as failed after its time."""

    async def endless(call: AgentCall) -> str:
        await asyncio.Event().wait()
        return ""

    graph = build_orchestrator(agents={"endless": endless, "echo": echo}, memory=memory, agent_seconds=0.05)
    state = await graph.ainvoke({"query": "oi tudo"}, config=WHOSE)

    assert ["endless"] == state["failed_agents"]


async def test_agents_run_at_once(memory: Rememora) -> None:
    """Two agents that wait for each other both answer."""
    meeting = asyncio.Barrier(2)

    async def one(call: AgentCall) -> str:
        await meeting.wait()
        return "1"

    async def two(call: AgentCall) -> str:
        await meeting.wait()
        return "2"

    graph = build_orchestrator(agents={"one": one, "two": two}, memory=memory, agent_seconds=20)
    state = await graph.ainvoke({"query": "juntos"}, config=WHOSE)

    assert "one: 1\ntwo: 2" == state["synthesized_response"]


async def test_a_checkpointed_thread_starts_every_turn_afresh(memory: Rememora) -> None:
    """Results of one turn do not leak into the next, and the summary of memory does."""
    graph = build_orchestrator(agents={"echo": echo}, memory=memory, checkpointer=InMemorySaver())
    await graph.ainvoke({"query": "primeira", "asked_id": "q1"}, config=WHOSE)
    state = await graph.ainvoke({"query": "segunda", "asked_id": "q2"}, config=WHOSE)

    assert 1 == len(state["agent_results"])
    assert "echo: segunda" == state["synthesized_response"]
    assert "primeira" in state["memory_context"]


@pytest.fixture(params=["memory", "sqlite"])
async def saver(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    if request.param == "memory":
        yield InMemorySaver()
        return
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.db")) as opened:
        yield opened


async def test_a_checkpointed_thread_takes_a_second_query(memory: Rememora, saver: Any) -> None:
    """Each `ainvoke` is a turn of its own, also with the same words as the turn before."""
    graph = build_orchestrator(agents={"echo": echo}, memory=memory, checkpointer=saver)
    for query in ("primeira", "segunda", "segunda"):
        await graph.ainvoke({"query": query}, config=WHOSE)

    assert ["primeira", "segunda", "segunda"] == [
        message.content for message in await history(memory) if message.role == "user"
    ]
    assert 6 == len(await history(memory))


async def test_a_turn_that_broke_off_does_not_block_the_thread(memory: Rememora, saver: Any) -> None:
    """After a turn without an answer the thread takes another query, and the same query again is stored once."""
    failing = True

    async def write(state: MemoryState) -> str:
        if failing:
            raise RuntimeError("no")
        return "ok"

    graph = build_orchestrator(agents={"echo": echo}, memory=memory, checkpointer=saver, synthesize=write)
    for query in ("primeira", "segunda"):
        with pytest.raises(RuntimeError):
            await graph.ainvoke({"query": query}, config=WHOSE)
    failing = False
    await graph.ainvoke({"query": "segunda"}, config=WHOSE)

    assert ["primeira", "segunda", "ok"] == [message.content for message in await history(memory)]


async def test_a_checkpointed_graph_of_messages_answers_the_newest(memory: Rememora, saver: Any) -> None:
    """The query that a checkpoint kept gives way to what the person said since; system messages do not pile up."""

    async def model(state: Both) -> dict[str, Any]:
        return {"messages": [AIMessage(f"re: {state['query']}")]}

    graph = StateGraph(Both)
    graph.add_node("load_memory", load_memory(memory, into_messages=True))
    graph.add_node("model", model)
    graph.add_node("persist_memory", persist_memory(memory))
    for one, other in pairwise([START, "load_memory", "model", "persist_memory", END]):
        graph.add_edge(one, other)
    compiled: Any = graph.compile(checkpointer=saver)
    await memory.user("ana", tenant="acme").profile.seed(name="Ana")
    for text in ("Oi!", "Tudo bem?"):
        state = await compiled.ainvoke({"messages": [HumanMessage(text)]}, WHOSE)

    assert ["Oi!", "re: Oi!", "Tudo bem?", "re: Tudo bem?"] == [item.content for item in await history(memory)]
    system = [message for message in state["messages"] if message.type == "system"]
    assert 1 == len(system)
    assert "Ana" in system[0].content


async def test_what_is_retrieved_is_a_list_and_entities_have_their_figures(memory: Rememora) -> None:
    """Each retrieved thing says what it is and where it is from; entities have type, confidence and count."""
    ana = memory.user("ana", tenant="acme")
    await ana.profile.seed(name="Ana")
    for _ in range(2):
        await ana.entities.mention("campaign", "campaign.girassol", "Girassol", confidence=0.9)
    loaded = await load_memory(memory)(MemoryState(query="Quem sou eu?"), WHOSE)

    name = next(item for item in loaded["retrieved_context"] if item["key"] == "user.name")
    assert ("Ana", "memory", "profile") == (name["content"], name["source"], name["section"])
    assert [
        {"type": "campaign", "key": "campaign.girassol", "value": "Girassol", "confidence": 0.9, "count": 2}
    ] == loaded["user_entities"]
    assert "Ana" in loaded["memory_messages"][0].content


async def test_plan_and_synthesis_can_be_given(memory: Rememora) -> None:
    """A host's own planner and writer take the place of the default ones; unknown names are not dispatched."""

    async def write(state: MemoryState) -> str:
        return str(len(state["agent_results"]))

    graph = build_orchestrator(
        agents={"echo": echo, "broken": broken},
        memory=memory,
        plan=lambda state: ["echo", "nobody"],
        synthesize=write,
    )
    state = await graph.ainvoke({"query": "oi"}, config=WHOSE)

    assert (["echo"], "1") == (state["plan"], state["synthesized_response"])


async def test_no_agents_is_a_mistake(memory: Rememora) -> None:
    """The error names the field."""
    with pytest.raises(InvalidInput, match="agents"):
        build_orchestrator(agents={}, memory=memory)


@pytest.mark.parametrize(
    "state",
    [
        {"query": "oi"},
        {"messages": [{"role": "user", "content": "oi"}, {"role": "assistant", "content": "olá"}]},
    ],
)
def test_the_query_is_the_last_thing_a_person_said(state: dict[str, Any]) -> None:
    """As a field, or as the last message of a person."""
    assert "oi" == query_of(state)


def test_the_example_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Six agents, one of them down, and a second question that goes to the right one."""
    monkeypatch.setenv("REMEMORA_CONTEXT_DEADLINE_MS", "20000")
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out

    assert "Sem resposta de: competitors" in shown
    assert "plan: budget\n" in shown
    assert "tenant.name: Acme" in shown
