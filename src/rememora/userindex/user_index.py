"""One user's memory laid out for ranking: vectors, words, neighbours and facts about each row, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.userindex.columns import LOADED_ROWS, Column, Room, no_room
from rememora.userindex.features import HEARD, NAMED, OF_ASSISTANT, PLACED, Features, read
from rememora.userindex.id_table import IdTable
from rememora.userindex.marks import mark_of
from rememora.userindex.memo import BYTES_PER_ROW, Memo
from rememora.userindex.names import ConversationCodes, Names
from rememora.userindex.neighbours import Neighbours
from rememora.userindex.postings import Postings
from rememora.userindex.rows import Row
from rememora.userindex.speakers import Speakers
from rememora.userindex.unpack import Unpacked, unpack
from rememora.userindex.vectors import Vector, VectorMatrix, as_rows, as_vector

Codes = Callable[[Iterable[str]], list[int]]

# Nothing at all would lose rows that words speak for: among the nearest sixth, LoCoMo loses four points with 0
# and one with this.
_BEYOND = 0.75
_SavedNames = tuple[tuple[list[str | None], list[int]], tuple[list[str | None], list[int]]]
NOBODY_SPEAKS = -1
FEW = 4
"""Codes that a column is compared with one by one."""
# One array per fact, all indexed by row; what the ranking reads of an item without its text.
_FACTS: Final[dict[str, type[np.generic]]] = {
    "alive": np.bool_,
    "length": np.float32,
    "kind": np.int32,
    "conversation": np.int32,
    "category": np.int32,
    "speaker": np.int32,
    "asking": np.float32,
    "language": np.int8,
    "change": np.int8,
    "at": np.float64,
    "importance": np.float32,
    "superseded": np.bool_,
    "saying": np.int64,
    "embedded": np.bool_,
    "text": np.int64,
    "number": np.int64,
    "shared": np.bool_,
}


class Batch(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Many rows, each with its features in place of its text; one value per row in every list.

    Where no row has a category, or none is superseded, that list may be empty.
    """

    names: Sequence[str]
    kinds: Sequence[str]
    conversations: Sequence[str]
    categories: Sequence[str]
    numbers: Sequence[int]
    superseded: Sequence[bool]
    embedded: Sequence[bool]
    vectors: Sequence[bytes | None]
    features: Sequence[bytes]
    shared: bool

    def __len__(self) -> int:
        return len(self.names)


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Filter on rows; an empty collection lets nothing through, `None` everything."""

    kinds: Collection[str] | None = None
    conversations: Collection[str] | None = None
    categories: Collection[str] | None = None
    exclude_conversation: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERYTHING: Final = Filter()


class UserIndex:
    """Rows of one user in memory. Not for several threads at once; built from rows, holds no connection."""

    def __init__(
        self,
        rows: Iterable[Row] = (),
        *,
        dimension: int = 0,
        holds_vectors: bool = True,
        room: Room = no_room,
    ) -> None:
        self.dimension, self._room = dimension, room
        self.holds_vectors, self.reduced = holds_vectors, False
        self._clear()
        for row in rows:
            self.add(row)

    def _clear(self) -> None:
        room = self._room
        self._places = IdTable(room)
        self._size = 0
        # Rows that were emptied, to be taken again.
        self._free: list[int] = []
        self._postings, self._neighbours = Postings(room), Neighbours(room)
        self._kinds, self._categories = Names[str](), Names[str]()
        self._conversations = ConversationCodes(room)
        self._speakers = Speakers(room)
        self.memo = Memo()
        self._held: dict[str, Column] | None = None
        # The facts of those who are loaded and few, as they came: most are asked about before any of it changes.
        self._loaded: dict[str, NDArray[Any]] | None = None
        self._vectors = self._no_vectors() if self.dimension and self.holds_vectors else None

    @property
    def _columns(self) -> dict[str, Column]:
        """Columns that rows can be added to and taken from."""
        if self._held is None:
            self._held = {
                name: Column(kind, empty=NOBODY_SPEAKS if name == "speaker" else 0, room=self._room)
                for name, kind in _FACTS.items()
            }
            # A restored index can be searched as it is; it is copied into growing columns only when something
            # is added.
            loaded, self._loaded = self._loaded, None
            for name, values in (loaded or {}).items():
                self._held[name].fill(0, len(values), values)
        return self._held

    def _no_vectors(self) -> VectorMatrix:
        return VectorMatrix(self.dimension, reduced=self.reduced, room=self._room)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, id: str) -> bool:
        return self._places.get(id) is not None

    @property
    def size(self) -> int:
        """Rows that the columns hold, emptied ones included."""
        return self._size

    @property
    def nbytes(self) -> int:
        """About how much memory the index takes; mapped files count for the share that is touched."""
        columns = (self._loaded or self._columns).values()
        held: int = sum(part.nbytes for part in (*columns, *self._parts().values()))
        return held + self._size * BYTES_PER_ROW

    def reduce(self) -> None:
        """Hold vectors with a quarter of the memory, at the price of about 0.001 in a cosine."""
        self.reduced = True
        if self._vectors is not None:
            self._vectors.reduce()

    def drop_vectors(self) -> None:
        """From now on an engine has the vectors, and they take no memory here."""
        self.holds_vectors = False
        self._vectors = None

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays by name."""
        parts = {f"column-{name}": column.head(self._size) for name, column in self._columns.items()}
        for part, held in self._parts().items():
            parts |= {f"{part}-{name}": cells for name, cells in held.state().items()}
        names = msgspec.msgpack.encode((self._kinds.state, self._categories.state))
        parts["names"] = np.frombuffer(names, dtype=np.uint8)
        return {**parts, "free": np.array(self._free, dtype=np.int64)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved, where nothing is yet; vectors that an engine has are left where they are."""
        for name, column in self._columns.items():
            column.restore(state[f"column-{name}"])
        for part, held in self._parts().items():
            held.restore({key.partition("-")[2]: state[key] for key in state if key.startswith(f"{part}-")})
        kinds, categories = msgspec.msgpack.decode(state["names"].tobytes(), type=_SavedNames)
        self._kinds.restore(*kinds)
        self._categories.restore(*categories)
        self._free = state["free"].tolist()
        self._size = len(state["column-alive"])
        self.reduced = self._vectors is not None and self._vectors.reduced
        self.memo.clear()

    def _parts(self) -> dict[str, IdTable | Postings | Neighbours | Speakers | ConversationCodes | VectorMatrix]:
        vectors = {} if self._vectors is None else {"vectors": self._vectors}
        return {
            **vectors,
            "places": self._places,
            "postings": self._postings,
            "neighbours": self._neighbours,
            "speakers": self._speakers,
            "conversations": self._conversations,
        }

    def add(self, row: Row) -> None:
        """Put a row on the index, in the place of the row with the same id if there is one."""
        self.remove([row.id])
        self.memo.clear()
        # Places of removed rows are used again, so that an index does not grow with every change.
        number = self._free.pop() if self._free else self._size
        self._size = max(self._size, number + 1)
        features = read(row)
        self._places.put(row.id, number)
        if number >= len(self._columns["alive"]):
            for column in self._columns.values():
                column.reserve(number + 1)
        facts = self._facts(row, features)
        for name, value in facts.items():
            self._columns[name][number] = value
        if features.heard is not None:
            self._hear(self._speakers.hear(number, features.heard))
        self._postings.add(number, features.words)
        self._neighbours.add(number, facts["conversation"], row.position)
        if row.vector is not None or row.embedded:
            self._embed(number, row.vector)

    def add_many(self, batch: Batch) -> None:
        """Put rows behind all others, in the place of those with the same ids; as `add` of each, from features."""
        if len(self):
            self.remove(batch.names)
        self.memo.clear()
        unpacked = unpack(batch.features)
        head, start, end = unpacked.head, self._size, self._size + len(batch)
        self._places.put_many(batch.names, start, head["name"])
        facts = {**self._shared_facts(batch, head), **self._codes_of(batch)}
        self._postings.add_many(start, unpacked.words)
        placed = (head["flags"] & PLACED) != 0
        self._neighbours.add_many(start, facts["conversation"], head["position"], placed)
        heard = self._hear_many(start, unpacked, facts)
        if not start and len(batch) <= LOADED_ROWS and self._held is None:
            self._size, self._loaded = end, facts
        else:
            columns, self._size = self._columns, end
            for name, values in facts.items():
                columns[name].fill(start, end, values)
        self._hear(heard)
        self._embed_many(start, batch)

    def _codes_of(self, batch: Batch) -> dict[str, NDArray[np.int64]]:
        return {
            "kind": self._kinds.enter_many(batch.kinds),
            "conversation": self._conversations.enter_many(batch.conversations),
            "category": self._categories.enter_many(batch.categories or [""] * len(batch)),
        }

    def _shared_facts(self, batch: Batch, head: NDArray[Any]) -> dict[str, Any]:
        """Facts of many rows: constants, stored facts and decoded features."""
        names = ("length", "language", "asking", "change", "at", "importance", "saying", "text")
        size = len(batch)
        return {
            "alive": np.ones(size, dtype=np.bool_),
            "embedded": np.zeros(size, dtype=np.bool_),
            "shared": np.full(size, batch.shared, dtype=np.bool_),
            "superseded": np.array(batch.superseded or [False] * size, dtype=np.bool_),
            "number": np.array(batch.numbers, dtype=np.int64),
            **{name: head[name] for name in names},
        }

    def _hear_many(self, start: int, unpacked: Unpacked, facts: dict[str, NDArray[Any]]) -> dict[int, int]:
        """Add who speaks in each row to the facts, as far as its role says; the others' codes come back."""
        head = unpacked.head
        flags = head["flags"]
        role = ((flags & OF_ASSISTANT) != 0).astype(np.int32)
        facts["speaker"] = np.where(flags & HEARD, role, np.int32(NOBODY_SPEAKS))
        speakers = {
            start + place: (speaker, bool(flags[place] & NAMED), called)
            for place, (speaker, called) in unpacked.told.items()
        }
        return self._speakers.hear_many(
            start, {"role": role, "words": head["words"], "mine": head["mine"]}, speakers
        )

    def _embed_many(self, start: int, batch: Batch) -> None:
        embedded = self.column("embedded")[start:]
        if not self.holds_vectors:
            embedded[:] = batch.embedded
            return
        places: list[int] | slice = slice(None)
        if None in batch.vectors:
            places = [place for place, vector in enumerate(batch.vectors) if vector is not None]
            if not places:
                return
        values = as_rows([vector for vector in batch.vectors if vector is not None])
        if self._vectors is None:
            self.dimension = values.shape[1]
            self._vectors = self._no_vectors()
        rows = slice(start, self._size) if isinstance(places, slice) else start + np.array(places)
        self._vectors.put_many(rows, values)
        embedded[places] = True

    def _hear(self, speakers: Mapping[int, int]) -> None:
        if speakers:
            column = self.column("speaker")
            for number, speaker in speakers.items():
                column[number] = speaker

    def _facts(self, row: Row, features: Features) -> dict[str, Any]:
        return {
            "alive": True,
            "length": features.length,
            "kind": self._kinds.enter(row.kind),
            "conversation": self._conversations.enter(row.conversation),
            "category": self._categories.enter(row.category),
            "language": features.language,
            "asking": features.asking,
            "change": features.change,
            "at": row.at.timestamp(),
            "importance": row.importance,
            "superseded": row.superseded,
            "saying": features.saying,
            "embedded": False,
            "speaker": NOBODY_SPEAKS,
            "text": features.text,
            "number": row.number,
            "shared": row.shared,
        }

    def embed(self, id: str, vector: bytes | Vector | None) -> None:
        """Give a row its vector, which may come later than its words; where an engine has vectors, note it."""
        self._embed(self._row(id), vector)

    def _embed(self, number: int, vector: bytes | Vector | None) -> None:
        if vector is None or not self.holds_vectors:
            self._columns["embedded"][number] = not self.holds_vectors
            return
        values = as_vector(vector)
        if self._vectors is None:
            self.dimension = len(values)
            self._vectors = self._no_vectors()
        self._vectors.put(number, values)
        self._columns["embedded"][number] = True

    def _row(self, id: str) -> int:
        number = self._places.get(id)
        if number is None:
            raise KeyError(id)
        return number

    def remove(self, ids: Iterable[str]) -> int:
        """Take rows off the index: their words and vectors are gone when this returns."""
        numbers = [number for name in ids if (number := self._places.pop(name)) is not None]
        if not numbers:
            return 0
        self.memo.clear()
        for number in numbers:
            if self._columns["speaker"][number] != NOBODY_SPEAKS:
                self._hear(self._speakers.unheard(number))
            conversation = self._columns["conversation"][number]
            self._neighbours.remove(number, conversation)
            self._conversations.leave(conversation)
            self._kinds.leave(self._columns["kind"][number])
            self._categories.leave(self._columns["category"][number])
        self._postings.remove_many(numbers)
        # Zeroed and not only unlinked: nothing of an erased text may stay in memory or in a snapshot.
        for name in ("alive", "embedded", "language", "length", "saying", "text", "number"):
            self._columns[name].head(self._size)[numbers] = 0
        if self._vectors is not None:
            self._vectors.erase_many(numbers)
        self._free += numbers
        return len(numbers)

    def name(self, number: int) -> str:
        """The id of a row that the ranking gave."""
        return self._places.name(number)

    def says(self, id: str, text: str) -> bool:
        """Return whether there is a row with this id and this very text, as far as a hash can tell."""
        number = self._places.get(id)
        return number is not None and int(self.column("text")[number]) == mark_of(text)

    def note(self, row: Row) -> None:
        """The last change of a row is another one; what it says is not."""
        self.memo.clear()
        place, facts = self._row(row.id), (row.number, row.superseded, row.at.timestamp(), row.importance)
        for name, value in zip(("number", "superseded", "at", "importance"), facts, strict=True):
            self._columns[name][place] = value

    def changed(self, id: str) -> tuple[int, bool]:
        """The number of a row's last change, and whether it is the tenant's."""
        number = self._row(id)
        return int(self.column("number")[number]), bool(self.column("shared")[number])

    def ids(self, within: Filter) -> list[str]:
        """Ids of the rows that `within` lets through, such as all of one conversation, to remove them."""
        return [self.name(int(number)) for number in np.flatnonzero(self.allowed(within))]

    def column(self, name: str) -> NDArray[Any]:
        """One fact of every row, as a view."""
        return self._columns[name].head(self._size) if self._loaded is None else self._loaded[name]

    @property
    def speakers(self) -> Speakers:
        """Return the speakers; `column("speaker")` holds their codes."""
        return self._speakers

    @property
    def neighbours(self) -> Neighbours:
        """Return the rows before and after each row."""
        return self._neighbours

    @property
    def postings(self) -> Postings:
        """Return the rows by word."""
        return self._postings

    def cosines(self, vector: Vector, *, exact: bool = False) -> Vector | None:
        """Cosine of every row with the unit `vector`, 0 where it has none; None where an engine has them."""
        if self._vectors is None:
            return np.zeros(self.size, dtype=np.float32) if self.holds_vectors else None
        return self._vectors.cosines(vector, self.column("embedded"), exact=exact)

    def scattered(self, near: Mapping[str, float], *, exact: bool = False) -> Vector:
        """An engine's cosines as a column; rows beyond get a share of the farthest, to be `exact` nothing."""
        beyond = 0.0 if exact else max(0.0, min(near.values(), default=0.0)) * _BEYOND
        cosines = np.where(self.column("embedded"), np.float32(beyond), np.float32(0))
        for id, cosine in near.items():
            if (number := self._places.get(id)) is not None:
                cosines[number] = cosine
        return cosines

    def beside(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The row before and the row after each row."""
        return self._neighbours.before(self.size), self._neighbours.after(self.size)

    def allowed(self, within: Filter) -> NDArray[np.bool_]:
        """Return the rows that `within` lets through, exactly."""
        alive: NDArray[np.bool_] = self.column("alive")
        if within == EVERYTHING:
            return alive
        mask = alive.copy()
        self._narrow(mask, "kind", self._kinds.codes, within.kinds)
        self._narrow(mask, "conversation", self._conversations.codes, within.conversations)
        self._narrow(mask, "category", self._categories.codes, within.categories)
        if within.exclude_conversation is not None:
            for code in self._conversations.codes([within.exclude_conversation]):
                mask &= self.column("conversation") != code
        if within.since is not None:
            mask &= self.column("at") >= within.since.timestamp()
        if within.until is not None:
            mask &= self.column("at") <= within.until.timestamp()
        return mask

    def _narrow(self, mask: NDArray[np.bool_], name: str, codes: Codes, kinds: Collection[str] | None) -> None:
        if kinds is None:
            return
        chosen, column = codes(kinds), self.column(name)
        # Mostly one or two: to compare with each costs less than to look each up among them.
        mask &= (
            reduce(np.logical_or, [column == code for code in chosen])
            if 0 < len(chosen) <= FEW
            else np.isin(column, chosen)
        )
