"""Patterns written with named words: expansion, and compilation when first used."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_CONTINUED = re.compile(r"\n {2,}")
_DEPTH = 4
_BOUNDARY = r"\b"
# Half of all boundaries are ends of words, where no pattern begins; an apostrophe may (as in "'re not").
_WORD_START = r"\b(?=[\w'])"


def expand(pattern: str, words: Mapping[str, str]) -> str:
    """Replace each `{name}` in `pattern` by its words."""
    for _ in range(_DEPTH):
        if not _NAME.search(pattern):
            break
        pattern = _NAME.sub(lambda match: words.get(match[1], match[0]), pattern)
    return _CONTINUED.sub("", pattern)


def lines(block: str) -> list[str]:
    """The patterns of a block, one a line; an indented line continues the one before."""
    return [line for line in _CONTINUED.sub("", block).split("\n") if line.strip()]


def union(block: str, words: Mapping[str, str]) -> tuple[re.Pattern[str], ...]:
    """Patterns that together find whatever any line of `block` finds."""
    expanded = [expand(line, words) for line in lines(block)]
    at_words = [line.removeprefix(_BOUNDARY) for line in expanded if line.startswith(_BOUNDARY)]
    others = [f"(?:{line})" for line in expanded if not line.startswith(_BOUNDARY)]
    # The boundary is tested once for all lines, which spares most positions of a text.
    grouped = [_WORD_START + _either(at_words)] if at_words else []
    return tuple(re.compile(pattern) for pattern in [*grouped, *(["|".join(others)] if others else [])])


def _either(choices: list[str]) -> str:
    return "(?:" + "|".join(f"(?:{choice})" for choice in choices) + ")"


def each(block: str, words: Mapping[str, str]) -> tuple[re.Pattern[str], ...]:
    """A pattern for each line of `block`, for those that capture."""
    return tuple(single(line, words) for line in lines(block))


def single(pattern: str, words: Mapping[str, str]) -> re.Pattern[str]:
    """One pattern."""
    expanded = expand(pattern, words)
    if expanded.startswith(_BOUNDARY):
        expanded = _WORD_START + expanded.removeprefix(_BOUNDARY)
    return re.compile(expanded)
