"""Port of visibility: the messages that a memory came from, and those in which a mention was counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from rememora.domain.scope import Scope
from rememora.domain.visibility import MemorySource, Reason
from rememora.ports.erasable import Erasable


class Sources(Erasable, Protocol):
    """The links between memories and messages, inside a unit of work."""

    def add(self, scope: Scope, source: MemorySource) -> None:
        """Store a link; an existing one keeps its place and takes the new state."""

    def add_all(self, scope: Scope, sources: Iterable[MemorySource]) -> None:
        """Store several links, as `add` does with one."""

    def of_memories(self, scope: Scope, memories: Iterable[str]) -> list[MemorySource]: ...

    def of_message(self, scope: Scope, id: str) -> list[MemorySource]:
        """List every link of one message of the scope's conversation."""

    def of_key(self, scope: Scope, key: str, *, shared: bool) -> list[MemorySource]:
        """List the sources of every memory that was ever stored under a key, from any speaker."""

    def mark(self, scope: Scope, memory: str, hidden: Reason | None) -> None:
        """Set the visibility of a memory in all of its source links."""

    def conversation_of(self, scope: Scope, message: str) -> str | None:
        """Return the newest of the user's conversations that contains a message with this id."""

    def saying(self, scope: Scope, text: str, *, limit: int) -> list[tuple[str, str]]:
        """List conversation and id of the user's messages that contain a text verbatim."""

    def add_mention(self, scope: Scope, key: str, message: str) -> None:
        """Record that an entity was counted in a message of the scope's conversation."""

    def mentioned_in(self, scope: Scope, messages: Sequence[str]) -> list[str]:
        """Return the keys of the entities that were counted in these messages of the scope's conversation."""

    def hidden_mentions(self, scope: Scope, keys: Sequence[str]) -> dict[str, int]:
        """Count, for each entity, the mentions that are in hidden messages."""

    def forget_mentions(self, scope: Scope, key: str | None = None) -> None:
        """Drop the mentions of one entity, or of all that no longer exist."""

    def remove(self, scope: Scope) -> int:
        """Drop every link of the scope's conversation."""


class Unjudged(Protocol):
    """An operator's view: owners of items that were stored before visibility was decided at writing."""

    def users(self, *, limit: int) -> list[Scope]: ...
