"""A `BaseMemoryService` for Google's Agent Development Kit: sessions become history that search finds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rememora.app import Rememora
from rememora.domain.hit import Hit
from rememora.domain.message import every_item
from rememora.errors import InvalidInput, MissingExtra
from rememora.handles.conversation import Conversation
from rememora.handles.user import UserMemory
from rememora.integrations.verbs import hit_text

try:
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.genai import types
except ImportError:
    raise MissingExtra("google-adk") from None

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

PAGE = 500
LOOSE = "memory"
"""The conversation of events that belong to no session."""


def by_app(app_name: str, user_id: str) -> str:
    """Name the person of an app: the same user of two apps has two memories, as ADK wants it."""
    return f"{app_name}/{user_id}"


class RememoraMemoryService(BaseMemoryService):
    """Memory for ADK's runners: `Runner(…, memory_service=RememoraMemoryService(rememora, tenant="acme"))`.

    A session may be added as often as one likes: each event is stored once, by its id.
    """

    def __init__(
        self,
        memory: Rememora,
        *,
        tenant: str,
        user_of: Callable[[str, str], str] = by_app,
        limit: int = 10,
    ) -> None:
        self._memory, self._tenant, self._user_of, self._limit = memory, tenant, user_of, limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Store what is new of a session, and do what the person asks of memory in it."""
        person = self._person(session.app_name, session.user_id)
        await _stored(person.conversation(session.id, channel="adk"), session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store some events, of a session or of none."""
        person = self._person(app_name, user_id)
        await _stored(person.conversation(session_id or LOOSE, channel="adk"), events, custom_metadata)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep sentences about the person, through the gate; the same one twice is kept once."""
        person = self._person(app_name, user_id)
        for entry in memories:
            text = _text(entry.content)
            if text:
                ref = entry.id or hashlib.sha256(text.encode()).hexdigest()[:32]
                await person.archive.load_note(text, ref=f"adk:{ref}"[:255], at=_moment(entry.timestamp))

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget one memory; it can be restored through Rememora."""
        if not memory_id:
            raise InvalidInput("memory_id", "must name the memory to delete")
        await self._person(app_name, user_id).forget(memory_id)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Find what is known about the person and what was said before, best first."""
        hits = await self._person(app_name, user_id).recall(query, limit=self._limit) if query.strip() else []
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    def _person(self, app_name: str, user_id: str) -> UserMemory:
        return self._memory.user(self._user_of(app_name, user_id), tenant=self._tenant)


async def _stored(chat: Conversation, events: Iterable[Event], about: Mapping[str, object] | None = None) -> None:
    known = {message.id async for message in every_item(chat.messages, limit=PAGE)}
    for event in events:
        text = _text(event.content)
        # ADK hands over the whole session each time, with pieces of streamed answers among its events.
        if not text or event.id in known or event.partial:
            continue
        message = await chat.append(
            "user" if event.author == "user" else "assistant",
            text,
            id=event.id,
            created_at=datetime.fromtimestamp(event.timestamp, UTC),
            metadata={"author": event.author, **(about or {})},
        )
        if event.author == "user":
            await chat.act_on(message)


def _text(content: types.Content | None) -> str:
    parts = (content.parts if content is not None else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def _moment(given: str | None) -> datetime | None:
    if not given:
        return None
    moment = datetime.fromisoformat(given)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _entry(hit: Hit) -> MemoryEntry:
    about: dict[str, Any] = {"score": hit.score, "kind": hit.kind, "conversation": hit.conversation}
    return MemoryEntry(
        content=types.Content(role="user", parts=[types.Part(text=hit_text(hit))]),
        id=hit.id,
        author=hit.role or "user",
        timestamp=hit.created_at.isoformat(),
        custom_metadata=about,
    )
