"""Static check of regular expressions: which of them need more than linear work on some text.

A backtracking search is worse than linear when a word `v` leads from the start of the pattern (which may begin
anywhere) into a loop, and also once around that loop: then each of the n copies of `v` in a text begins an attempt
that reads all copies after it. The same holds for two loops in a row that both go round on `v`. The check builds
the automaton of a pattern and looks for such a word, so that it needs no clock and no sample text.

Repeats with an upper bound do a bounded amount of work per attempt and are no loops. Anchors, `\\b` and assertions
of one character are followed exactly; longer ones are taken to hold, so that no loop is missed for them.
"""

from __future__ import annotations

import re
import string
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

ops: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

_SAMPLES = string.ascii_letters + string.digits + " \t\n_#.,;:!?-'\"“”()[]{}<>@/\\|&%$*+=~`^€éãçÀ²—一"
_UNROLLED = 3
EDGE = 1  # Bit 0 of a mask: before the first or after the last character.


_Walks = tuple[frozenset[int] | None, ...]


class Edge(NamedTuple):
    """A way from one state to another: what may stand before, what is read (None: nothing), what may come next."""

    before: int
    read: int | None
    after: int
    to: int


class Automaton:
    """The automaton of one pattern over a finite sample of characters."""

    def __init__(self, tree: Any, flags: int) -> None:
        self._flags = flags
        self._chars = self._alphabet(tree)
        self.every = (1 << (len(self._chars) + 1)) - 1
        self._masks: dict[str, int] = {}
        self._edges: list[list[Edge]] = []
        self.heads: list[int] = []
        self.settled: set[int] = set()
        self.apart: list[Any] = []
        self.start = self._state()
        self.accept = self._sequence(tree, self.start)
        self._closures: dict[int, tuple[tuple[int, int, int], ...]] = {}
        self._merge()

    def _alphabet(self, tree: Any) -> list[str]:
        result = set(_SAMPLES)

        def walk(node: Any) -> None:
            if isinstance(node, parser.SubPattern | list | tuple):
                for item in node:
                    walk(item)
            elif isinstance(node, int) and not isinstance(node, bool) and 8 < node < 0x10000:
                result.add(chr(node))

        walk(tree)
        return sorted(result)

    # Building

    def _state(self) -> int:
        self._edges.append([])
        return len(self._edges) - 1

    def _link(self, start: int, to: int, *, before: int = -1, read: int | None = None, after: int = -1) -> None:
        self._edges[start].append(Edge(before & self.every, read, after & self.every, to))

    def _sequence(self, items: Iterable[Any], start: int) -> int:
        for op, value in items:
            start = self._item(op, value, start)
        return start

    def _item(self, op: Any, value: Any, start: int) -> int:
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN, ops.GROUPREF):
            end = self._state()
            self._link(start, end, read=self._mask(op, value))
            return end
        if op is ops.BRANCH:
            end = self._state()
            for branch in value[1]:
                self._link(self._sequence(branch, start), end)
            return end
        if op in (ops.SUBPATTERN, ops.ATOMIC_GROUP):
            return self._sequence(value[3] if op is ops.SUBPATTERN else value, start)
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            low, high, body = value
            possessive = op is ops.POSSESSIVE_REPEAT
            return (self._possess if possessive else self._repeat)(low, high, body, start)
        if op is ops.GROUPREF_EXISTS:
            end = self._state()
            for branch in value[1:]:
                self._link(self._sequence(branch or (), start), end)
            return end
        return self._assertion(op, value, start)

    def _repeat(self, low: int, high: int, body: Any, start: int) -> int:
        if high is ops.MAXREPEAT:
            for _ in range(min(low, _UNROLLED)):
                start = self._sequence(body, start)
            return self._star(body, start, counted=True)
        if len(body) == 1 and body[0][0] in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN) and high > _UNROLLED:
            for _ in range(min(low, _UNROLLED)):
                start = self._sequence(body, start)
            return self._star(body, start, counted=False)
        end = self._state()
        for place in range(min(high, max(low, _UNROLLED))):
            if place >= low:
                self._link(start, end)
            start = self._sequence(body, start)
        self._link(start, end)
        return end

    def _possess(self, low: int, high: int, body: Any, start: int) -> int:
        """A possessive loop: it ends in one way only, so that nothing in it is tried again for what follows."""
        known = len(self.heads)
        end = self._repeat(low, high, body, start)
        self.settled.update(self.heads[known:])
        self.apart.append(body)
        return end

    def _star(self, body: Any, start: int, *, counted: bool) -> int:
        head = self._state()
        self._link(start, head)
        self._link(self._sequence(body, head), head)
        if counted:
            self.heads.append(head)
        out = self._state()
        self._link(head, out)
        return out

    def _assertion(self, op: Any, value: Any, start: int) -> int:
        end = self._state()
        if op is ops.AT:
            word = self._word
            if value in (ops.AT_BOUNDARY, ops.AT_NON_BOUNDARY):
                sides = (word, ~word), (~word, word)
                if value is ops.AT_NON_BOUNDARY:
                    sides = (word, word), (~word, ~word)
                for before, after in sides:
                    self._link(start, end, before=before, after=after)
            elif value in (ops.AT_BEGINNING, ops.AT_BEGINNING_STRING):
                lines = self._of("\n".__eq__) if self._flags & re.MULTILINE and value is ops.AT_BEGINNING else 0
                self._link(start, end, before=EDGE | lines)
            else:
                self._link(start, end, after=EDGE | self._of("\n".__eq__))
            return end
        if op not in (ops.ASSERT, ops.ASSERT_NOT):
            raise NotImplementedError(str(op))
        direction, body = value
        return self._look(op, direction, body, start, end)

    def _look(self, op: Any, direction: int, body: Any, start: int, end: int) -> int:
        mask = self._single(body)
        if direction > 0 and mask is None:
            # The body of a longer lookahead reads on from here: a loop in it counts, though it leads nowhere.
            self._sequence(body, start)
        if mask is None:
            self._link(start, end)
            return end
        if op is ops.ASSERT_NOT:
            mask = self.every & ~mask
        self._link(start, end, **{"before" if direction < 0 else "after": mask})
        return end

    def _single(self, body: Any) -> int | None:
        """The characters of an assertion that is one character wide, or `^`, or a choice of such."""
        if len(body) != 1:
            return None
        op, value = body[0]
        if op in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN):
            return self._mask(op, value)
        if op is ops.AT and value in (ops.AT_BEGINNING, ops.AT_END, ops.AT_BEGINNING_STRING, ops.AT_END_STRING):
            return EDGE
        if op is ops.BRANCH:
            masks = [self._single(branch) for branch in value[1]]
            known = [mask for mask in masks if mask is not None]
            return None if len(known) < len(masks) else sum_masks(known)
        if op is ops.SUBPATTERN:
            return self._single(value[3])
        return None

    @cached_property
    def _word(self) -> int:
        return self._of(lambda char: char.isalnum() or char == "_")

    def _of(self, test: Any) -> int:
        return sum(1 << place for place, char in enumerate(self._chars, 1) if test(char))

    def _mask(self, op: Any, value: Any) -> int:
        """Characters that an item reads, worked out once for all items that are alike."""
        named = str((op, value))
        if named not in self._masks:
            self._masks[named] = self._read_by(op, value)
        return self._masks[named]

    def _read_by(self, op: Any, value: Any) -> int:
        if op is ops.GROUPREF:
            return self.every & ~EDGE
        if op is ops.ANY:
            return self._of(lambda char: self._flags & re.DOTALL or char != "\n")
        if op is ops.NOT_LITERAL:
            return self._of(lambda char: not self._same(char, value))
        if op is ops.LITERAL:
            return self._of(lambda char: self._same(char, value))
        return self._of(lambda char: self._in(char, value))

    def _same(self, char: str, code: int) -> bool:
        if self._flags & re.IGNORECASE:
            return char.lower() == chr(code).lower()
        return ord(char) == code

    def _in(self, char: str, members: Sequence[tuple[Any, Any]]) -> bool:
        forms = {char, char.lower(), char.upper()} if self._flags & re.IGNORECASE else {char}
        negated = members[0][0] is ops.NEGATE
        result = any(_member(form, op, value) for form in forms for op, value in members if op is not ops.NEGATE)
        return result != negated

    # Stepping

    def _closure(self, state: int) -> tuple[tuple[int, int, int], ...]:
        """States reached without reading: what must stand before, what must come next, and the state."""
        if state not in self._closures:
            seen = {(self.every, self.every, state)}
            ahead = deque(seen)
            while ahead:
                before, after, local = ahead.popleft()
                for edge in self._edges[local]:
                    reached = (before & edge.before, after & edge.after, edge.to)
                    if edge.read is None and reached[0] and reached[1] and reached not in seen:
                        seen.add(reached)
                        ahead.append(reached)
            self._closures[state] = tuple(seen)
        return self._closures[state]

    def _merge(self) -> None:
        """Find the ways on from each state, and take states that go on alike for one."""
        raw = [self._read_from(state) for state in range(len(self._edges))]
        alike = list(range(len(raw)))
        ends = [self.ends(state) for state in alike]
        while True:
            known: dict[Any, int] = {}
            merged = [
                known.setdefault((ends[at], frozenset((*step[:2], alike[step[2]]) for step in steps)), at)
                for at, steps in enumerate(raw)
            ]
            if merged == alike:
                break
            alike = merged
        self._ways = {
            at: tuple({(*step[:2], alike[step[2]]) for step in raw[at]}) for at in {*alike, alike[self.start]}
        }
        self.start = alike[self.start]
        self.heads = sorted({alike[head] for head in self.heads})
        self.settled = {alike[head] for head in self.settled}

    def _read_from(self, state: int) -> set[tuple[int, int, int]]:
        items = {
            (before & edge.before, after & edge.read & edge.after, edge.to)
            for before, after, local in self._closure(state)
            for edge in self._edges[local]
            if edge.read is not None
        }
        return {item for item in items if item[0] and item[1]}

    def steps(self, state: int) -> tuple[tuple[int, int, int], ...]:
        """Each way on from a state by one character: what must stand before, the character, the next state."""
        return self._ways[state]

    def ends(self, state: int) -> bool:
        """Whether a match may end here whatever stands around: no attempt that comes this far fails."""
        return any(
            before == self.every and after == self.every and local == self.accept
            for before, after, local in self._closure(state)
        )

    def states(self) -> Iterator[int]:
        """States that reading a character leads to, from the start."""
        seen = {self.start}
        ahead = deque(seen)
        while ahead:
            for _, _, to in self.steps(ahead.popleft()):
                if to not in seen:
                    seen.add(to)
                    ahead.append(to)
                    yield to

    @cached_property
    def contexts(self) -> list[int]:
        """Sets of characters that no condition on what stands before tells apart."""
        masks = {step[0] for state in (self.start, *self.states()) for step in self.steps(state)}
        parted = [self.every & ~EDGE]
        for mask in masks:
            parted = [piece for part in parted for piece in (part & mask, part & ~mask) if piece]
        return parted

    def text(self, atoms: Sequence[int]) -> str:
        """A text that goes through the given sets of characters."""
        return "".join(self._chars[(atom & -atom).bit_length() - 2] for atom in atoms)


