"""Patterns that search only texts which have the words and strings that a match must have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from rememora.caches import person_cache
from rememora.gate.needed import needed, ops, parser
from rememora.gate.prefilter import LENGTH, PREFILTER, openings_in

_MAX_OPENERS = 1500
_ANCHORS = (r"\b", "^")


@person_cache(maxsize=64)
def openings(text: str) -> frozenset[str]:
    """The beginnings, of one to three characters, of every word of a folded text."""
    return frozenset(openings_in(text))


class Guarded:
    """A compiled pattern, searched only in texts that have the words and strings which a match must have."""

    def __init__(self, pattern: str) -> None:
        self._compiled = re.compile(pattern)
        self.opens = openers(pattern)

    @property
    def pattern(self) -> str:
        """The expression itself."""
        return self._compiled.pattern

    @cached_property
    def _mask(self) -> int:
        return PREFILTER.add(self.opens, needed(self.pattern))

    def may_match(self, text: str) -> bool:
        """Tell whether a text has a word that a match could begin with, and a string that it needs."""
        mask = self._mask
        return not mask or PREFILTER.bits(text) & mask == mask

    def search(self, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
        """The first match anywhere."""
        if not self.may_match(text):
            return None
        return self._compiled.search(text, start, len(text) if end is None else end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """A match at the beginning."""
        return self._compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """A match of the whole text."""
        return self._compiled.fullmatch(text)

    def every(self, text: str) -> Iterator[re.Match[str]]:
        """Every match, for who has looked at how the words begin."""
        return self._compiled.finditer(text)

    def finditer(self, text: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
        """Every match."""
        if not self.may_match(text):
            return iter(())
        return self._compiled.finditer(text, start, len(text) if end is None else end)


class _UnknownError(Exception):
    """A pattern that may begin with anything."""


def openers(pattern: str) -> frozenset[str] | None:
    """How the words at which a pattern can match begin; None when that cannot be said."""
    if not pattern.startswith(_ANCHORS):
        return None
    try:
        found = _walk(parser.parse(pattern), {("", False)})
    except _UnknownError:
        return None
    if any(not text for text, _ in found):
        return None
    return frozenset(text for text, _ in found)


_State = set[tuple[str, bool]]


def _walk(items: Iterable[Any], states: _State) -> _State:
    """The beginnings after each item of a sequence; those that are done are carried along."""
    for op, value in items:
        if all(done for _, done in states):
            break
        states = {state for state in states if state[1]} | _step(op, value, {s for s in states if not s[1]})
        if len(states) > _MAX_OPENERS:
            raise _UnknownError
    return states


def _step(op: Any, value: Any, states: _State) -> _State:
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return states
    if op is ops.AT and value in (ops.AT_BEGINNING, ops.AT_BOUNDARY):
        return {(text, bool(text)) for text, _ in states}
    step = _STEPS.get(op)
    return step(value, states) if step else _end(states)


def _literal(value: int, states: _State) -> _State:
    return {_extend(text, chr(value)) for text, _ in states}


def _branch(value: tuple[Any, list[Any]], states: _State) -> _State:
    return set().union(*(_walk(branch, states) for branch in value[1]))


def _group(value: tuple[Any, Any, Any, Any], states: _State) -> _State:
    return _walk(value[3], states)


def _extend(text: str, char: str) -> tuple[str, bool]:
    if not (char.isalnum() or char in "_'"):
        if not text:
            raise _UnknownError
        return text, True
    longer = text + char
    return longer, len(longer) >= LENGTH


def _choose(value: list[tuple[Any, Any]], states: _State) -> _State:
    """A set of characters: each of its letters, or the end of what is known."""
    if all(op is ops.LITERAL for op, _ in value):
        return {_extend(text, chr(code)) for text, _ in states for _, code in value}
    return _end(states)


def _repeat(value: tuple[int, int, Any], states: _State) -> _State:
    """Repeated zero or more times: with it and, when it may be absent, without it."""
    low, high, items = value
    taken = _walk(items, states) if high else set()
    unfinished = {state for state in taken if not state[1]}
    if high > 1 and unfinished:
        taken = (taken - unfinished) | _end(unfinished)
    return taken | states if low == 0 else taken


def _end(states: _State) -> _State:
    """What is known so far is all that can be known."""
    if any(not text for text, _ in states):
        raise _UnknownError
    return {(text, True) for text, _ in states}


_STEPS: dict[Any, Callable[[Any, _State], _State]] = {
    ops.LITERAL: _literal,
    ops.IN: _choose,
    ops.BRANCH: _branch,
    ops.SUBPATTERN: _group,
    ops.MAX_REPEAT: _repeat,
    ops.MIN_REPEAT: _repeat,
}
