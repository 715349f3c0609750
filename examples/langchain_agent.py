"""A LangChain agent that remembers, and a LangGraph store, with a scripted model in place of a real one.

Run it with `python examples/langchain_agent.py`; it needs the extra `langchain`.
"""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage

from rememora import Rememora
from rememora.integrations.langchain import MemoryMiddleware
from rememora.integrations.langgraph_store import RememoraStore

RUN: Any = {"configurable": {"tenant_id": "acme", "user_id": "ana", "thread_id": "t1"}}


class Scripted(GenericFakeChatModel):
    """A model with fixed answers, which says whether it was told of the seats."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        if any("aisle seats" in message.text and "<memory>" in message.text for message in messages):
            print("told the model: aisle seats")
        return super()._generate(messages, *args, **kwargs)


async def main(folder: str) -> None:
    """Two turns on two days, as it were; the second knows the first."""
    async with Rememora.open(folder) as rememora:
        store = RememoraStore(rememora, tenant="acme")
        model = Scripted(messages=iter([AIMessage("Noted."), AIMessage("An aisle seat.")]))
        agent = create_agent(model, middleware=[MemoryMiddleware(rememora)], store=store)
        await agent.ainvoke({"messages": [("user", "I prefer aisle seats.")]}, RUN)
        state = await agent.ainvoke({"messages": [("user", "Which seat should you book?")]}, RUN)
        print("answer:", state["messages"][-1].text)
        kept = await rememora.user("ana", tenant="acme").conversation("t1").messages()
        print("stored:", len(kept.items), "messages")
        await store.aput(("settings", "ana"), "ui", {"theme": "dark"})
        found = await store.aget(("settings", "ana"), "ui")
        print("document:", found.value if found else None)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
