"""Which of the two languages a text is written in, from the small words that only one of them has."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rememora.language.wordlists import INFORMAL, STOP

_WORD: Final = re.compile(r"[^\W\d_]+")
_LETTERS_READ = 2_000
# A word of both lists (`a`, `do`, `no`, `me`, `as`) says nothing about the language.
# So does a lone letter, which is as often a unit, an initial or a currency sign.
_PT: Final = {word for word in STOP["pt"] | INFORMAL["pt"].keys() if len(word) > 1} | set("eoq")
_EN: Final = {word for word in STOP["en"] | INFORMAL["en"].keys() if len(word) > 1} | {"i"}
_ONLY_PT: Final = _PT - _EN
_ONLY_EN: Final = _EN - _PT
_PT_LETTERS: Final = frozenset("ãõçáâêíóôú")
_PT_ENDINGS: Final = (
    "cao",
    "coes",
    "dade",
    "mente",
    "inho",
    "inha",
    "ando",
    "endo",
    "ava",
    "eira",
    "eiro",
    "lhe",
)
_EN_ENDINGS: Final = ("ing", "tion", "ness", "ght", "ould", "th", "ly", "ck", "wn", "ed", "'s")


@lru_cache(maxsize=32_768)
def _weight(word: str) -> float:
    """Positive for Portuguese, negative for English."""
    if word in _ONLY_PT:
        return 2.0
    if word in _ONLY_EN:
        return -2.0
    if not _PT_LETTERS.isdisjoint(word):
        return 1.5
    if len(word) > 4 and word.endswith(_PT_ENDINGS):
        return 0.7
    if len(word) > 4 and word.endswith(_EN_ENDINGS):
        return -0.7
    return 0.0


@lru_cache(maxsize=4_096)
def detect(text: str, locale: str = "pt") -> str:
    """`pt` or `en`: the language of `text`, or of `locale` where the text does not say."""
    balance = sum(map(_weight, _WORD.findall(text[:_LETTERS_READ].lower())))
    if balance:
        return "pt" if balance > 0 else "en"
    return "en" if locale.lower().startswith("en") else "pt"
