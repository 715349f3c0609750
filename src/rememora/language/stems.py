"""Stems of Portuguese and English words, blind to accents and plural, so that spellings meet."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from threading import local
from typing import Any, Final

from rememora.language.folding import fold

_STEMS_KEPT = 65_536
_LONGEST_WORD = 40
_SNOWBALL: Final = {"pt": "portuguese", "en": "english"}

# People drop accents, and Snowball knows `reações` but not `reacoes`: a folded plural is made singular
# first, and the accents that Snowball's suffix rules look for are given back.
_SINGULAR: Final = (
    (re.compile(r"(?<=[a-z])(?:oes|aes|aos)$"), "ao"),
    (re.compile(r"(?<=[a-z]{2})ais$"), "al"),
    (re.compile(r"(?<=[a-z]{2})eis$"), "el"),
    (re.compile(r"(?<=[a-z]{2})ois$"), "ol"),
    (re.compile(r"(?<=[aeiou])ns$"), "m"),
    (re.compile(r"(?<=[a-z][aeiou][rz])es$"), ""),
    # `difíceis` may come from -el or from -il: both are written -el here, and so meet.
    (re.compile(r"(?<=[a-z]{2})il$"), "el"),
)
_ACCENTS: Final = (
    (re.compile(r"sao$"), "são"),
    (re.compile(r"ancia$"), "ância"),
    (re.compile(r"encia$"), "ência"),
    (re.compile(r"avel$"), "ável"),
    (re.compile(r"ivel$"), "ível"),
)
_stemmers: Final = local()
_ACT_OF: Final = re.compile(r"(?<=[a-z]{3})[ai]cao$")


def _snowball(language: str) -> Callable[[str], str]:
    """This thread's stemmer: it keeps its place in a word in itself, so two threads cannot share one."""
    found: Callable[[str], str] | None = getattr(_stemmers, language, None)
    if found is None:
        found = _make(language)
        setattr(_stemmers, language, found)
    return found


def _make(language: str) -> Callable[[str], str]:
    # The same algorithm twice: compiled it loads in 5 ms, in Python in 500.
    try:
        import Stemmer
    except ImportError:
        import snowballstemmer

        make: Callable[[str], Any] = snowballstemmer.stemmer
    else:
        make = Stemmer.Stemmer
    stem_word: Callable[[str], str] = make(_SNOWBALL[language]).stemWord
    return stem_word


def _first(rules: tuple[tuple[re.Pattern[str], str], ...], word: str) -> str:
    for pattern, replacement in rules:
        changed, count = pattern.subn(replacement, word)
        if count:
            return changed
    return word


def _portuguese(word: str) -> str:
    singular = _first(_SINGULAR, word)
    # `gravação` is the act of `gravar`: Snowball keeps the suffix on short words, and the two never meet.
    act, is_act = _ACT_OF.subn("", singular)
    return act if is_act else _snowball("pt")(_first(_ACCENTS, singular))


@lru_cache(maxsize=_STEMS_KEPT)
def stem(word: str, language: str) -> str:
    """The stem of one word in `pt` or `en`; words with figures or signs in them are kept whole."""
    folded = fold(word)
    if len(folded) < 3 or len(folded) > _LONGEST_WORD or not folded.isalpha() or not folded.isascii():
        return folded
    stemmed = _portuguese(folded) if language == "pt" else _snowball("en")(folded)
    return fold(stemmed)
