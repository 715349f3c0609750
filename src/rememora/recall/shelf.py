"""One user's memory laid out for ranking: vectors, words, neighbours and facts about each row, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import DTypeLike, NDArray

from rememora.language import tokens
from rememora.recall.columns import Column, Room, no_room
from rememora.recall.lexicon import Lexicon
from rememora.recall.manner import NO_CHANGE, asking_share, change_told
from rememora.recall.memo import BYTES_PER_ROW, Memo
from rememora.recall.names import Conversations, Names
from rememora.recall.neighbours import Neighbours, leaning
from rememora.recall.places import Places, mark_of
from rememora.recall.speakers import Speakers
from rememora.recall.spoken import language_of
from rememora.recall.vectors import Vector, Vectors, as_vector
from rememora.recall.wording import Wording
from rememora.settings.weights import Weights

Codes = Callable[[Iterable[str]], list[int]]

# Nothing at all would lose rows that words speak for: among the nearest sixth, LoCoMo loses four points with 0
# and one with this.
_BEYOND = 0.75
_SavedNames = tuple[tuple[list[str | None], list[int]], tuple[list[str | None], list[int]]]
NOBODY_SPEAKS = -1
_FACTS: Final[dict[str, DTypeLike]] = {
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


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a shelf must know of one message, summary, episode, entity or memory."""

    id: str
    text: str
    # Other words it is found by, which are not its text.
    also: str = ""
    at: datetime
    kind: str = "message"
    conversation: str = ""
    # Order inside the conversation; without it the row stands alone (a memory, a summary).
    position: int | None = None
    role: str = "user"
    # Who speaks, where it is a name; `Ana: hello` at the start of the text says so too.
    speaker: str | None = None
    category: str = ""
    importance: float = 0.0
    superseded: bool = False
    # As stored by the index; made from the text where absent.
    tokens: Sequence[str] | None = None
    # float32 values, or their bytes; absent until the row is embedded.
    vector: bytes | Vector | None = None
    # Whether the row is embedded, where vectors are elsewhere.
    embedded: bool = False
    # The number of its last change, and whether that counts the tenant's or the user's changes.
    number: int = 0
    shared: bool = False

    @property
    def searched(self) -> str:
        """The text as it is read."""
        return f"{self.text}\n{self.also}" if self.also else self.text


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows may be found; an empty collection lets nothing through, `None` everything."""

    kinds: Collection[str] | None = None
    conversations: Collection[str] | None = None
    categories: Collection[str] | None = None
    exclude_conversation: str | None = None
    since: datetime | None = None
    until: datetime | None = None


EVERYTHING: Final = Filter()


class Shelf:
    """Rows of one user in memory. Not for several threads at once; built from rows, holds no connection."""

    def __init__(
        self,
        rows: Iterable[Row] = (),
        *,
        dimension: int = 0,
        elsewhere: bool = False,
        room: Room = no_room,
    ) -> None:
        self.dimension, self._room = dimension, room
        self.elsewhere, self.reduced = elsewhere, False
        self._clear()
        for row in rows:
            self.add(row)

    def _clear(self) -> None:
        room = self._room
        self._places = Places(room)
        self._size = 0
        # Rows that were emptied, to be taken again.
        self._free: list[int] = []
        self._lexicon, self._neighbours = Lexicon(room), Neighbours(room)
        self._kinds, self._categories = Names[str](), Names[str]()
        self._conversations = Conversations(room)
        self._speakers = Speakers(room)
        self.memo = Memo()
        self._columns = {
            name: Column(kind, empty=NOBODY_SPEAKS if name == "speaker" else 0, room=room)
            for name, kind in _FACTS.items()
        }
        self._vectors = self._no_vectors() if self.dimension and not self.elsewhere else None

    def _no_vectors(self) -> Vectors:
        return Vectors(self.dimension, reduced=self.reduced, room=self._room)

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
        """About how much memory the shelf takes; mapped files count for the share that is touched."""
        held = sum(held.nbytes for held in (*self._columns.values(), *self._parts().values()))
        return held + self._size * BYTES_PER_ROW

    def reduce(self) -> None:
        """Hold vectors with a quarter of the memory, at the price of about 0.001 in a cosine."""
        self.reduced = True
        if self._vectors is not None:
            self._vectors.reduce()

    def let_vectors_go(self) -> None:
        """From now on vectors are elsewhere, and take no memory here."""
        self.elsewhere = True
        self._vectors = None

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays by name."""
        found = {f"column-{name}": self.column(name) for name in self._columns}
        for part, held in self._parts().items():
            found |= {f"{part}-{name}": cells for name, cells in held.state().items()}
        names = msgspec.msgpack.encode((self._kinds.state, self._categories.state))
        found["names"] = np.frombuffer(names, dtype=np.uint8)
        return {**found, "free": np.array(self._free, dtype=np.int64)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved, where nothing is yet; vectors that are elsewhere are left where they are."""
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

    def _parts(self) -> dict[str, Places | Lexicon | Neighbours | Speakers | Conversations | Vectors]:
        vectors = {} if self._vectors is None else {"vectors": self._vectors}
        return {
            **vectors,
            "places": self._places,
            "lexicon": self._lexicon,
            "neighbours": self._neighbours,
            "speakers": self._speakers,
            "conversations": self._conversations,
        }

    def add(self, row: Row) -> None:
        """Put a row on the shelf, in the place of the row with the same id if there is one."""
        self.remove([row.id])
        self.memo.clear()
        number = self._free.pop() if self._free else self._size
        self._size = max(self._size, number + 1)
        words = self._words(row)
        self._places.put(row.id, number)
        if number >= len(self._columns["alive"]):
            for column in self._columns.values():
                column.reserve(number + 1)
        facts = self._facts(row, words)
        for name, value in facts.items():
            self._columns[name][number] = value
        if row.kind == "message":
            self._hear(self._speakers.heard(number, text=row.text, role=row.role, name=row.speaker))
        self._lexicon.add(number, words)
        self._neighbours.add(number, facts["conversation"], row.position)
        if row.vector is not None or row.embedded:
            self._embed(number, row.vector)

    def _hear(self, speakers: Mapping[int, int]) -> None:
        for number, speaker in speakers.items():
            self._columns["speaker"][number] = speaker

    def _facts(self, row: Row, words: Sequence[str]) -> dict[str, Any]:
        return {
            "alive": True,
            "length": _length(row.searched, words),
            "kind": self._kinds.enter(row.kind),
            "conversation": self._conversations.enter(row.conversation),
            "category": self._categories.enter(row.category),
            "language": language_of(row.text),
            "asking": asking_share(row.text) if row.kind == "message" else 0.0,
            "change": change_told(row.text) if row.kind == "message" else NO_CHANGE,
            "at": row.at.timestamp(),
            "importance": row.importance,
            "superseded": row.superseded,
            "saying": mark_of(" ".join(words)) if words else 0,
            "embedded": False,
            "speaker": NOBODY_SPEAKS,
            "text": mark_of(row.searched),
            "number": row.number,
            "shared": row.shared,
        }

    def _words(self, row: Row) -> list[str]:
        return list(row.tokens) if row.tokens is not None else tokens(row.searched)

    def embed(self, id: str, vector: bytes | Vector | None) -> None:
        """Give a row its vector, which may come later than its words; where vectors are elsewhere, note it."""
        self._embed(self._row(id), vector)

    def _embed(self, number: int, vector: bytes | Vector | None) -> None:
        if vector is None or self.elsewhere:
            self._columns["embedded"][number] = self.elsewhere
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
        """Take rows off the shelf: their words and vectors are gone when this returns."""
        numbers = [number for name in ids if (number := self._places.pop(name)) is not None]
        if numbers:
            self.memo.clear()
        for number in numbers:
            if self._columns["speaker"][number] != NOBODY_SPEAKS:
                self._hear(self._speakers.unheard(number))
            self._lexicon.remove(number)
            conversation = self._columns["conversation"][number]
            self._neighbours.remove(number, conversation)
            self._conversations.leave(conversation)
            self._kinds.leave(self._columns["kind"][number])
            self._categories.leave(self._columns["category"][number])
            for name in ("alive", "embedded", "language", "length", "saying", "text", "number"):
                self._columns[name][number] = 0
            if self._vectors is not None:
                self._vectors.erase(number)
        self._free += numbers
        return len(numbers)

    def name(self, number: int) -> str:
        """The id of a row that the ranking gave."""
        return self._places.name(number)

    def says(self, id: str, text: str) -> bool:
        """Whether there is a row of this id with this very text, as far as a hash can tell."""
        number = self._places.get(id)
        return number is not None and int(self._columns["text"][number]) == mark_of(text)

    def note(self, row: Row) -> None:
        """The last change of a row is another one; what it says is not."""
        self.memo.clear()
        place, facts = self._row(row.id), (row.number, row.superseded, row.at.timestamp(), row.importance)
        for name, value in zip(("number", "superseded", "at", "importance"), facts, strict=True):
            self._columns[name][place] = value

    def changed(self, id: str) -> tuple[int, bool]:
        """The number of a row's last change, and whether it is the tenant's."""
        number = self._row(id)
        return int(self._columns["number"][number]), bool(self._columns["shared"][number])

    def ids(self, within: Filter) -> list[str]:
        """Ids of the rows that `within` lets through, such as all of one conversation, to remove them."""
        return [self.name(int(number)) for number in np.flatnonzero(self.allowed(within))]

    def column(self, name: str) -> NDArray[Any]:
        """One fact of every row, as a view."""
        return self._columns[name].head(self._size)

    @property
    def speakers(self) -> Speakers:
        """Who speaks here; `column("speaker")` holds their codes."""
        return self._speakers

    def wording(self, terms: tuple[str, ...], weights: Weights) -> tuple[Vector, float]:
        """How well each row's words match the `terms`, and what a row that says them all would score."""
        return self.memo.lately(("wording", terms, weights), lambda: self._wording(weights).score(terms))

    @property
    def lexicon(self) -> Lexicon:
        """Which row holds which words."""
        return self._lexicon

    def _wording(self, weights: Weights) -> Wording:
        return self.memo.standing(
            ("words", weights),
            lambda: Wording(
                self._lexicon,
                self._neighbours,
                lengths=self.column("length"),
                lean=self.leaning(weights),
                alive=len(self),
                weights=weights,
            ),
        )

    def leaning(self, weights: Weights) -> Vector:
        """How much each row leans on its neighbours."""
        return self.memo.standing(
            ("leaning", weights),
            lambda: leaning(self.column("length"), weights, self._speakers.assistance()),
        )

    def cosines(self, vector: Vector, *, exact: bool = False) -> Vector | None:
        """Cosine of every row with the unit `vector`, 0 where it has none; None where vectors are elsewhere."""
        if self._vectors is None:
            return None if self.elsewhere else np.zeros(self.size, dtype=np.float32)
        return self._vectors.cosines(vector, self.column("embedded"), exact=exact)

    def scattered(self, near: Mapping[str, float], *, exact: bool = False) -> Vector:
        """Cosines found elsewhere as a column; rows beyond get a share of the farthest, to be `exact` nothing."""
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
        """Which rows `within` lets through, exactly."""
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

    def _narrow(self, mask: NDArray[np.bool_], name: str, codes: Codes, wanted: Collection[str] | None) -> None:
        if wanted is not None:
            mask &= np.isin(self.column(name), codes(wanted))


def _length(text: str, words: Sequence[str]) -> int:
    """How many content words a text has: one that does not say its language has two stems of some."""
    return len(words) if language_of(text) else len(tokens(text, "pt"))
