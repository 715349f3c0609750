"""The languages of one user: what they mostly speak tells how a query of one word is meant."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rememora.language import told
from rememora.language.tongue import LANGUAGES

_NOT_TOLD = 0
# Who says less than one in so many rows in the other language is not asked about in it.
_SELDOM: Final = 10


def language_of(text: str) -> int:
    """The language that a text says it is in, as a number; 0 where it does not say."""
    language = told(text)
    return _NOT_TOLD if language is None else 1 + LANGUAGES.index(language)


def spoken(languages: NDArray[Any]) -> tuple[str, ...]:
    """The languages of rows, the one of most first."""
    rows = _rows(languages)
    said = [language for language in LANGUAGES if rows[language] * _SELDOM >= sum(rows.values())]
    return tuple(sorted(said, key=lambda language: -rows[language]))


def _rows(languages: NDArray[Any]) -> dict[str, int]:
    counted = np.bincount(languages, minlength=len(LANGUAGES) + 1)[1:].tolist()
    return dict(zip(LANGUAGES, counted, strict=True))
