"""Words of a question that ask for nothing: what is said of a time, and how one asks what happened then."""

from __future__ import annotations

from typing import Final

from rememora.language.packs import CODES, words_of

OF_TIMES: Final = frozenset[str]().union(*(words_of(code).of_times for code in CODES))
"""Said of a time, none of these is what a turn of that time would say."""
IDLE: Final = OF_TIMES.union(*(words_of(code).asking for code in CODES))
"""`O que eu disse ontem?`, `what happened last May?`: whoever says nothing else wants all that is of the time."""
