"""`MemoryAgent`: the three calls that hosts of the first systems make, over the memory of one user (A6)."""

from __future__ import annotations

from rememora.app import Rememora
from rememora.domain.hit import Hit
from rememora.domain.ids import new_id
from rememora.domain.message import Message
from rememora.integrations.remembered import Remembered, remembered
from rememora.integrations.turns import store_answer


class MemoryAgent:
    """Thin names over `Rememora`: load before the model answers, save after it, search at any time."""

    def __init__(self, memory: Rememora, *, tenant_id: str, user_id: str, agent_id: str | None = None) -> None:
        self._user = memory.user(user_id, tenant=tenant_id, agent=agent_id)

    async def load_memory(self, session_id: str, query: str, *, budget: int | None = None) -> Remembered:
        """Load what is remembered for a query: summary, retrieved context, entities, and all of it as one text."""
        return remembered(await self._user.conversation(session_id).context(query, budget=budget))

    async def save_memory(
        self, session_id: str, user_message: str, assistant_message: str, *, message_id: str | None = None
    ) -> list[Message]:
        """Store both sides of a turn and do what it asks of memory; under one `message_id` it is stored once."""
        chat = self._user.conversation(session_id)
        question = await chat.append("user", user_message, id=message_id or new_id())
        deeds = await chat.act_on(question)
        changed = [id for deed in deeds for id in deed.memories]
        return [question, await store_answer(chat, question.id, assistant_message, changed=changed)]

    async def search_memories(
        self, query: str, *, limit: int | None = None, min_similarity: float | None = None
    ) -> list[Hit]:
        """Search all that is remembered of the user, best first."""
        return await self._user.recall(query, limit=limit, min_similarity=min_similarity)
