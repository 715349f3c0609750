"""The final answer: worded from the consolidation, held back while it says what it must not (W8; pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rememora.domain.mission_work import Consolidation
from rememora.language import fold


def find_forbidden(text: str, terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that `text` contains as whole words, regardless of case and accents."""
    plain = fold(text)
    return tuple(term for term in terms if re.search(rf"(?<!\w){re.escape(fold(term))}(?!\w)", plain))


def word_plainly(consolidation: Consolidation) -> str:
    """Word an answer with no model: everything that was found, one line each."""
    parts = (consolidation.supporting, consolidation.calculations, consolidation.comparisons)
    lines = [line for part in parts for line in _lines(part)]
    return "\n".join([*lines, *consolidation.limitations])


def as_consolidation(value: object) -> Consolidation:
    """Take what a coordinator returned as what the answer rests on."""
    if isinstance(value, Consolidation):
        return value
    if isinstance(value, Mapping):
        return Consolidation(supporting={str(key): item for key, item in value.items()})
    return Consolidation(supporting={} if value is None else {"result": value})


def _lines(part: Mapping[str, Any]) -> list[str]:
    return [f"{name}: {_text(value)}" for name, value in part.items()]


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
