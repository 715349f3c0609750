"""Detects questions about the future: `pra onde vou em julho?`, `my plans for December`."""

from __future__ import annotations

from typing import Final

from rememora.ranking.when.asking import before, compiled
from rememora.ranking.when.words import PAST_TENSE, said

_MARKS: Final = rf"\b(?:(?P<ahead>{said('ahead')})|{said('was')})\b|{PAST_TENSE}"
_REACH = 200
"""How far a verb may stand from its time: what is further away speaks of another."""
_SINCE: Final = rf"\b(?:{said('since')})(?: [oa]s?| the| dia)? $"


def lies_ahead(text: str, start: int, end: int) -> bool:
    """Return whether a time in a text lies ahead: by the nearest verb before it, or else the first after."""
    if compiled(_SINCE).search(before(text, start)):
        return False
    marks = [*compiled(_MARKS).finditer(text, max(0, start - _REACH), start)]
    mark = marks[-1] if marks else compiled(_MARKS).search(text, end, end + _REACH)
    return mark is not None and mark["ahead"] is not None