def sum_masks(masks: Iterable[int]) -> int:
    """Every bit of the given masks."""
    count = 0
    for mask in masks:
        count |= mask
    return count


def _member(char: str, op: Any, value: Any) -> bool:
    if op is ops.LITERAL:
        return bool(ord(char) == value)
    if op is ops.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    pattern = {
        ops.CATEGORY_DIGIT: r"\d",
        ops.CATEGORY_NOT_DIGIT: r"\D",
        ops.CATEGORY_SPACE: r"\s",
        ops.CATEGORY_NOT_SPACE: r"\S",
        ops.CATEGORY_WORD: r"\w",
        ops.CATEGORY_NOT_WORD: r"\W",
    }[value]
    return re.fullmatch(pattern, char) is not None


def pump(pattern: str, flags: int = 0) -> str | None:
    """A word whose repetition makes the pattern do more than linear work, or None when there is none."""
    tree = parser.parse(pattern, flags)
    return _pump(tree, tree.state.flags, searched=True)


def _pump(tree: Any, flags: int, *, searched: bool) -> str | None:
    if not _repeats_freely(tree):
        return None
    made = Automaton(tree, flags)
    reached = set(made.states())
    surrounding = {head: _around(made, head) for head in made.heads if head in reached}
    loops = [head for head, cycle in surrounding.items() if cycle and not made.ends(head)]
    for begin, goal, walks in _suspects(made, loops, surrounding, searched=searched):
        if (word := _joint(made, begin, goal, walks)) is not None:
            return word
    inner = (_pump(body, flags, searched=False) for body in made.apart)
    return next((word for word in inner if word is not None), None)


