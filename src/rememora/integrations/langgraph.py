"""Memory in LangGraph: two nodes for any graph, and an orchestrator of agents that remembers.

    load_memory → parse_request → plan_execution → dispatch_agents ⇉ agents → collect_results → synthesize
    → persist_memory

Whose memory it is comes with the run: `config={"configurable": {"tenant_id": …, "user_id": …, "thread_id": …}}`;
with `agent_id` in it, it is the memory that this agent keeps of the user.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypedDict

from rememora.app import Rememora
from rememora.context.render import markdown
from rememora.domain.context import ContextPack, MemoryAction
from rememora.domain.ids import new_id
from rememora.errors import InvalidInput, MissingExtra
from rememora.handles.conversation import Conversation
from rememora.integrations.remembered import KnownEntity, Retrieved, remembered
from rememora.integrations.turns import store_answer
from rememora.language import detect, tokens
from rememora.language.packs import CODES, replies_of

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph

logger = logging.getLogger(__name__)

AGENT_SECONDS = 60.0
SCOPE_FIELDS = ("tenant_id", "user_id", "thread_id")
MEMORY_MESSAGE = "rememora-memory"
_PERSON, _ASSISTANT = frozenset(("user", "human")), frozenset(("assistant", "ai"))


class TurnMark(TypedDict):
    """The turn that a checkpoint belongs to, so that the next one is distinguished from a repeat of it."""

    asked_id: str
    query: str
    said: list[str | None]
    done: bool


class AgentCall(TypedDict):
    """Input of an agent: the request, and what is remembered that bears on it."""

    agent: str
    query: str
    language: str
    conversation_summary: str
    retrieved_context: list[Retrieved]
    memory_context: str
    user_entities: list[KnownEntity]


class AgentResult(TypedDict):
    """Result of an agent, or the kind of error it failed with."""

    agent: str
    result: Any
    error: str | None


Agent = Callable[[AgentCall], Awaitable[Any] | Any]
"""Async, or plain; its docstring says what it is good for, and the default plan goes by it."""


def _gathered(before: list[AgentResult] | None, new: list[AgentResult] | None) -> list[AgentResult]:
    """Results of agents that run at once are put together; None begins a new turn."""
    return [] if new is None else [*(before or []), *new]


class MemoryState(TypedDict, total=False):
    """The fields that the nodes read and write; a graph of your own may add any."""

    query: str
    asked_id: str
    memory_turn: TurnMark
    language: str
    conversation_summary: str
    retrieved_context: list[Retrieved]
    memory_context: str
    memory_messages: list[Any]
    user_entities: list[KnownEntity]
    used_memories: list[str]
    changed_memories: list[str]
    plan: list[str]
    agent_results: Annotated[list[AgentResult], _gathered]
    failed_agents: list[str]
    synthesized_response: str


Planner = Callable[[MemoryState], Awaitable[Sequence[str]] | Sequence[str]]
Synthesizer = Callable[[MemoryState], Awaitable[str] | str]
Update = dict[str, Any]


class Node(Protocol):
    """A node that works on somebody's memory."""

    async def __call__(self, state: MemoryState, config: RunnableConfig) -> Update: ...


class StateNode(Protocol):
    """A node that works on the state alone."""

    async def __call__(self, state: MemoryState) -> Update: ...


class AgentNode(Protocol):
    """A node that runs one agent."""

    async def __call__(self, state: AgentCall) -> Update: ...


def load_memory(
    memory: Rememora, *, budget: int | None = None, record: bool = True, into_messages: bool = False
) -> Node:
    """Make a node that loads what is remembered for the query; with `record` it stores the query first.

    `memory_messages` holds the memory as LangChain system messages; with `into_messages` they also go into the
    graph's `messages`, under a fixed id, so that each turn replaces those of the turn before.
    """

    async def load_memory(state: MemoryState, config: RunnableConfig) -> Update:
        chat = _scoped(memory, config)
        query = query_of(state)
        update: dict[str, Any] = {"query": query, "language": detect(query)}
        deeds: list[MemoryAction] = []
        if record:
            # Stored before the context is built: what the message asks of memory is done, and counts in this very
            # turn.
            message = await chat.append("user", query, id=_new_asked_id(state, query))
            deeds = await chat.act_on(message)
            update |= {"asked_id": message.id, "changed_memories": [id for deed in deeds for id in deed.memories]}
            said = list(_last(state, _PERSON))
            update["memory_turn"] = TurnMark(asked_id=message.id, query=_plain(query), said=said, done=False)
        pack = await chat.context(query, budget=budget, deeds=deeds)
        messages = _system_messages(pack)
        return {
            **update,
            **remembered(pack),
            "memory_messages": messages,
            **({"messages": messages} if into_messages else {}),
        }

    return load_memory


