"""Detect the language of a text by the function words that only one language has."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Final

from rememora.caches import person_cache
from rememora.language.folding import fold
from rememora.language.packs import CODES, unread_words, words_of
from rememora.language.word_patterns import LETTERS
from rememora.language.wordlists import INFORMAL, STOP, UNTOLD

_LETTERS_READ = 2_000
_PLAIN: Final = str.maketrans("áéíóúüÁÉÍÓÚÜ", "aeiouuAEIOUU")
"""Accented letters of several languages with a pack, and the letters without them."""
_LATIN: Final = re.compile(r"[\u0000-\u024f\u1e00-\u1eff]")
_LEAST_STRANGE = 4


def _marks(code: str) -> frozenset[str]:
    """Return the words that tell a language; single letters are often units, initials or currency signs."""
    words = {word for word in STOP[code] | INFORMAL[code].keys() if len(word) > 1}
    return frozenset(words | words_of(code).detection.lone | words_of(code).detection.words)


def _endings(code: str) -> tuple[str, ...]:
    return tuple(words_of(code).detection.endings.split())


# A word of both lists (`a`, `do`, `no`, `me`, `as`) says nothing about the language.
_ONLY_PT: Final = _marks("pt") - _marks("en")
_ONLY_EN: Final = _marks("en") - _marks("pt")
_PT_LETTERS: Final = frozenset(words_of("pt").detection.letters)
_PT_ENDINGS: Final = _endings("pt")
_EN_ENDINGS: Final = _endings("en")
# Whose thing it is says English where nothing else says anything; a name that ends so, like `Bob's`, says nothing.
_EN_OWNER: Final = re.compile(r"[^\W\d_]['’]s\s+[^\W\d_]")
# What the spelling of one folded word gives away, whatever text it stands in.
_EN_SPELLING: Final = re.compile(
    r"[kwy]|[st]h|ph|sch|([bcdfglmnptz])\1|[^aeioun]s$|[ai]ble$"
    r"|(?:[bdfklnpt]|[tv]er|[tnd]r|or)ies$"
)
_EN_LAST: Final = frozenset("bcdfghjkpqtvwxyn")
_PT_LAST: Final = frozenset("aeos")
_PT_SPELLING: Final = re.compile(r"(?:[cistz]ao|[csi]oes|inh[ao]s?|lh[aeo]s?|mentos?|dades?)$")


def _weight(word: str) -> int:
    """Return a score: positive for Portuguese, negative for English."""
    # Words that only one language has decide; letters and endings only lean, since names and borrowed words
    # have them too.
    if word in _ONLY_PT:
        return 20
    if word in _ONLY_EN:
        return -20
    if not _PT_LETTERS.isdisjoint(word):
        return 15
    if len(word) > 4 and word.endswith(_PT_ENDINGS):
        return 7
    if len(word) > 4 and word.endswith(_EN_ENDINGS):
        return -7
    return 0


@person_cache(maxsize=32_768)
def _balance(piece: str) -> int:
    """Return the score of one piece between spaces; cached, since a few thousand pieces make up most texts."""
    return sum(map(_weight, LETTERS.findall(piece)))


def language_of_word(word: str, language: str) -> str:
    """Return the language of a folded `word` in a text in `language`: the other one if its spelling says so."""
    if language == "en" and not (word[-1] in _PT_LAST and _PT_SPELLING.search(word)):
        return "en"
    return "en" if word[-1] in _EN_LAST or _EN_SPELLING.search(word) else "pt"


_SURE, _LIKELY, _MAYBE = 20, 15, 7
_UNREAD = 2 * _SURE
"""Minimum words of another language in a text: one is a loan word."""
_OTHERS: Final = tuple(code for code in CODES if code not in UNTOLD)
_NAMES: Final = (*CODES, *unread_words())
_OWN_LETTERS: Final = tuple(
    (place, letters)
    for place, code in enumerate(CODES)
    if (
        letters := frozenset(words_of(code).detection.letters)
        - frozenset().union(*(words_of(other).detection.letters for other in CODES if other != code), "áéíóúü")
    )
)
"""Letters that one language alone has, by its place among `_NAMES`."""
_SPELLINGS: Final = tuple(
    (place, re.compile(spelling))
    for place, code in enumerate(CODES)
    if (spelling := words_of(code).detection.spelling.replace("\n  ", ""))
)
"""Spellings that one language alone has, by its place among `_NAMES`."""


def _told_by(code: str) -> frozenset[str]:
    """Return all words that speak for a language: of its grammar, to memory, and others that it lists for this."""
    return _marks(code) | words_of(code).wishes


def _only() -> dict[str, frozenset[str]]:
    """Return the function words that only one language has, with a pack or without."""
    words = {code: _told_by(code) for code in CODES} | dict(unread_words())
    silent = frozenset[str]().union(*(words_of(code).detection.silent for code in CODES))
    return {
        code: known.difference(silent, *(words[word] for word in words if word != code))
        for code, known in words.items()
    }


_ONLY: Final = {word: _NAMES.index(code) for code, known in _only().items() for word in known}
"""The place among `_NAMES` of the language that alone has a word."""


@person_cache(maxsize=32_768)
def _votes(piece: str) -> tuple[tuple[int, int], ...]:
    """Return the languages that a piece indicates by features of theirs alone, by place, and how strongly."""
    words = LETTERS.findall(piece)
    decided = [(_ONLY[word], _SURE) for word in map(fold, words) if word in _ONLY]
    lettered = ((place, _LIKELY) for place, letters in _OWN_LETTERS if not letters.isdisjoint(piece))
    spelled = ((place, _LIKELY) for word in words for place, spelling in _SPELLINGS if spelling.search(word))
    return (*decided, *lettered, *spelled)


def _foreign(pieces: list[str]) -> str | None:
    """Return the language, besides Portuguese and English, that most words of a text indicate."""
    # Most words are silent, and the others speak for one language each.
    counted: dict[int, int] = {}
    for place, strength in chain.from_iterable(map(_votes, pieces)):
        counted[place] = counted.get(place, 0) + strength
    if not counted:
        return None
    best = max(counted.values())
    first = min(place for place, votes in counted.items() if votes == best)
    others = max((votes for place, votes in counted.items() if place != first), default=0)
    code = _NAMES[first]
    return code if best > max(others, _MAYBE) and code not in UNTOLD else None


def _votes_for(code: str, pieces: list[str]) -> int:
    place = _NAMES.index(code)
    return sum(strength for at, strength in chain.from_iterable(map(_votes, pieces)) if at == place)


@person_cache(maxsize=4_096)
def language_of_text(text: str) -> str | None:
    """Return the language with a pack that `text` is in, if that is clear: one or two words are often too few."""
    pieces = text[:_LETTERS_READ].lower().split()
    foreign = _foreign(pieces)
    if foreign is not None:
        return foreign if foreign in CODES else None
    # No third language speaks up: Portuguese and English are weighed against each other.
    balance = sum(map(_balance, pieces))
    if balance:
        return "pt" if balance > 0 else "en"
    return "en" if _EN_OWNER.search(text, 0, _LETTERS_READ) else None


def language_of_turns(turns: Iterable[str]) -> str | None:
    """Return the language of the last of the turns of one person, from the oldest on; None if none is clear.

    A turn that only an accent of several languages tells is in the language spoken before it: "me mudé a Cádiz".
    """
    spoken = None
    for turn in turns:
        read = language_of_text(turn)
        accents_alone = spoken is not None and read != spoken and language_of_text(turn.translate(_PLAIN)) is None
        spoken = spoken if read is None or accents_alone else read
    return spoken


@person_cache(maxsize=1_024)
def is_unread(text: str) -> bool:
    """Check whether `text` is in a language without a pack, by its function words or its script."""
    read = text[:_LETTERS_READ]
    letters = [char for char in read if char.isalpha()]
    # Another script needs no words to be recognised.
    strange = sum(not _LATIN.match(char) for char in letters)
    if strange > len(letters) / 2 and strange >= _LEAST_STRANGE:
        return True
    pieces = read.lower().split()
    foreign = _foreign(pieces)
    return foreign is not None and foreign not in CODES and _votes_for(foreign, pieces) >= _UNREAD


def detect(text: str, locale: str = "pt") -> str:
    """Return the language of `text`, or of `locale` if the text is unclear; Portuguese if neither has a pack."""
    return language_of_text(text) or next((code for code in CODES if locale.lower().startswith(code)), "pt")
