"""The seam of the index: what can be recalled, what changed since, and what still waits for its vector.

Every indexed item has one entry with the number of its last change; a reader that knows a number asks for what
came after it. Texts stay with their nouns: the index holds keys, numbers and vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

import msgspec

from rememora.domain.hit import Item, ItemKey, Kind
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to a user's index after a number: items new or changed, and what is gone.

    `reset` is the number of the last erasure, or of the beginning: a reader that learns of it and knows anything
    starts over; 0 where there is none after the reader's number. An owner's numbers begin above all that anybody
    knows of one of the same name who was erased with a tenant. `anew` says that the store has never had the
    reader's number: all that the reader knows was erased whole.
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
    """A model that makes vectors."""

    name: str
    dimension: int

    @property
    def key(self) -> str:
        """One name for the vectors it makes, which are compared with each other and with no others."""
        return f"{self.name}/{self.dimension}"


RunState = Literal["current", "next", "old"]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One making of vectors for all items: the one in use, the next beside it, or one whose vectors may go."""

    number: int
    model: EmbeddingModel
    state: RunState


class Index(Erasable, Protocol):
    """One user's index, inside a unit of work."""

    def put(self, scope: Scope, keys: Sequence[ItemKey]) -> None:
        """Items are new or changed: findable by words at once, by meaning when embedded, and till then by none."""
        ...

    def put_messages(self, scope: Scope, spoken: Sequence[Message]) -> int:
        """Stored messages, in their order, are new: as `put` of each turn among them, but quick.

        Returns the number of the user's last change before them.
        """
        ...

    def touch(self, scope: Scope, key: ItemKey) -> int:
        """What is known of an item has changed, its text and vector have not; returns how many there are."""
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
        """What happened after a number, oldest first; without `vectors` items only say whether they have one.

        Vectors are those of the model that the store was opened for, and of no other.
        """
        ...

    def standing(self, scope: Scope, numbers: Sequence[tuple[Kind, int]]) -> list[Item]:
        """The items whose last change has one of these numbers, without their vectors."""
        ...

    def waiting(self, scope: Scope, *, limit: int) -> list[Item]:
        """Items without a vector, oldest change first."""
        ...

    def embed(self, scope: Scope, embedded: Sequence[Embedded], *, run: Run) -> int:
        """Store vectors of items that have not changed meanwhile; None marks one that cannot be embedded."""
        ...

    def settled(self, scope: Scope, *, run: Run, after: int, limit: int) -> list[Item]:
        """Items after a number that another run has settled and this one has not, oldest change first."""
        ...

    def embed_beside(self, scope: Scope, embedded: Sequence[Embedded], *, run: Run) -> int:
        """Store vectors of the next run beside those in use; no reader is told."""
        ...

    def drop_model(self, scope: Scope, model: str) -> int:
        """The vectors of the model of that key are gone; returns how many."""
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

    def refused(self) -> int:
        """Items that could not be embedded."""
        ...

    def wait_again(self) -> int:
        """What could not be embedded waits once more; returns how many items that are."""
        ...

    def items(self) -> int:
        """Items that have or wait for a vector."""
        ...

    def runs(self) -> list[Run]:
        """Every run there is something left of, oldest first."""
        ...

    def add_run(self, run: Run) -> None:
        """One more run, unless its number is taken."""
        ...

    def change_run(self, number: int, state: RunState) -> None: ...

    def drop_run(self, number: int) -> None: ...

    def wait_for(self, run: Run) -> int:
        """What another run has settled and this one has not waits again; returns how many items that are."""
        ...

    def unsettled(self, run: Run) -> int:
        """Items that another run has settled and this one has not."""
        ...

    def scopes_settled(self, run: Run, *, after: Scope | None, limit: int) -> list[Scope]:
        """The next users with items that another run has settled and this one has not."""
        ...

    def scopes_of(self, model: str, *, after: Scope | None, limit: int) -> list[Scope]:
        """The next users with vectors of the model of that key."""
        ...
