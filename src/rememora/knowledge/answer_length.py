"""Detects requests for shorter or longer answers, about one answer or to the assistant in general."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from rememora.language import fold

LETTERS_READ: Final = 600
"""A request is short; what goes on for longer tells or asks other things."""
_CLAUSE: Final = re.compile(r"[.!?,:\n()\"“”]+|;\s")
_PART: Final = re.compile(r"<(\w+)>")


def asks_shorter(text: str) -> bool | None:
    """True where it asks for shorter answers, False for longer ones; None where it asks for neither, or both."""
    shorter, longer = _requests()
    clauses = [" ".join(clause.split()) for clause in _CLAUSE.split(fold(text[:LETTERS_READ]))]
    short, long = (any(pattern.search(clause) for clause in clauses) for pattern in (shorter, longer))
    return short if short != long else None


@cache
def _requests() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = tomllib.loads((files(__package__) / "answer_length.toml").read_text(encoding="utf-8"))
    shorter, longer = (_any_of(table["asks"][name], table["parts"]) for name in ("shorter", "longer"))
    return shorter, longer


def _any_of(patterns: list[str], parts: dict[str, str]) -> re.Pattern[str]:
    filled = "|".join(_PART.sub(lambda part: parts[part[1]], pattern) for pattern in patterns)
    return re.compile(rf"(?<!\w)(?:{filled})(?!\w)")
