"""Tells from the words of a text which patterns cannot match it; each word is looked up once and remembered.

A match begins at a word whose first letters are known (`opens`) and holds one of the strings that the pattern
cannot do without (`needs`). Neither reaches across a space, so what holds for the words holds for the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from threading import Lock

from rememora.caches import forgets

LENGTH = 3
_MAX_WORDS = 20_000
_MAX_WORD = 64
_MAX_TEXTS = 64
_POINTS = ",.!?"
"""Signs that end a word: with and without them it is one word, but for patterns that need one of them."""
_OPENING = re.compile(r"(?:\b(?=\w)|(?='))(?=([\w']{1,3}))")


def openings_in(text: str) -> set[str]:
    """The beginnings, of one to three characters, of every word of a folded text."""
    return {opening[:length] for opening in _OPENING.findall(text) for length in range(1, LENGTH + 1)}


class _Known:
    """Bits of the words and texts that were looked at since the last pattern was added."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.texts: dict[str, int] = {}


class Prefilter:
    """One or two bits for each pattern: which words can open a match of it, and which hold what it needs."""

    def __init__(self) -> None:
        self._opens: dict[str, int] = {}
        self._needs: dict[str, list[tuple[str, int]]] = {}
        self._short: dict[str, int] = {}
        self._pointed: list[tuple[str, int]] = []
        self._next = 1
        self._lock = Lock()
        self._known = _Known()
        forgets(self.forget)

    def forget(self) -> None:
        """Drop every word that anybody said."""
        self._known = _Known()

    def add(self, opens: Iterable[str] | None, needs: Iterable[str] | None) -> int:
        """Register a pattern; returns the bits that a text must have for it to match."""
        with self._lock:
            mask = 0
            if opens is not None:
                mask |= (bit := self._bit())
                for opening in opens:
                    self._opens[opening] = self._opens.get(opening, 0) | bit
            if needs is not None:
                mask |= (bit := self._bit())
                for part in needs:
                    if part.strip(_POINTS) != part:
                        self._pointed.append((part, bit))
                    elif len(part) < LENGTH:
                        self._short[part] = self._short.get(part, 0) | bit
                    else:
                        self._needs.setdefault(part[:LENGTH], []).append((part, bit))
            # Who still holds the old words writes into them, where nobody asks for the new bits.
            self._known = _Known()
        return mask

    def bits(self, text: str) -> int:
        """The bits of all words of a text."""
        known = self._known
        found = known.texts.get(text)
        if found is None:
            found, words = 0, known.words
            for word in text.split():
                bits = words.get(word)
                found |= self._learn(words, word) if bits is None else bits
            if len(known.texts) >= _MAX_TEXTS:
                known.texts.clear()
            known.texts[text] = found
        return found

    def holds(self, word: str) -> bool:
        """Tell whether a word is remembered."""
        return word in self._known.words or any(word in text for text in self._known.texts)

    def _bit(self) -> int:
        bit, self._next = self._next, self._next << 1
        return bit

    def _learn(self, words: dict[str, int], word: str) -> int:
        bare = word.strip(_POINTS)
        found = words.get(bare) if bare != word else None
        if found is None:
            found = self._look(bare)
            if len(bare) <= _MAX_WORD:
                words[bare] = found
        if bare != word:
            found |= self._look_for_points(word)
            if len(word) <= _MAX_WORD:
                words[word] = found
        if len(words) > _MAX_WORDS:
            words.clear()
        return found

    def _look(self, word: str) -> int:
        opens, needs = self._opens, self._needs
        found = 0
        for opening in (word[:1], word[:2], word[:LENGTH]) if word.isalnum() else openings_in(word):
            found |= opens.get(opening, 0)
        for gram in {word[start : start + LENGTH] for start in range(len(word) - LENGTH + 1)} & needs.keys():
            for part, bit in needs[gram]:
                if part in word:
                    found |= bit
        for part, bit in self._short.items():
            if part in word:
                found |= bit
        return found

    def _look_for_points(self, word: str) -> int:
        """Bits of what is needed and has a point in it: the rest of a word has been looked at without."""
        found = 0
        for part, bit in self._pointed:
            if part in word:
                found |= bit
        return found


PREFILTER = Prefilter()
"""The one of all rules, so that a word is looked at once for all of them."""
