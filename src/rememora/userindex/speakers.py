"""Speakers of a history, the names they are asked for by, and whether the assistant is one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rememora.language.word_patterns import NAME_PART
from rememora.userindex.columns import LOADED_ROWS, Column, Room, no_room
from rememora.userindex.listening import ASSISTANT, ROLES, USER, Heard, listen
from rememora.userindex.names import Names

# `Note:` may open one message; who opens several is somebody who speaks.
_SEVERAL: Final = 3
_CALLS_LEAST, _CALLS_SHARE = 2, 0.2
# An assistant has next to no `my` (0 to 0.3 % of its words), people have 1 to 3 %.
_MINE_OF_ASSISTANT, _MINE_OF_PERSON = 0.003, 0.007
_WORDS_TO_JUDGE = 200
_NO_CALL = -1
# One array per fact, all indexed by row; narrow types, because a large user has hundreds of thousands.
_COLUMNS: Final[dict[str, type[np.generic]]] = {
    "who": np.int32,
    "role": np.int8,
    "named": np.int8,
    "words": np.int32,
    "mine": np.int32,
    "call": np.int32,
}
Call = tuple[int, tuple[str, ...]]
"""Who calls, and by which names."""
_Saved = tuple[
    dict[str, int],
    int,
    dict[str, int],
    dict[str, int],
    dict[int, str],
    dict[int, dict[str, int]],
    tuple[list[Call | None], list[int]],
    tuple[int, int],
]


class Speakers:
    """Codes for who speaks: 0 the user, 1 the assistant, more for people that the texts name."""

    def __init__(self, room: Room = no_room) -> None:
        self._codes: dict[str, int] = {}
        self._people: dict[int, str] = {}
        self._next_code = len(ROLES)
        self._turns: Counter[str] = Counter()
        self._named: Counter[str] = Counter()
        # Rows that open with a name which may not be one.
        self._unsure: dict[int, str] = {}
        self._calls: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._called = Names[Call]()
        self._room = room
        self._held: dict[str, Column] | None = None
        # The facts of the first rows, as they came: until somebody else speaks, only their sums are asked for.
        self._loaded: Mapping[str, NDArray[Any]] | None = None
        self._words, self._mine = 0, 0
        self._names: dict[str, int] | None = None

    @property
    def _facts(self) -> dict[str, Column]:
        """Columns that rows can be added to and taken from."""
        if self._held is None:
            self._held = {
                name: Column(kind, empty=_NO_CALL if name == "call" else 0, room=self._room)
                for name, kind in _COLUMNS.items()
            }
            loaded, self._loaded = self._loaded, None
            if loaded is not None:
                self._enter(0, loaded)
        return self._held

    def _enter(self, start: int, facts: Mapping[str, NDArray[Any]]) -> None:
        columns, end = self._facts, start + len(facts["role"])
        for name, values in {**facts, "who": facts["role"]}.items():
            columns[name].fill(start, end, values)
        for name in ("named", "call"):
            columns[name].reserve(end)

    def state(self) -> dict[str, NDArray[Any]]:
        """All of it, as arrays."""
        rest = (
            self._codes,
            self._next_code,
            dict(self._turns),
            dict(self._named),
            self._unsure,
            {code: dict(calls) for code, calls in self._calls.items()},
            self._called.state,
            (self._words, self._mine),
        )
        facts = {name: column.head(len(column)) for name, column in self._facts.items()}
        return {**facts, "rest": np.frombuffer(msgspec.msgpack.encode(rest), dtype=np.uint8)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Be what was saved."""
        rest = msgspec.msgpack.decode(state["rest"].tobytes(), type=_Saved, strict=False)
        self._codes, self._next_code, turns, named, self._unsure, calls, called, counted = rest
        self._called.restore(*called)
        self._people = {code: speaker for speaker, code in self._codes.items()}
        self._turns, self._named = Counter(turns), Counter(named)
        self._calls.update({code: Counter(called) for code, called in calls.items()})
        self._words, self._mine = counted
        for name, column in self._facts.items():
            column.restore(state[name])

    def heard(self, number: int, *, text: str, role: str, name: str | None) -> dict[int, int]:
        """Return the speaker of row `number`, as codes per row: a certain name also applies to earlier rows."""
        return self.hear(number, listen(text, role=role, name=name))

    def hear(self, number: int, heard: Heard) -> dict[int, int]:
        """Add the speaker facts of a message; as `heard`."""
        self._names = None
        for column in self._facts.values():
            column.reserve(number + 1)
        facts = {"role": heard.role, "words": heard.words, "mine": heard.mine}
        for name, value in facts.items():
            self._facts[name][number] = value
        self._words += heard.words
        self._mine += heard.mine
        return self._told(number, heard.speaker, heard.named, heard.called)

    def hear_many(
        self,
        start: int,
        facts: Mapping[str, NDArray[Any]],
        turns: Mapping[int, tuple[str, bool, tuple[str, ...]]],
    ) -> dict[int, int]:
        """Take in rows from `start` on, none of which was there: facts of each, and who speaks in a few.

        Returns the codes of those rows, and of others, of which more is to be said than their role.
        """
        self._names = None
        if self._held is None and not start and len(facts["role"]) <= LOADED_ROWS:
            self._loaded = facts
        else:
            self._enter(start, facts)
        self._words += int(facts["words"].sum())
        self._mine += int(facts["mine"].sum())
        codes: dict[int, int] = {}
        for number, (speaker, named, called) in turns.items():
            codes |= self._told(number, speaker, named, called)
        return codes

    def _told(self, number: int, speaker: str, named: bool, called: tuple[str, ...]) -> dict[int, int]:
        """Return the speaker of a row as far as its text says, and of earlier ones of the same name."""
        roles = {number: int(self._facts["role"][number])}
        if speaker:
            self._unsure[number] = speaker
            self._turns[speaker] += 1
            self._named[speaker] += named
            self._facts["named"][number] = named
            if self._is_sure(speaker):
                roles = self._introduced(speaker)
        for row, code in roles.items():
            self._recode(row, code)
        if called:
            self._call(number, roles[number], called)
        return roles

    def unheard(self, number: int) -> dict[int, int]:
        """Remove the speaker facts of row `number`; return the codes of other rows that change by it."""
        self._names = None
        code = int(self._facts["who"][number])
        speaker = self._unsure.pop(number, None) or self._people.get(code)
        self._recode(number, USER)
        self._hang_up(number)
        self._words -= int(self._facts["words"][number])
        self._mine -= int(self._facts["mine"][number])
        named = int(self._facts["named"][number])
        for column in self._facts.values():
            column[number] = 0
        self._facts["call"][number] = _NO_CALL
        if speaker is None:
            return {}
        self._turns = self._turns - Counter({speaker: 1})
        self._named = self._named - Counter({speaker: named})
        # A name that only this row made credible is no speaker any more: its other rows change as well.
        return {} if speaker not in self._codes or self._is_sure(speaker) else self._doubted(speaker)

    def _is_sure(self, speaker: str) -> bool:
        return bool(self._named[speaker]) or self._turns[speaker] >= _SEVERAL

    def _introduced(self, speaker: str) -> dict[int, int]:
        """The code of somebody, for the rows in which it was not sure that they are one."""
        if speaker not in self._codes:
            self._codes[speaker] = self._next_code
            self._people[self._next_code] = speaker
            self._next_code += 1
        rows = [row for row, name in self._unsure.items() if name == speaker]
        for row in rows:
            del self._unsure[row]
        return dict.fromkeys(rows, self._codes[speaker])

    def _doubted(self, speaker: str) -> dict[int, int]:
        """The rows of somebody who is not sure to be one any more, with the code of their role."""
        code = self._codes.pop(speaker)
        del self._people[code]
        rows = np.flatnonzero(self._facts["who"].head(len(self._facts["who"])) == code).tolist()
        self._unsure |= dict.fromkeys(rows, speaker)
        roles = {row: int(self._facts["role"][row]) for row in rows}
        for row, role in roles.items():
            self._recode(row, role)
        return roles

    def _recode(self, number: int, code: int) -> None:
        """Somebody else speaks in a row, and calls whom it calls."""
        self._facts["who"][number] = code
        made = self._hang_up(number)
        if made is not None:
            self._call(number, code, made[1])

    def _call(self, number: int, code: int, called: tuple[str, ...]) -> None:
        self._facts["call"][number] = self._called.enter((code, called))
        self._calls[code].update(called)

    def _hang_up(self, number: int) -> Call | None:
        call = self._facts["call"][number]
        made = None if call == _NO_CALL else self._called.name(call)
        if made is not None:
            calls = self._calls[made[0]]
            calls.subtract(made[1])
            for name in made[1]:
                if calls[name] <= 0:
                    del calls[name]
            self._called.leave(call)
            self._facts["call"][number] = _NO_CALL
        return made

    @property
    def nbytes(self) -> int:
        return sum(held.nbytes for held in (self._loaded or self._facts).values())

    def names(self) -> dict[str, int]:
        """Return the folded names one may ask by, each with the code of its speaker."""
        if self._names is None:
            self._names = self._find_names()
        return self._names

    def _find_names(self) -> dict[str, int]:
        called = {
            name: other
            for code, calls in sorted(self._calls.items())
            if (other := self._other(code)) is not None
            for name, count in calls.items()
            if count >= _CALLS_LEAST and count >= _CALLS_SHARE * calls.total()
        }
        # `Ana Maria` is also asked about as `Ana`.
        first = {(NAME_PART.findall(full) or [full])[0]: code for full, code in self._codes.items()}
        return called | first | self._codes

    def _other(self, code: int) -> int | None:
        """In a talk of two, whom the one speaks to."""
        if code < len(ROLES):
            return ASSISTANT - code
        others = [other for other in self._codes.values() if other != code]
        return others[0] if len(others) == 1 else None

    def assistance(self) -> float:
        """1 where the assistant speaks like one, 0 where it is a person or there is none."""
        if not self._words:
            return 0.0
        if self._words < _WORDS_TO_JUDGE:
            return 1.0
        person = (self._mine / self._words - _MINE_OF_ASSISTANT) / (_MINE_OF_PERSON - _MINE_OF_ASSISTANT)
        return 1.0 - min(1.0, max(0.0, person))
