"""The seam of the index: what can be recalled, what changed since, and what still waits for its vector.

Every indexed item has one entry with the number of its last change; a reader that knows a number asks for what
came after it. Texts stay with their nouns: the index holds keys, numbers and vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

import msgspec

from rememora.domain.hit import IndexItem, ItemKey, Kind
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable

Entry = tuple[Kind, str, str, int, str, bytes | None, bytes | None]
"""Kind, conversation, id, number of the last change, state, features and vector of one item."""


class IndexChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a user's index after a number: items new or changed, and items removed.

    `reset` is the number of the last erasure, or of the beginning: a reader that sees it and holds anything
    starts over; 0 where there is none after the reader's number. An owner's numbers begin above all numbers ever
    used for an erased owner of the same name. `anew` says that the store has never had the reader's number:
    everything that the reader holds was erased.
    """

    items: tuple[IndexItem, ...]
    gone: tuple[ItemKey, ...]
    gone_conversations: tuple[str, ...]
    reset: int
    newest: int
    more: bool
    anew: bool = False
    # With `load`: every entry that is not gone and may be read, and which messages' facts have all been replaced.
    # An entry of what was said, with features, stands for its item; `items` are the others', without vectors.
    entries: Sequence[Entry] = ()
    superseded: frozenset[str] = frozenset()


class Embedded(msgspec.Struct, frozen=True, kw_only=True):
    """A vector for an item as it stood at a number."""

    key: ItemKey
    number: int
    vector: bytes | None
    # What the ranking reads of it; None leaves what there is.
    features: bytes | None = None


class EmbeddingModel(msgspec.Struct, frozen=True):
    """A model that makes vectors."""

    name: str
    dimension: int

    @property
    def key(self) -> str:
        """One name for the vectors it makes, which are compared with each other and with no others."""
        return f"{self.name}/{self.dimension}"


RunState = Literal["current", "next", "old"]


class EmbeddingRun(msgspec.Struct, frozen=True, kw_only=True):
    """One embedding run over all items: the one in use, the next one in progress, or one whose vectors may go."""

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
        """Mark an item as changed without a change of text and vector; returns how many there are."""
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

    def changes(self, scope: Scope, *, after: int, limit: int, vectors: bool = True) -> IndexChanges:
        """Return the changes after a number, oldest first; without `vectors` items only say whether they have one.

        Vectors are those of the model that the store was opened for, and of no other.
        """
        ...

    def exceeds(self, scope: Scope, rows: int) -> bool:
        """Return whether a user has more entries than so many."""
        ...

    def load(
        self, scope: Scope, *, after: int, limit: int, mark: bytes, vectors: bool = True, whole: bool = False
    ) -> IndexChanges:
        """Return changes for loading many items at once: by features that begin with `mark`, not by texts.

        With `whole`, nothing is read of who has more than `limit`, and `more` says so.
        """
        ...

    def featureless(self, scope: Scope, *, limit: int) -> list[tuple[int, IndexItem | None]]:
        """Settled items without features by their numbers; None for one that may not be read now."""
        ...

    def put_features(self, scope: Scope, features: Sequence[tuple[int, bytes | None]]) -> None:
        """Store features of items that have not changed since they had these numbers; readers are not notified."""
        ...

    def standing(self, scope: Scope, numbers: Sequence[tuple[Kind, int]]) -> list[IndexItem]:
        """The items whose last change has one of these numbers, without their vectors."""
        ...

    def waiting(self, scope: Scope, *, limit: int) -> list[IndexItem]:
        """Items without a vector, oldest change first."""
        ...

    def embed(self, scope: Scope, embedded: Sequence[Embedded], *, run: EmbeddingRun) -> int:
        """Store vectors of items that have not changed meanwhile; None marks one that cannot be embedded."""
        ...

    def settled(self, scope: Scope, *, run: EmbeddingRun, after: int, limit: int) -> list[IndexItem]:
        """Items after a number that another run has settled and this one has not, oldest change first."""
        ...

    def embed_beside(self, scope: Scope, embedded: Sequence[Embedded], *, run: EmbeddingRun) -> int:
        """Store vectors of the next run next to those in use; readers are not notified."""
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

    def scopes_featureless(self, *, limit: int) -> list[Scope]:
        """Users with settled items that have no features."""
        ...

    def note_features(self, mark: bytes) -> None:
        """Features begin with `mark` from now on; where others did until now, theirs are dropped."""
        ...

    def scopes_above(self, *, rows: int) -> list[Scope]:
        """List users with more than that many items."""
        ...

    def lag(self, *, most: int | None = None) -> int:
        """Count items that wait for their vector; with `most` counted up to that number."""
        ...

    def refused(self) -> int:
        """Items that could not be embedded."""
        ...

    def wait_again(self) -> int:
        """Queue again the items that could not be embedded; returns how many."""
        ...

    def items(self) -> int:
        """Items that have or wait for a vector."""
        ...

    def runs(self) -> list[EmbeddingRun]:
        """Every run there is something left of, oldest first."""
        ...

    def add_run(self, run: EmbeddingRun) -> None:
        """One more run, unless its number is taken."""
        ...

    def change_run(self, number: int, state: RunState) -> None: ...

    def drop_run(self, number: int) -> None: ...

    def wait_for(self, run: EmbeddingRun) -> int:
        """Queue again the items that another run has settled and this one has not; returns how many."""
        ...

    def unsettled(self, run: EmbeddingRun) -> int:
        """Items that another run has settled and this one has not."""
        ...

    def scopes_settled(self, run: EmbeddingRun, *, after: Scope | None, limit: int) -> list[Scope]:
        """The next users with items that another run has settled and this one has not."""
        ...

    def scopes_of(self, model: str, *, after: Scope | None, limit: int) -> list[Scope]:
        """The next users with vectors of the model of that key."""
        ...
