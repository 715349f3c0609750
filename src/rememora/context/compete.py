"""Lets memories, passages, entities and the summary compete for the remaining tokens, by worth per token.

A larger budget never holds less worth, as long as each item has a line of its own: the first candidate that fits
it and did not fit the smaller one is worth more than everything that the smaller budget holds instead. Messages of
one day share a line and its date, so that each is cheaper once another of that day is taken.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

import msgspec

from rememora.context.day_lines import DayKey, day_key
from rememora.context.worth import PASSAGES, covered
from rememora.domain.context import Item, Omission, Section
from rememora.language import tokens

GAP: Final = "…"
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


Cost = Callable[[Item], int]
"""Tokens of an item as it is written down."""
Numbered = tuple[int, Item]

LONG_TOKENS = 120
"""Tokens above which a passage may be excerpted, and at which its worth per token is then judged."""
LEAST_EXCERPT = 24
ALIKE = 0.8
"""Share of words in common with a chosen passage above which a passage adds little."""
COVERED = 0.5
"""Share of a message's words that a memory in the profile must contain to replace the message."""


def _nothing(_: Item) -> int:
    return 0


class Prices(msgspec.Struct, frozen=True):
    """Tokens of an item on a line of its own, and those that a message saves on the line of its day."""

    alone: Cost
    saved: Cost = _nothing


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """The candidates, and the items that are already in the pack."""

    candidates: Sequence[Numbered]
    caps: Mapping[Section, int]
    said: frozenset[str]
    """Messages among the newest ones."""
    known: Mapping[str, Item]
    """Statements that are in the pack, by the message each was learned from."""
    least_worth: float
    query: str
    prices: Prices


def choose(pool: Pool, *, room: int) -> tuple[list[Numbered], dict[int, Omission]]:
    """The chosen candidates, in no order, and the reason for each of the others."""
    choice = _Choice(pool, room)
    heap = [(-item.worth / _price(item), index, item) for index, item in choice.worthwhile()]
    heapify(heap)
    compared: set[int] = set()
    while heap:
        density, index, item = heappop(heap)
        if choice.is_settled(index):
            continue
        if index not in compared:
            compared.add(index)
            news = choice.news(index, item)
            if news < 1:
                # Beside what has been taken meanwhile it tells little more: it has to wait for its turn.
                heappush(heap, (density * news, index, item))
                continue
        if choice.holds(index, item):
            # An excerpt has its place now, the whole only where the rest leaves room for it.
            heappush(heap, (density * _price(item) / item.tokens, index, item))
            continue
        for other, cheaper, price in choice.judge(index, item):
            # It competes again at the price that it has beside the one just taken.
            heappush(heap, (-cheaper.worth / price, other, cheaper))
            compared.discard(other)
    return choice.kept(), choice.why


def _price(item: Item) -> int:
    """Tokens at which an item's worth is judged: a long message would be excerpted."""
    return LONG_TOKENS if _is_long(item) else max(1, item.tokens)


def _is_long(item: Item) -> bool:
    return item.section in PASSAGES and item.kind == "message" and item.tokens > LONG_TOKENS


def _length(word: str) -> tuple[int, str]:
    return len(word), word


