"""Memory for Pydantic-AI agents: a capability that adds memory and stores turns, and tools for the agent."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rememora.app import Rememora
from rememora.errors import InvalidInput, MissingExtra, Unavailable
from rememora.handles.conversation import Conversation
from rememora.handles.user import UserMemory
from rememora.integrations import verbs
from rememora.integrations.turns import OpenTurn, begin_turn, keep_answer

try:
    from pydantic_ai import DeferredToolRequests, FunctionToolset, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
    from pydantic_core import to_json
except ImportError:
    raise MissingExtra("pydantic-ai") from None

logger = logging.getLogger(__name__)
THREAD = "pydantic-ai"
Name = str | Callable[[RunContext[Any]], str]


@dataclass
class RememoraMemory(AbstractCapability[Any]):
    """Gives the model its memory, and stores each run once: `Agent(…, capabilities=[RememoraMemory(…)])`.

    `user` and `conversation` may be functions of the run, as in `lambda ctx: ctx.deps.user`; without one the
    conversation is the run's own. Memory is a message before the person's, for the model alone: the run's
    messages do not hold it. A memory that cannot be reached is logged, and the agent answers without it.
    """

    memory: Rememora
    tenant: str = field(kw_only=True)
    user: Name = field(kw_only=True)
    conversation: Name | None = field(default=None, kw_only=True)
    budget: int | None = field(default=None, kw_only=True)
    _turn: OpenTurn = field(default_factory=OpenTurn, repr=False)

    async def for_run(self, ctx: RunContext[Any]) -> RememoraMemory:
        """Return the capability of one run, which shares nothing with other runs."""
        return replace(self, _turn=OpenTurn())

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """Store what the person said, do what it asks of memory, and load what is remembered."""
        query = _text(ctx.prompt)
        if not query:
            return
        chat = self._chat(ctx)
        known = [_text(part.content) for part in _prompts(ctx.messages)]
        try:
            said = await chat.append("user", query)
            self._turn = await begin_turn(chat, said, known=known, budget=self.budget)
        except (Unavailable, InvalidInput) as error:
            logger.warning("memory is unavailable for this run: %s", error.code)

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Add what is remembered to one request, and to nothing that is kept of it."""
        if not self._turn.text:
            return request_context
        messages = list(request_context.messages)
        place = max((n for n, message in enumerate(messages) if list(_prompts([message]))), default=len(messages))
        recalled = ModelRequest(parts=[UserPromptPart(content=self._turn.text)])
        return replace(request_context, messages=[*messages[:place], recalled, *messages[place:]])

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Store the answer, once."""
        if self._turn.asked:
            try:
                await keep_answer(self._chat(ctx), self._turn, _answer(result.output))
            except (Unavailable, InvalidInput) as error:
                logger.warning("the answer was not stored: %s", error.code)
        return result

    def _chat(self, ctx: RunContext[Any]) -> Conversation:
        named = ctx.conversation_id if self.conversation is None else _named(self.conversation, ctx)
        return self.memory.user(_named(self.user, ctx), tenant=self.tenant).conversation(named or THREAD)


def memory_toolset(memory: Rememora, *, tenant: str, user: Name) -> FunctionToolset[Any]:
    """Return the tools search_memory, save_memory, correct_memory and forget_memory, under the gate."""
    tools: FunctionToolset[Any] = FunctionToolset()

    def person(ctx: RunContext[Any]) -> UserMemory:
        return memory.user(_named(user, ctx), tenant=tenant)

    @tools.tool(description=verbs.SEARCH)
    async def search_memory(ctx: RunContext[Any], query: str, limit: int = 5) -> list[dict[str, Any]]:
        return await verbs.search(person(ctx), query, limit)

    @tools.tool(description=verbs.SAVE)
    async def save_memory(ctx: RunContext[Any], text: str, said_by: verbs.Speaker = "user") -> dict[str, Any]:
        return await verbs.save(person(ctx), text, said_by)

    @tools.tool(description=verbs.CORRECT)
    async def correct_memory(ctx: RunContext[Any], memory: str, value: str) -> dict[str, Any]:
        return await verbs.correct(person(ctx), memory, value)

    @tools.tool(description=verbs.FORGET)
    async def forget_memory(ctx: RunContext[Any], memory: str) -> dict[str, Any]:
        return await verbs.forget(person(ctx), memory)

    return tools


def _named(name: Name, ctx: RunContext[Any]) -> str:
    return name if isinstance(name, str) else name(ctx)


def _prompts(messages: Sequence[ModelMessage]) -> list[UserPromptPart]:
    requests = [message for message in messages if isinstance(message, ModelRequest)]
    return [part for request in requests for part in request.parts if isinstance(part, UserPromptPart)]


def _answer(output: Any) -> str:
    """Return what is stored of an output: its text, or its data as JSON; a call that waits is no answer."""
    if output is None or isinstance(output, DeferredToolRequests):
        return ""
    return output if isinstance(output, str) else to_json(output, fallback=str).decode()


def _text(content: Any) -> str:
    """Return the text of a prompt or an answer, whole or in parts; pictures and files say nothing."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list | tuple) else []
    return "\n".join(part for part in parts if isinstance(part, str)).strip()
