"""The seam of the index: what can be recalled, what changed since, and what still waits for its vector.

Every indexed item has one entry with the number of its last change; a reader that knows a number asks for what
came after it. Texts stay with their nouns: the index holds keys, numbers and vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.hit import Item, ItemKey
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to a user's index after a number: items new or changed, and what is gone.

    `reset` is the number of the last erasure, 0 where there is none: a reader that learns of it starts over.
    `anew` says that the store has never had the reader's number: all that the reader knows was erased whole.
    """

    items: tuple[Item, ...]
    gone: tuple[ItemKey, ...]
    gone_conversations: tuple[str, ...]
    reset: int
    newest: int
    more: bool
    anew: bool = False


class Embedded(msgspec.Struct, frozen=True, kw_only=True):
    """A vector for an item as it stood at a number."""

    key: ItemKey
    number: int
    vector: bytes | None


class EmbeddingModel(msgspec.Struct, frozen=True):
    """Which model made the vectors of a store."""

    name: str
    dimension: int


class Index(Erasable, Protocol):
    """One user's index, inside a unit of work."""

    def put(self, scope: Scope, keys: Sequence[ItemKey]) -> None:
        """Items are new or changed: findable by words at once, by meaning when embedded."""
        ...

    def put_messages(self, scope: Scope, *, first: int, last: int) -> None:
        """The stored messages from one place to another are new: as `put` of each turn among them, but quick."""
        ...

    def drop(self, scope: Scope, keys: Sequence[ItemKey]) -> int:
        """Items are gone; returns how many vectors went with them."""
        ...

    def drop_conversation(self, scope: Scope) -> int:
        """Everything of the scope's conversation is gone; returns how many vectors went with it."""
        ...

    def clear(self, scope: Scope) -> int:
        """Everything of the user is gone, keys included; returns how many vectors went with it."""
        ...

    def changes(self, scope: Scope, *, after: int, limit: int, vectors: bool = True) -> Changes:
        """What happened after a number, oldest first; without `vectors` items only say whether they have one."""
        ...

    def waiting(self, scope: Scope, *, limit: int) -> list[Item]:
        """Items without a vector, oldest change first."""
        ...

    def embed(self, scope: Scope, embedded: Sequence[Embedded]) -> int:
        """Store vectors of items that have not changed meanwhile; None marks one that cannot be embedded."""
        ...


class IndexKeeper(Protocol):
    """An operator's view of every user's index, for the loop that embeds."""

    def claim(self, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take or renew the right to embed, unless another process holds it."""
        ...

    def release(self, *, owner: str) -> None: ...

    def scopes_waiting(self, *, limit: int) -> list[Scope]: ...

    def scopes_above(self, *, rows: int) -> list[Scope]:
        """Users with more items than so many."""
        ...

    def lag(self) -> int:
        """Items that wait for their vector."""
        ...

    def model(self) -> EmbeddingModel | None: ...

    def set_model(self, model: EmbeddingModel) -> None: ...

    def forget_vectors(self) -> int:
        """Drop every vector and let every item wait again; returns how many wait."""
        ...