class _Choice:
    """The choice so far, and the reasons for leaving out the rest."""

    def __init__(self, pool: Pool, room: int) -> None:
        self._pool, self._left = pool, room
        self._kept: dict[int, Item] = {}
        self._spent: Counter[Section] = Counter()
        # Messages that memories in the pack were learned from; and kept messages, with memories they stand for.
        self._told = {item.source for item in pool.known.values() if item.section != "profile"}
        self._turns: dict[str, list[str]] = {}
        self._held: dict[int, int] = {}
        self._words: dict[int, tuple[str, frozenset[str]]] = {}
        self._said: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
        # Days of which a message is taken, and the messages of each day that could join it.
        self._begun: set[DayKey] = set()
        self._days: defaultdict[DayKey, list[Numbered]] = defaultdict(list)
        self.why: dict[int, Omission] = {}

    def worthwhile(self) -> list[Numbered]:
        """Return the candidates that are worth their tokens and not yet in the pack."""
        chosen: list[Numbered] = []
        for index, item in self._pool.candidates:
            # Unlikely to help: tokens that stay unused are better than a distraction.
            if item.worth < self._pool.least_worth:
                self.why[index] = "worth"
            elif item.section in PASSAGES and self._is_known(item):
                self.why[index] = "repeated"
            else:
                chosen.append((index, item))
                if (day := day_key(item)) is not None and not _is_long(item):
                    self._days[day].append((index, item))
        return chosen

    def is_settled(self, index: int) -> bool:
        """Tell whether an item was taken or refused."""
        return index in self._kept or index in self.why

    def news(self, index: int, item: Item) -> float:
        """Return the share of its worth that a passage keeps next to those taken: all, unless it resembles one."""
        if item.section not in PASSAGES:
            return 1.0
        words = frozenset(item.text.casefold().split())
        # Texts that are much alike mostly have their longest word in common: only those are compared.
        longest = max(words, key=_length, default="")
        self._words[index] = longest, words
        shared = max([len(words & said) for said in self._said[longest]], default=0)
        return 1 - shared / len(words) if shared and shared >= ALIKE * len(words) else 1.0

    def holds(self, index: int, item: Item) -> bool:
        """Reserve space for the excerpt of a long message, once; return whether it was reserved now."""
        if not _is_long(item) or index in self._held or self._left < LEAST_EXCERPT:
            return False
        self._held[index] = min(LONG_TOKENS, self._left)
        self._left -= self._held[index]
        return True

    def judge(self, index: int, item: Item) -> list[tuple[int, Item, int]]:
        """Take an item, or record why not; returns those that are cheaper beside it, each with its price."""
        # Tokens were kept back for this item; from here on it competes with them like any other.
        self._left += self._held.get(index, 0)
        if self._repeats(item):
            self.why[index] = "repeated"
        elif self._spent[item.section] + min(item.tokens, _price(item)) > self._pool.caps[item.section]:
            self.why[index] = "cap" if item.tokens <= self._left else "budget"
        elif (shown := self._shown(item)) is None:
            self.why[index] = "budget"
        else:
            self._take(index, shown)
            return self._begin_day(shown)
        return []

    def _begin_day(self, item: Item) -> list[tuple[int, Item, int]]:
        """Open the line of a message's day, once; returns the others of that day at their new price."""
        day = day_key(item)
        if day is None or day in self._begun:
            return []
        self._begun.add(day)
        waiting = [pair for pair in self._days[day] if not self.is_settled(pair[0])]
        return [(index, other, max(1, other.tokens - self._pool.prices.saved(other))) for index, other in waiting]

    def _saved(self, item: Item) -> int:
        return self._pool.prices.saved(item) if day_key(item) in self._begun else 0

    def kept(self) -> list[Numbered]:
        """Return the chosen items; a message names the memories that it replaces."""
        return [
            (index, msgspec.structs.replace(item, stands_for=tuple(ids)))
            if item.section in PASSAGES and (ids := self._turns.get(item.id or ""))
            else (index, item)
            for index, item in self._kept.items()
        ]

    def _shown(self, item: Item) -> Item | None:
        """Return an item as far as it fits: whole, or the sentences of a long passage around the match."""
        saved = self._saved(item)
        if item.tokens - saved <= self._left:
            return msgspec.structs.replace(item, tokens=item.tokens - saved) if saved else item
        if not _is_long(item) or self._left < LEAST_EXCERPT:
            return None
        shown = excerpt(item, self._pool.query, min(self._left, LONG_TOKENS), cost=self._pool.prices.alone)
        return shown and msgspec.structs.replace(shown, tokens=shown.tokens - saved)

    def _take(self, index: int, item: Item) -> None:
        self._left -= item.tokens
        self._spent[item.section] += item.tokens
        self._kept[index] = item
        if item.section in PASSAGES:
            self._turns.setdefault(item.id or "", [])
            longest, words = self._words[index]
            self._said[longest].append(words)
        elif item.source:
            self._told.add(item.source)

    def _is_known(self, item: Item) -> bool:
        """Tell whether a message is among the newest, or the profile contains most of it."""
        known = self._pool.known.get(item.id or "")
        return item.id in self._pool.said or (known is not None and covered(item, known) >= COVERED)

    def _repeats(self, item: Item) -> bool:
        """Tell whether the message that a memory was learned from is taken, or the other way round."""
        if item.section in PASSAGES:
            return item.id in self._told
        if item.kind != "memory" or item.trust == "operator" or item.source not in self._turns:
            return False
        self._turns[item.source].append(item.id or "")
        return True


def excerpt(item: Item, query: str, space: int, *, cost: Cost) -> Item | None:
    """Return whole sentences around the one with most of the query, within `space` tokens; None if none fits."""
    pieces = [piece for piece in _SENTENCE_END.split(item.text) if piece.strip()]
    if len(pieces) < 2:
        return None
    first = last = _match(pieces, query)
    best: Item | None = None
    while True:
        shown = _shown(item, pieces, first, last)
        price = cost(shown)
        if price > space:
            return best
        best = msgspec.structs.replace(shown, tokens=price)
        if first == 0 and last == len(pieces) - 1:
            return best
        # The sentence after the match explains it more often than the one before: it comes first.
        forward = last < len(pieces) - 1 and (last - first) % 2 == 0
        first, last = (first, last + 1) if forward or first == 0 else (first - 1, last)


def _match(pieces: Sequence[str], query: str) -> int:
    """Return the position of the sentence with most of the query's words; the first of several."""
    words = frozenset(tokens(query))
    return max(range(len(pieces)), key=lambda place: (len(words.intersection(tokens(pieces[place]))), -place))


def _shown(item: Item, pieces: Sequence[str], first: int, last: int) -> Item:
    before = [GAP] if first else []
    after = [GAP] if last < len(pieces) - 1 else []
    text = " ".join([*before, *pieces[first : last + 1], *after])
    return msgspec.structs.replace(item, text=text, cut=True)
