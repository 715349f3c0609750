"""Small integers for what many rows share, so that a column can hold them; gone with the last row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rememora.userindex.columns import Column, Room, no_room
from rememora.userindex.id_table import IdTable

N = TypeVar("N", bound=Hashable)
_NONE_YET: tuple[str | None, int] = (None, 0)


class Names(Generic[N]):
    """A code for each of few things, counted: what nobody holds any more is forgotten."""

    def __init__(self) -> None:
        self._codes: dict[N, int] = {}
        self._names: list[N | None] = []
        self._held: list[int] = []

    def enter(self, name: N) -> int:
        """The code of a name that one more row holds."""
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self._names)
            self._names.append(name)
            self._held.append(0)
        self._held[code] += 1
        return code

    def enter_many(self, names: Sequence[N]) -> NDArray[np.int64]:
        """The codes of names that one more row each holds."""
        if not self._names:
            self._names = [*dict.fromkeys(names)]
            self._codes = {name: code for code, name in enumerate(self._names) if name is not None}
            begun = np.fromiter(map(self._codes.__getitem__, names), np.int64, len(names))
            self._held = np.bincount(begun).tolist()
            return begun
        codes: dict[N, int] = {}
        for name, times in Counter(names).items():
            codes[name] = self.enter(name)
            self._held[codes[name]] += times - 1
        return np.fromiter(map(codes.__getitem__, names), np.int64, len(names))

    def leave(self, code: int) -> None:
        """One row less holds it."""
        self._held[code] -= 1
        if not self._held[code]:
            name, self._names[code] = self._names[code], None
            if name is not None:
                del self._codes[name]

    def name(self, code: int) -> N | None:
        return self._names[code]

    def codes(self, names: Iterable[N]) -> list[int]:
        """The codes of those names that somebody holds."""
        return [self._codes[name] for name in names if name in self._codes]

    @property
    def state(self) -> tuple[list[N | None], list[int]]:
        """In the order of their codes: names, and how many hold them."""
        return self._names, self._held

    def restore(self, names: list[N | None], numbers: list[int]) -> None:
        """Be what was saved."""
        self._names, self._held = names, numbers
        self._codes = {name: code for code, name in enumerate(names) if name is not None}


class ConversationCodes:
    """The same for names of which there may be very many, in a few bytes each."""

    def __init__(self, room: Room = no_room) -> None:
        self._places = IdTable(room)
        self._held = Column(np.int64, room=room)
        self._free: list[int] = []
        self._next = 0
        self._last = _NONE_YET

    def enter(self, name: str) -> int:
        """Return the code of a conversation, and count one more row in it."""
        # Turns mostly come one after the other.
        if name == self._last[0]:
            self._held[self._last[1]] += 1
            return self._last[1]
        # An empty name has no bytes to be found by.
        written = f"={name}"
        code = self._places.get(written)
        if code is None:
            code = self._free.pop() if self._free else self._next
            self._next = max(self._next, code + 1)
            self._places.put(written, code)
            self._held.reserve(code + 1)
        self._held[code] += 1
        self._last = (name, code)
        return code

    def enter_many(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Return the codes of conversations, and count one more row in each."""
        if not self._next:
            return self._begin(names)
        codes: dict[str, int] = {}
        for name, times in Counter(names).items():
            codes[name] = self.enter(name)
            self._held[codes[name]] += times - 1
        return np.fromiter(map(codes.__getitem__, names), np.int64, len(names))

    def _begin(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Enter the first conversations, which need not be looked for."""
        codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
        entered = np.fromiter(map(codes.__getitem__, names), np.int64, len(names))
        self._next = len(codes)
        self._places.put_many([f"={name}" for name in codes], 0)
        self._held.fill(0, self._next, np.bincount(entered))
        return entered

    def leave(self, code: int) -> None:
        """Count one row less in a conversation."""
        self._held[code] -= 1
        if not self._held[code]:
            self._last = _NONE_YET
            self._places.pop(self._places.name(code))
            self._free.append(code)

    def codes(self, names: Iterable[str]) -> list[int]:
        """Return the codes of those conversations that have rows."""
        places = (self._places.get(f"={name}") for name in names)
        return [code for code in places if code is not None]

    def state(self) -> dict[str, NDArray[np.generic]]:
        """All of it, as arrays."""
        return {**self._places.state(), "held": self._held.head(self._next)}

    def restore(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Be what was saved."""
        self._places.restore(state)
        self._held.restore(state["held"])
        self._next = len(state["held"])
        self._free = np.flatnonzero(state["held"] == 0).tolist()

    @property
    def nbytes(self) -> int:
        return self._places.nbytes + self._held.nbytes