def _repeats_freely(node: Any) -> bool:
    """Whether anything in a pattern may be repeated without end."""
    if isinstance(node, parser.SubPattern | list | tuple):
        return any(_repeats_freely(item) for item in node)
    return node is ops.MAXREPEAT


def _suspects(
    made: Automaton, loops: Sequence[int], surrounding: Mapping[int, frozenset[int]], *, searched: bool
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], _Walks]]:
    """Which states one word would have to lead where for a search to be worse than linear."""
    for head in loops:
        if searched:
            yield (made.start, head), (head, head), (None, surrounding[head])
        if head not in made.settled:
            yield (head, head), (head, head), (surrounding[head], surrounding[head])
    for first in [head for head in loops if head not in made.settled]:
        ahead = _ahead(made, first)
        for second in loops:
            if first != second and second in ahead and _overlap(made, surrounding[first], surrounding[second]):
                yield (
                    (first, first, second),
                    (first, second, second),
                    (surrounding[first], None, surrounding[second]),
                )


def _ahead(made: Automaton, state: int) -> set[int]:
    """States that can be reached from one by reading."""
    seen: set[int] = set()
    ahead = deque([state])
    while ahead:
        for _, _, to in made.steps(ahead.popleft()):
            if to not in seen:
                seen.add(to)
                ahead.append(to)
    return seen


