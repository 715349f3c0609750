"""Other words for those of a message, from `data/reading/variations.json`: hurried spellings, other trades."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

FILE: Final = Path(__file__).parents[2] / "data" / "reading" / "variations.json"
_LIKELY: Final = 0.7
"""Chance that a word which can be written in a hurry is."""


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The variations of a language: hurried spellings by word, and groups of words of like trades."""

    informal: dict[str, list[str]] = {}
    trades: list[list[str]] = []


Change = Callable[[str], str]


@cache
def wordings() -> dict[str, Wording]:
    """Return the variations by language."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, Wording])


def hurried(text: str, language: str, chance: random.Random) -> Change:
    """Return a change that writes words of `text` as people in a hurry do, each the same everywhere."""
    table = _wording(language).informal
    written = sorted(word for word in table if _stands(word, text))
    new = {word: chance.choice(table[word]) for word in written if chance.random() < _LIKELY}
    return _replaced(new)


def of_another_trade(text: str, language: str, chance: random.Random) -> Change:
    """Return a change that puts other trades and goods in the place of those in `text`."""
    new = {
        word: chance.choice([other for other in group if other != word])
        for group in _wording(language).trades
        for word in group
        if _stands(word, text)
    }
    return _replaced(new)


def _wording(language: str) -> Wording:
    return wordings().get(language, Wording())


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None


def _replaced(new: Mapping[str, str]) -> Change:
    if not new:
        return lambda text: text
    words = "|".join(re.escape(word) for word in sorted(new, key=lambda word: (-len(word), word)))
    pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
    return lambda text: pattern.sub(lambda match: new[match[0].lower()], text)
