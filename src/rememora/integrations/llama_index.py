"""A memory block for LlamaIndex: what is remembered of a person, inside `Memory(memory_blocks=[…])`."""

from __future__ import annotations

from typing import Any

from rememora.app import Rememora
from rememora.context.render import markdown
from rememora.domain.message import Role
from rememora.errors import MissingExtra
from rememora.handles.conversation import Conversation

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock
    from pydantic import PrivateAttr
except ImportError:
    raise MissingExtra("llama-index") from None

# System and developer messages are the host's instructions, and no memory is made of them.
ROLES: dict[MessageRole, Role] = {
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}
SHORTEST_BUDGET = 50


class RememoraMemoryBlock(BaseMemoryBlock[str]):
    """Gives memory related to the person's last message, within a budget, and stores what leaves short memory.

    Under token pressure the context is built again with a smaller budget, so that the least relevant goes first.
    """

    name: str = "rememora"
    budget: int = 1500
    _memory: Rememora = PrivateAttr()
    _scope: tuple[str, str, str] = PrivateAttr()
    _asked: str = PrivateAttr(default="")

    def __init__(self, memory: Rememora, *, tenant: str, user: str, conversation: str, **how: Any) -> None:
        super().__init__(**how)
        self._memory, self._scope = memory, (tenant, user, conversation)

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        said = [
            message.content for message in messages or [] if message.role == MessageRole.USER and message.content
        ]
        self._asked = str(said[-1]) if said else ""
        return await self._told(self.budget) if self._asked else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        chat = self._chat()
        for chat_message in messages:
            role = ROLES.get(chat_message.role)
            if role is None or not (chat_message.content or "").strip():
                continue
            message = await chat.append(role, str(chat_message.content))
            if role == "user":
                await chat.act_on(message)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Return the same with fewer tokens; None where too few are left to say anything."""
        left = self.budget - tokens_to_truncate
        return await self._told(left) if content and left >= SHORTEST_BUDGET else None

    async def _told(self, budget: int) -> str:
        return markdown(await self._chat().context(self._asked, budget=budget))

    def _chat(self) -> Conversation:
        tenant, user, conversation = self._scope
        return self._memory.user(user, tenant=tenant).conversation(conversation)
