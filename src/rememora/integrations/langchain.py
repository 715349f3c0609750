"""Memory for LangChain agents: a middleware for `create_agent`, and tools that an agent calls itself.

Whose memory it is comes with the run: `context` or `config["configurable"]` with tenant_id, user_id and thread_id.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from rememora.app import Rememora
from rememora.errors import InvalidInput, MissingExtra, Unavailable
from rememora.handles.conversation import Conversation
from rememora.handles.user import UserMemory
from rememora.integrations import verbs
from rememora.integrations.bridge import Bridge
from rememora.integrations.turns import OpenTurn, begin_turn, keep_answer, load_turn
from rememora.sync import SyncRememora

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.config import get_config
    from langgraph.runtime import Runtime
    from pydantic_core import to_json
except ImportError:
    raise MissingExtra("langchain") from None

logger = logging.getLogger(__name__)
T = TypeVar("T")
SCOPE = ("tenant_id", "user_id", "thread_id")
AGENT = "agent_id"
"""Where a run has it, the memory is the one that this agent keeps of the user."""
Place = Literal["user", "system"]
Handler = Callable[[ModelRequest[Any]], ModelResponse[Any]]
AsyncHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]


class MemoryAgentState(AgentState[Any]):
    """State of memory in one turn of an agent; no part of its input or output."""

    memory_context: NotRequired[Annotated[str, PrivateStateAttr]]
    memory_asked: NotRequired[Annotated[str, PrivateStateAttr]]
    memory_used: NotRequired[Annotated[list[str], PrivateStateAttr]]


class MemoryMiddleware(AgentMiddleware[MemoryAgentState, Any, Any]):
    """Gives the model its memory, and stores each turn once.

    Before the agent runs, the person's message is stored, its requests to memory are carried out, and the context
    is built, once per turn however often the model is called. It reaches the model as a message before the
    person's (`user`, the least privilege) or in the system message, and never stays in the agent's state. After
    the agent has run, its answer is stored. A memory that cannot be reached is logged, and the agent answers
    without it.
    """

    state_schema = MemoryAgentState

    def __init__(
        self, memory: Rememora | SyncRememora, *, budget: int | None = None, placement: Place = "user"
    ) -> None:
        super().__init__()
        self._bridge = Bridge(memory)
        self._budget, self._placement = budget, placement
        self.tools = []

    def before_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Store what the person said, and load what is remembered."""
        return self._bridge.run(_if_there(self._load(state, _conversation(self._bridge.memory, runtime))))

    async def abefore_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Store what the person said, and load what is remembered."""
        return await self._bridge.call(_if_there(self._load(state, _conversation(self._bridge.memory, runtime))))

    def wrap_model_call(self, request: ModelRequest[Any], handler: Handler) -> ModelResponse[Any]:
        """Add memory to the request, for this call alone."""
        return handler(self._told(request))

    async def awrap_model_call(self, request: ModelRequest[Any], handler: AsyncHandler) -> ModelResponse[Any]:
        """Add memory to the request, for this call alone."""
        return await handler(self._told(request))

    def after_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> None:
        """Store the answer, once per turn."""
        self._bridge.run(_if_there(self._keep(state, _conversation(self._bridge.memory, runtime))))

    async def aafter_agent(self, state: MemoryAgentState, runtime: Runtime[Any]) -> None:
        """Store the answer, once per turn."""
        await self._bridge.call(_if_there(self._keep(state, _conversation(self._bridge.memory, runtime))))

    async def _load(self, state: MemoryAgentState, chat: Conversation) -> dict[str, Any]:
        messages = state["messages"]
        question = _last(messages, HumanMessage)
        if question is None:
            return {"memory_context": "", "memory_asked": "", "memory_used": []}
        known = [message.text for message in messages]
        if question is messages[_newest(messages)]:
            said = await chat.append("user", question.text, id=question.id)
            turn = await begin_turn(chat, said, known=known, budget=self._budget)
        else:
            # The newest message is a picture or a file: there is memory for it, and nothing to store.
            turn = await load_turn(chat, question.text, known=known, budget=self._budget)
        return {"memory_context": turn.text, "memory_asked": turn.asked or "", "memory_used": list(turn.used)}

    async def _keep(self, state: MemoryAgentState, chat: Conversation) -> None:
        turn = OpenTurn(asked=state.get("memory_asked"), used=tuple(state.get("memory_used") or ()))
        # Only of this turn: an agent that ends without a word must not be given its answer to another question.
        answer = _last(state["messages"][_newest(state["messages"]) + 1 :], AIMessage)
        structured = state.get("structured_response")
        data = "" if structured is None else to_json(structured, fallback=str).decode()
        await keep_answer(chat, turn, data if answer is None else answer.text)

    def _told(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        text = request.state.get("memory_context")
        if not isinstance(text, str) or not text:
            return request
        if self._placement == "system":
            before = "" if request.system_message is None else request.system_message.text
            return request.override(system_message=SystemMessage(content=f"{before}\n\n{text}".strip()))
        # Right before the person's newest message: what a model reads last, it weighs most.
        place = max(_newest(request.messages), 0)
        messages = [*request.messages[:place], HumanMessage(content=text), *request.messages[place:]]
        return request.override(messages=messages)


def memory_tools(memory: Rememora | SyncRememora) -> list[BaseTool]:
    """Return the tools search_memory, save_memory, correct_memory and forget_memory for an agent."""
    bridge = Bridge(memory)

    async def search_memory(query: str, config: RunnableConfig, limit: int = 5) -> list[dict[str, Any]]:
        return await verbs.search(_person(bridge, config), query, limit)

    async def save_memory(text: str, config: RunnableConfig, said_by: verbs.Speaker = "user") -> dict[str, Any]:
        return await verbs.save(_person(bridge, config), text, said_by)

    async def correct_memory(memory: str, value: str, config: RunnableConfig) -> dict[str, Any]:
        return await verbs.correct(_person(bridge, config), memory, value)

    async def forget_memory(memory: str, config: RunnableConfig) -> dict[str, Any]:
        return await verbs.forget(_person(bridge, config), memory)

    return [
        _tool(bridge, search_memory, verbs.SEARCH),
        _tool(bridge, save_memory, verbs.SAVE),
        _tool(bridge, correct_memory, verbs.CORRECT),
        _tool(bridge, forget_memory, verbs.FORGET),
    ]


def _tool(bridge: Bridge, verb: Callable[..., Coroutine[Any, Any, Any]], about: str) -> BaseTool:
    """Return a verb as a tool that agents call with `await` and without it."""

    @wraps(verb)
    def plain(*args: Any, **how: Any) -> Any:
        return bridge.run(verb(*args, **how))

    @wraps(verb)
    async def awaited(*args: Any, **how: Any) -> Any:
        return await bridge.call(verb(*args, **how))

    return StructuredTool.from_function(func=plain, coroutine=awaited, name=verb.__name__, description=about)


def _person(bridge: Bridge, config: RunnableConfig) -> UserMemory:
    return _user(bridge.memory, config.get("configurable") or {}, SCOPE[:2])


def _conversation(memory: Rememora, runtime: Runtime[Any]) -> Conversation:
    context = runtime.context
    names = (*SCOPE, AGENT)
    direct = context if isinstance(context, Mapping) else {name: getattr(context, name, None) for name in names}
    configured = get_config().get("configurable") or {}
    given = {**configured, **{name: value for name, value in direct.items() if value}}
    return _user(memory, given, SCOPE).conversation(given["thread_id"])


def _user(memory: Rememora, given: Mapping[str, Any], fields: tuple[str, ...]) -> UserMemory:
    """Return whose memory a run works on; without every name nothing is read."""
    for field in fields:
        if not isinstance(given.get(field), str) or not given[field]:
            raise InvalidInput(field, "is missing: a run must say whose memory it works on")
    return memory.user(given["user_id"], tenant=given["tenant_id"], agent=given.get(AGENT) or None)


def _newest(messages: Sequence[AnyMessage]) -> int:
    """Return the place of the person's newest message; -1 where there is none."""
    return max((place for place, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)


def _last(messages: list[AnyMessage], kind: type[AnyMessage]) -> Any:
    """Return the newest message of one kind that says something."""
    return next(
        (message for message in reversed(messages) if isinstance(message, kind) and message.text.strip()), None
    )


async def _if_there(work: Coroutine[Any, Any, T]) -> T | None:
    """Await what memory does; where it cannot be reached or hold a text, the agent goes on without it."""
    try:
        return await work
    except (Unavailable, InvalidInput) as error:
        logger.warning("memory is unavailable for this turn: %s", error.code)
        return None
