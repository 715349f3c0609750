"""The languages of one user: the usual one decides how a query of one word is read."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rememora.language.packs import CODES
from rememora.language.wordlists import UNTOLD

# Below this share of rows in the other language, questions are not matched in it.
_SELDOM: Final = 10


def spoken(languages: NDArray[Any]) -> tuple[str, ...]:
    """The languages of rows, the one of most first."""
    rows = _rows(languages)
    total = sum(rows.values())
    said = [code for code in CODES if rows[code] * _SELDOM >= total and (rows[code] or code in UNTOLD)]
    return tuple(sorted(said, key=lambda language: -rows[language]))


def _rows(languages: NDArray[Any]) -> dict[str, int]:
    counted = np.bincount(languages, minlength=len(CODES) + 1)[1:].tolist()
    return dict(zip(CODES, counted, strict=True))