def persist_memory(memory: Rememora) -> Node:
    """Make a node that stores the answer, and the query where `load_memory` has not; run twice it stores once."""

    async def persist_memory(state: MemoryState, config: RunnableConfig) -> Update:
        chat = _scoped(memory, config)
        asked_id = _asked_id(state)
        if state.get("asked_id") is None:
            await chat.append("user", query_of(state), id=asked_id)
        used, changed = state.get("used_memories", []), state.get("changed_memories", [])
        await store_answer(chat, asked_id, answer_of(state), used=used, changed=changed)
        mark = state.get("memory_turn")
        return {"memory_turn": {**mark, "done": True}} if mark else {}

    return persist_memory


def _system_messages(pack: ContextPack) -> list[Any]:
    """The memory as one system message with its fence; none where there is nothing to tell."""
    text = markdown(pack)
    if not text:
        return []
    try:
        from langchain_core.messages import SystemMessage
    except ImportError:
        raise MissingExtra("langgraph") from None
    return [SystemMessage(content=text, id=MEMORY_MESSAGE)]


def build_orchestrator(
    *,
    agents: Mapping[str, Agent],
    memory: Rememora,
    plan: Planner | None = None,
    synthesize: Synthesizer | None = None,
    agent_seconds: float = AGENT_SECONDS,
    checkpointer: Any = None,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A graph that remembers, asks the agents it needs in parallel, and survives those that fail."""
    if not agents:
        raise InvalidInput("agents", "must name at least one agent")
    try:
        from langgraph.graph import END, START, StateGraph
        from langgraph.types import Send
    except ImportError:
        raise MissingExtra("langgraph") from None
    graph = StateGraph(MemoryState)
    graph.add_node("load_memory", load_memory(memory))
    graph.add_node("parse_request", _parse_request)
    graph.add_node("plan_execution", _planning(plan or by_purpose(agents), agents))
    graph.add_node("dispatch_agents", _dispatch_agents)
    for name, agent in agents.items():
        graph.add_node(name, _running(name, agent, agent_seconds))
        graph.add_edge(name, "collect_results")
    graph.add_node("collect_results", _collect_results)
    graph.add_node("synthesize", _synthesizing(synthesize or together))
    graph.add_node("persist_memory", persist_memory(memory))
    graph.add_conditional_edges(
        "dispatch_agents", lambda state: [Send(name, call_of(name, state)) for name in state["plan"]], list(agents)
    )
    # Agents run between these two paths, all at once; the last of them to end starts the second path.
    steps = [START, "load_memory", "parse_request", "plan_execution", "dispatch_agents"]
    ends = ["collect_results", "synthesize", "persist_memory", END]
    for path in (steps, ends):
        for one, next_one in pairwise(path):
            graph.add_edge(one, next_one)
    return graph.compile(checkpointer=checkpointer)


def query_of(state: Mapping[str, Any]) -> str:
    """Find the question: the field `query`, or a person's last message; a query of the turn before is neither."""
    said = _last(state, _PERSON)
    query = state.get("query") or said[0]
    mark = state.get("memory_turn")
    if mark and said[0] and _plain(str(query)) == mark["query"] and list(said) != mark["said"]:
        query = said[0]
    if not query:
        raise InvalidInput("query", "is missing: give `query`, or `messages` with one of a person")
    return str(query)


def answer_of(state: Mapping[str, Any]) -> str:
    """Return the answer: the field `synthesized_response`, or the last message of the assistant."""
    answer = state.get("synthesized_response") or _last(state, _ASSISTANT)[0]
    if not answer:
        raise InvalidInput("synthesized_response", "is missing: give it, or `messages` with one of the assistant")
    return str(answer)


def _asked_id(state: Mapping[str, Any]) -> str:
    """The same for the same question, where the graph says which it is: a node may run twice."""
    return str(state.get("asked_id") or _last(state, _PERSON)[1] or new_id())


def _new_asked_id(state: Mapping[str, Any], query: str) -> str:
    """The id of this turn's question; one that a checkpoint kept from an earlier turn is not it."""
    mark, asked_id = state.get("memory_turn"), state.get("asked_id")
    if mark and asked_id == mark["asked_id"] and (mark["done"] or mark["query"] != _plain(query)):
        text, said_id = _last(state, _PERSON)
        new = said_id if [text, said_id] != mark["said"] else None
        return new or new_id()
    return _asked_id(state)


def _plain(query: str) -> str:
    return " ".join(query.split())


def _last(state: Mapping[str, Any], roles: frozenset[str]) -> tuple[str, str | None]:
    """The last text that somebody of these roles said, and its id."""
    for message in reversed(state.get("messages") or []):
        fields = message if isinstance(message, Mapping) else vars(message)
        role, content = fields.get("role") or fields.get("type"), fields.get("content")
        if role in roles and isinstance(content, str) and content.strip():
            return content, fields.get("id")
    return "", None


def by_purpose(agents: Mapping[str, Agent]) -> Planner:
    """The default plan: the agents whose name or purpose shares a word with the request, or else all of them."""

    def plan(state: MemoryState) -> list[str]:
        words = set(tokens(state["query"]))
        fitting = [name for name, agent in agents.items() if words & _purpose(name, agent)]
        return fitting or list(agents)

    return plan


def together(state: MemoryState) -> str:
    """The default synthesis: what each agent found, in the order of the plan."""
    lines = [
        f"{result['agent']}: {result['result']}" for result in state["agent_results"] if result["error"] is None
    ]
    failed = state.get("failed_agents") or []
    missing = replies_of(state.get("language", "pt")).told.no_answer
    return "\n".join(lines + ([missing + ", ".join(failed)] if failed else []))


def call_of(name: str, state: MemoryState) -> AgentCall:
    """Return the part of the state that one agent is given."""
    return AgentCall(
        agent=name,
        query=state["query"],
        language=state.get("language", "pt"),
        conversation_summary=state.get("conversation_summary", ""),
        retrieved_context=state.get("retrieved_context", []),
        memory_context=state.get("memory_context", ""),
        user_entities=state.get("user_entities", []),
    )


def _scoped(memory: Rememora, config: RunnableConfig) -> Conversation:
    """Return the conversation that a run works on; without all three names nothing is read.

    `agent_id`, where a run has one, means that agent's own memory of the user.
    """
    given = config.get("configurable") or {}
    for field in SCOPE_FIELDS:
        if not isinstance(given.get(field), str) or not given[field]:
            raise InvalidInput(f"configurable.{field}", "is missing: a run must say whose memory it works on")
    person = memory.user(given["user_id"], tenant=given["tenant_id"], agent=given.get("agent_id") or None)
    return person.conversation(given["thread_id"])


def _purpose(name: str, agent: Agent) -> set[str]:
    words = f"{name.replace('_', ' ')} {inspect.getdoc(agent) or ''}"
    return {token for code in CODES for token in tokens(words, code)}


async def _parse_request(state: MemoryState) -> Update:
    return {"query": _plain(state["query"]), "agent_results": None, "failed_agents": []}


def _planning(plan: Planner, agents: Mapping[str, Agent]) -> StateNode:
    async def plan_execution(state: MemoryState) -> Update:
        chosen = plan(state)
        names = await chosen if inspect.isawaitable(chosen) else chosen
        known = [name for name in dict.fromkeys(names) if name in agents]
        return {"plan": known or list(agents)}

    return plan_execution


async def _dispatch_agents(state: MemoryState) -> Update:
    """Here the graph fans out: the plan says to whom."""
    return {"plan": state["plan"]}


def _running(name: str, agent: Agent, seconds: float) -> AgentNode:
    async def run(state: AgentCall) -> Update:
        try:
            async with asyncio.timeout(seconds):
                result = agent(state) if inspect.iscoroutinefunction(agent) else asyncio.to_thread(agent, state)
                return {"agent_results": [AgentResult(agent=name, result=await result, error=None)]}
        except Exception as error:
            # One agent's failure is a gap in the answer, not the end of the others.
            logger.warning("agent %s failed: %s", name, type(error).__name__)
            return {"agent_results": [AgentResult(agent=name, result=None, error=type(error).__name__)]}

    return run


async def _collect_results(state: MemoryState) -> Update:
    return {
        "failed_agents": [
            agent_result["agent"] for agent_result in _in_order(state) if agent_result["error"] is not None
        ]
    }


def _in_order(state: MemoryState) -> list[AgentResult]:
    """Return the results in the order of the plan."""
    order = {name: place for place, name in enumerate(state["plan"])}
    return sorted(state["agent_results"], key=lambda result: order[result["agent"]])


def _synthesizing(synthesize: Synthesizer) -> StateNode:
    async def write(state: MemoryState) -> Update:
        made = synthesize({**state, "agent_results": _in_order(state)})
        return {"synthesized_response": await made if inspect.isawaitable(made) else made}

    return write
