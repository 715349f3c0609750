"""Port of the index: searchable items, their changes, and the items that wait for a vector.

Every indexed item has one entry with the number of its last change; a reader that knows a number asks for the
changes after it. Texts stay with their nouns: the index holds keys, numbers and vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

import msgspec

from rememora.domain.hit import IndexItem, ItemKey, Kind
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.erasable import Erasable

Entry = tuple[Kind, str, str, int, str, bytes | None, bytes | None]
"""Kind, conversation, id, number of the last change, state, features and vector of one item."""


class MemoryFacts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Facts of a memory that the ranking reads beside its features; the value only of what tells a time zone."""

    category: str
    importance: float
    at: datetime
    key: str
    value: Any = None


class IndexChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a user's index after a number: items new or changed, and items removed.

    `reset` is the number of the last erasure, or of the beginning: a reader that sees it and holds anything
    starts over; 0 if there is none after the reader's number. An owner's numbers begin above all numbers ever
    used for an erased owner of the same name. `anew` means that the store has never had the reader's number:
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
    # An entry of what was said, with features, stands for its item, and so does one of a memory with its facts, by
    # its id; `items` are the others', without vectors.
    entries: Sequence[Entry] = ()
    memories: Mapping[str, MemoryFacts] = {}
    superseded: frozenset[str] = frozenset()


class Embedded(msgspec.Struct, frozen=True, kw_only=True):
    """A vector of an item, valid for its change number."""

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
        """Return the name of its vectors, which can only be compared with each other."""
        return f"{self.name}/{self.dimension}"


RunState = Literal["current", "next", "old"]


class EmbeddingRun(msgspec.Struct, frozen=True, kw_only=True):
    """One embedding run over all items: the current one, the next one in progress, or an obsolete one."""

    number: int
    model: EmbeddingModel
    state: RunState


class Index(Erasable, Protocol):
    """One user's index, inside a unit of work."""

    def put(self, scope: Scope, keys: Sequence[ItemKey]) -> None:
        """Add or change items: found by words at once, and by meaning when embedded; the old vector is dropped."""

    def put_messages(self, scope: Scope, spoken: Sequence[Message]) -> int:
        """Add stored messages in their order: as `put` of each turn among them, but faster.

        Returns the number of the user's last change before this one.
        """

    def touch(self, scope: Scope, key: ItemKey) -> int:
        """Mark an item as changed without a change of text and vector; returns the count."""

    def drop(self, scope: Scope, keys: Sequence[ItemKey]) -> int:
        """Remove items; returns how many vectors were removed with them."""

    def drop_conversation(self, scope: Scope) -> int:
        """Remove everything of the scope's conversation; returns how many vectors were removed."""

    def clear(self, scope: Scope) -> int:
        """Remove everything of the user, keys included; returns how many vectors were removed."""

    def changes(self, scope: Scope, *, after: int, limit: int, vectors: bool = True) -> IndexChanges:
        """Return the changes after a number, oldest first; without `vectors`, items say whether they have one.

        Only vectors of the model that the store was opened for are returned.
        """

    def exceeds(self, scope: Scope, rows: int) -> bool:
        """Return whether a user has more entries than a number."""

    def load(
        self, scope: Scope, *, after: int, limit: int, mark: bytes, vectors: bool = True, whole: bool = False
    ) -> IndexChanges:
        """Return changes for loading many items at once, with features that begin with `mark` instead of texts.

        With `whole`, nothing is read for a user with more than `limit` items, and `more` is set.
        """

    def featureless(self, scope: Scope, *, limit: int) -> list[tuple[int, IndexItem | None]]:
        """Return settled items without features by their numbers; None for one that may not be read now."""

    def put_features(self, scope: Scope, features: Sequence[tuple[int, bytes | None]]) -> None:
        """Store features of items that have not changed since they had these numbers; readers are not notified."""

    def standing(self, scope: Scope, numbers: Sequence[tuple[Kind, int]]) -> list[IndexItem]:
        """Return the items whose last change has one of these numbers, without their vectors."""

    def waiting(self, scope: Scope, *, limit: int) -> list[IndexItem]:
        """List items without a vector, oldest change first."""

    def embed(self, scope: Scope, embedded: Sequence[Embedded], *, run: EmbeddingRun) -> int:
        """Store vectors of items that have not changed since; None marks an item that cannot be embedded."""

    def settled(self, scope: Scope, *, run: EmbeddingRun, after: int, limit: int) -> list[IndexItem]:
        """List items after a number that another run has settled and this one has not, oldest change first."""

    def embed_beside(self, scope: Scope, embedded: Sequence[Embedded], *, run: EmbeddingRun) -> int:
        """Store vectors of the next run besides the current ones; readers are not notified."""

    def drop_model(self, scope: Scope, model: str) -> int:
        """Delete the vectors of a model; returns how many."""


class IndexKeeper(Protocol):
    """An operator's view of every user's index, for the embedding loop."""

    def claim(self, *, owner: str, now: datetime, until: datetime) -> bool:
        """Take or renew the right to embed, unless another process holds it."""

    def release(self, *, owner: str) -> None: ...

    def scopes_waiting(self, *, limit: int) -> list[Scope]: ...

    def scopes_featureless(self, *, limit: int) -> list[Scope]:
        """List users with settled items that have no features."""

    def note_features(self, mark: bytes) -> None:
        """Set the mark that features begin with; features with another mark are dropped."""

    def scopes_above(self, *, rows: int) -> list[Scope]:
        """List users with more than that many items."""

    def lag(self, *, most: int | None = None) -> int:
        """Count items that wait for their vector; counting stops at `most`."""

    def refused(self) -> int:
        """Count items that could not be embedded."""

    def wait_again(self) -> int:
        """Queue again the items that could not be embedded; returns how many."""

    def items(self) -> int:
        """Count items that have or wait for a vector."""

    def runs(self) -> list[EmbeddingRun]:
        """List the embedding runs with stored vectors, oldest first."""

    def add_run(self, run: EmbeddingRun) -> None:
        """Add a run, unless its number is taken."""

    def change_run(self, number: int, state: RunState) -> None: ...

    def drop_run(self, number: int) -> None: ...

    def wait_for(self, run: EmbeddingRun) -> int:
        """Queue again the items that another run has settled and this one has not; returns how many."""

    def unsettled(self, run: EmbeddingRun) -> int:
        """Count items that another run has settled and this one has not."""

    def scopes_settled(self, run: EmbeddingRun, *, after: Scope | None, limit: int) -> list[Scope]:
        """List the next users with items that another run has settled and this one has not."""

    def scopes_of(self, model: str, *, after: Scope | None, limit: int) -> list[Scope]:
        """List the next users with vectors of a model."""
