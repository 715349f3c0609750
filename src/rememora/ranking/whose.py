"""Detects questions for the assistant's words: about what it said, not about what it should say."""

from __future__ import annotations

import re
from typing import Final

from rememora.language.packs import CODES, asked_in, questions_of

_OF_ASSISTANT: Final = re.compile(asked_in("of_assistant"))
_BETWEEN_US: Final = re.compile(asked_in("between_us"))
_MINE: Final = re.compile(asked_in("mine"))
_ADDRESSED: Final = tuple(piece for code in CODES for piece in questions_of(code).addressed)


def wants_assistant(folded: str, *, of_time: bool = False) -> bool:
    """Return whether a folded question asks for what the assistant said.

    A question about nothing but what both said at a time includes the user's part.
    """
    if not any(piece in folded for piece in _ADDRESSED):
        return False
    if _OF_ASSISTANT.search(folded):
        return True
    return not of_time and _BETWEEN_US.search(folded) is not None and not _MINE.search(folded)
