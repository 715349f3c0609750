"""Google's Agent Development Kit: its own sessions, events and runner with our memory service."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from google.adk.agents import BaseAgent, InvocationContext
from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService, Session
from google.genai import types

from rememora import Rememora
from rememora.errors import NotFound
from rememora.integrations.google_adk import RememoraMemoryService


def said(author: str, text: str, id: str) -> Event:
    """An event of a session."""
    content = types.Content(role="user" if author == "user" else "model", parts=[types.Part(text=text)])
    return Event(author=author, content=content, id=id, timestamp=1_700_000_000)


def session_of(*events: Event, user: str = "ana", app: str = "desk") -> Session:
    """A session of ADK's."""
    return Session(id="s1", app_name=app, user_id=user, events=list(events))


async def found(service: RememoraMemoryService, query: str, *, user: str = "ana", app: str = "desk") -> list[str]:
    """The texts that a search finds."""
    response = await service.search_memory(app_name=app, user_id=user, query=query)
    return [entry.content.parts[0].text or "" for entry in response.memories if entry.content.parts]


async def test_a_session_is_remembered_once(rememora: Rememora) -> None:
    """However often it is added; what is new of it comes along, and what the person asks is done once."""
    service = RememoraMemoryService(rememora, tenant="acme")
    first = said("user", "Remember that I live in Recife.", "e1")
    await service.add_session_to_memory(session_of(first))
    await service.add_session_to_memory(session_of(first, said("desk", "Noted.", "e2")))
    ana = rememora.user("desk/ana", tenant="acme")
    stored = (await ana.conversation("s1").messages()).items

    assert [("user", "e1"), ("assistant", "e2")] == [(item.role, item.id) for item in stored]
    assert 1_700_000_000 == stored[0].created_at.timestamp()
    assert any("Recife" in text for text in await found(service, "where do I live?"))
    assert 1 == len((await ana.memories.list()).items)


async def test_entries_say_what_they_are(rememora: Rememora) -> None:
    """Id, author, time and score."""
    service = RememoraMemoryService(rememora, tenant="acme")
    await service.add_events_to_memory(
        app_name="desk", user_id="ana", events=[said("user", "I prefer tea.", "e1")]
    )
    response = await service.search_memory(app_name="desk", user_id="ana", query="tea")
    entry = next(memory for memory in response.memories if memory.id == "e1")

    assert ("user", "message") == (entry.author, entry.custom_metadata["kind"])
    assert (entry.timestamp or "").startswith("2023-11-14")
    assert [] == await found(service, "  ")


async def test_apps_and_people_are_apart(rememora: Rememora) -> None:
    """Unless the host says that a user is the same in every app."""
    service = RememoraMemoryService(rememora, tenant="acme")
    together = RememoraMemoryService(rememora, tenant="acme", user_of=lambda _, user: user)
    await service.add_session_to_memory(session_of(said("user", "I prefer tea.", "e1")))
    await together.add_session_to_memory(session_of(said("user", "I prefer aisle seats.", "e1"), app="one"))

    assert [] == await found(service, "tea", user="bia")
    assert [] == await found(service, "tea", app="other")
    assert await found(together, "aisle seats", app="two")


async def test_memories_are_added_and_deleted(rememora: Rememora) -> None:
    """Sentences pass the gate, the same one once; a memory that is deleted is not found."""
    service = RememoraMemoryService(rememora, tenant="acme")
    entry = MemoryEntry(content=types.Content(parts=[types.Part(text="I prefer aisle seats.")]))
    for _ in range(2):
        await service.add_memory(app_name="desk", user_id="ana", memories=[entry])
    (memory,) = (await rememora.user("desk/ana", tenant="acme").memories.list()).items
    await service.delete_memory(app_name="desk", user_id="ana", memory_id=memory.id)

    assert [] == await found(service, "seats")
    with pytest.raises(NotFound):
        await service.delete_memory(app_name="desk", user_id="bia", memory_id=memory.id)


async def test_an_agent_of_a_runner_searches_it(rememora: Rememora) -> None:
    """ADK's own runner hands the service to an agent, which finds what another session held."""

    class Asking(BaseAgent):
        async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
            assert ctx.memory_service is not None
            hits = await ctx.memory_service.search_memory(
                app_name=ctx.app_name, user_id=ctx.user_id, query="which seats?"
            )
            texts = [entry.content.parts[0].text or "" for entry in hits.memories if entry.content.parts]
            yield said(self.name, " ".join(texts) or "nothing", "answer")

    service = RememoraMemoryService(rememora, tenant="acme")
    await service.add_session_to_memory(session_of(said("user", "I prefer aisle seats.", "e1")))
    sessions = InMemorySessionService()
    await sessions.create_session(app_name="desk", user_id="ana", session_id="s2")
    runner = Runner(app_name="desk", agent=Asking(name="asking"), session_service=sessions, memory_service=service)
    message = types.Content(role="user", parts=[types.Part(text="Which seats?")])
    events = [event async for event in runner.run_async(user_id="ana", session_id="s2", new_message=message)]

    assert "aisle seats" in (events[-1].content.parts[0].text or "")  # type: ignore[union-attr,index]
