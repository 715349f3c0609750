"""Strings without which a pattern matches nothing: to look for them costs a fraction of what the pattern costs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

# The parser of regular expressions ships with Python under a private name; only the gate reads its trees.
ops: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

_LONG_ENOUGH = 4
_MAX_CHOICES = 8
_MAX_STRINGS = 400
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, getattr(ops, "POSSESSIVE_REPEAT", None))
_WIDTHLESS = (ops.AT, ops.ASSERT, ops.ASSERT_NOT)
_Strings = frozenset[str]


def needed(*patterns: str) -> tuple[str, ...] | None:
    """Strings one of which stands in whatever any of the patterns matches; None where that cannot be said."""
    found: set[str] = set()
    for pattern in patterns:
        parsed = parser.parse(pattern)
        strings = None if parsed.state.flags & re.IGNORECASE else _sequence(parsed)
        if strings is None:
            return None
        found |= strings
    # What holds a shorter one of them is found with it.
    least = {text for text in found if not any(other in text for other in found if other != text)}
    return tuple(sorted(least)) if len(least) <= _MAX_STRINGS else None


def has_any(text: str, strings: tuple[str, ...] | None) -> bool:
    """Tell whether one of the strings stands in a text; True where it is not known which are needed."""
    return strings is None or any(map(text.__contains__, strings))


def _sequence(items: Iterable[Any]) -> _Strings | None:
    """The rarest of what the items of a sequence need, each for itself."""
    best: _Strings | None = None
    run = ""
    for op, value in items:
        if op is ops.LITERAL:
            run += chr(value)
            continue
        if op in _WIDTHLESS:
            continue
        best, run = _better(best, _run(run)), ""
        best = _better(best, _item(op, value))
    return _better(best, _run(run))


def _run(run: str) -> _Strings | None:
    """The longest word of a run of letters: it stands in one piece in whatever has the run."""
    return frozenset({max(run.split(), key=len)}) if run.strip() else None


def _item(op: Any, value: Any) -> _Strings | None:
    if op is ops.BRANCH:
        return _branch(value[1])
    if op is ops.SUBPATTERN:
        return None if value[1] & re.IGNORECASE else _sequence(value[3])
    if op in _REPEATS:
        return _sequence(value[2]) if value[0] else None
    if op is ops.IN and len(value) <= _MAX_CHOICES and all(kind is ops.LITERAL for kind, _ in value):
        return frozenset(chr(code) for _, code in value)
    return None


def _branch(branches: list[Any]) -> _Strings | None:
    found: set[str] = set()
    for branch in branches:
        if (strings := _sequence(branch)) is None:
            return None
        found |= strings
    return frozenset(found)


def _better(one: _Strings | None, other: _Strings | None) -> _Strings | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=_worth)


def _worth(strings: _Strings) -> tuple[int, int]:
    """Longer strings are rarer; of equally long ones, the fewer the better."""
    return min(*map(len, strings), _LONG_ENOUGH), -len(strings)
