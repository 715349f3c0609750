"""A memory service for Google's Agent Development Kit, with an agent that needs no model.

Run it with `python examples/google_adk_memory.py`; it needs the extra `google-adk`.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator

from google.adk.agents import BaseAgent, InvocationContext
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from rememora import Rememora
from rememora.integrations.google_adk import RememoraMemoryService


class Desk(BaseAgent):
    """Answers with the best of what is remembered."""

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        asked = ctx.user_content.parts[0].text
        hits = await ctx.memory_service.search_memory(app_name=ctx.app_name, user_id=ctx.user_id, query=asked)
        known = hits.memories[0].content.parts[0].text if hits.memories else "Noted."
        yield Event(author=self.name, content=types.Content(role="model", parts=[types.Part(text=known)]))


async def main(folder: str) -> None:
    """Two sessions of one user; the first is added to memory, the second finds it."""
    async with Rememora.open(folder) as rememora:
        memory, sessions = RememoraMemoryService(rememora, tenant="acme"), InMemorySessionService()
        runner = Runner(app_name="desk", agent=Desk(name="desk"), session_service=sessions, memory_service=memory)
        for id, text in (("s1", "I prefer aisle seats."), ("s2", "Which seats do I prefer?")):
            await sessions.create_session(app_name="desk", user_id="ana", session_id=id)
            message = types.Content(role="user", parts=[types.Part(text=text)])
            async for event in runner.run_async(user_id="ana", session_id=id, new_message=message):
                print(f"{text} -> {event.content.parts[0].text}")
            session = await sessions.get_session(app_name="desk", user_id="ana", session_id=id)
            await memory.add_session_to_memory(session)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(folder))