def _around(made: Automaton, state: int) -> frozenset[int]:
    """States on a way from a state back to itself."""
    ahead = _ahead(made, state)
    before: dict[int, list[int]] = {entry: [] for entry in ahead}
    for item in ahead:
        for _, _, to in made.steps(item):
            before[to].append(item)
    cycle: set[int] = set()
    back = deque([state] if state in ahead else [])
    while back:
        for item in before[back.popleft()]:
            if item not in cycle:
                cycle.add(item)
                back.append(item)
    return frozenset(cycle)


def _overlap(made: Automaton, first: frozenset[int], second: frozenset[int]) -> bool:
    """Whether two loops read a character in common."""
    masks = [
        sum_masks(read for state in loop for _, read, to in made.steps(state) if to in loop)
        for loop in (first, second)
    ]
    return bool(masks[0] & masks[1])


_Node = tuple[tuple[int, ...], int, bool]


def _joint(made: Automaton, begin: tuple[int, ...], goal: tuple[int, ...], walks: _Walks) -> str | None:
    """A word that leads each state of `begin` to that of `goal`, not all by the same way, and can be repeated."""
    contexts = made.contexts
    for last in contexts:
        first = (begin, last, len(set(begin)) > 1)
        came: dict[_Node, tuple[_Node, int] | None] = {first: None}
        ahead: deque[_Node] = deque([first])
        while ahead:
            node = ahead.popleft()
            for places, read in _onward(made, node[0], node[1], walks):
                parted = node[2] or len(set(places)) > 1
                for context in contexts:
                    if not read & context:
                        continue
                    if places == goal and context == last and parted:
                        return _word(made, came, node, read & context)
                    onward = (places, context, parted)
                    if onward not in came:
                        came[onward] = node, read & context
                        ahead.append(onward)
    return None


def _word(made: Automaton, came: Mapping[_Node, tuple[_Node, int] | None], node: _Node, last: int) -> str:
    masks = [last]
    while (step := came[node]) is not None:
        node, mask = step
        masks.append(mask)
    return made.text(masks[::-1])


def _onward(
    made: Automaton, places: tuple[int, ...], before: int, walks: _Walks
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Where the states go together by one character, and by which."""
    ways: list[tuple[tuple[int, ...], int]] = [((), made.every & ~EDGE)]
    for place, walk in zip(places, walks, strict=True):
        steps = [
            (read, to) for need, read, to in made.steps(place) if need & before and (walk is None or to in walk)
        ]
        ways = [((*way, to), mask & read) for way, mask in ways for read, to in steps if mask & read]
        if not ways:
            return
    yield from ways
