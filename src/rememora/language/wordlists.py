"""Word lists of the language packs, folded: words without meaning, and informal spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rememora.language.pack_schema import WordFile
from rememora.language.packs import CODES, words_of

UNTOLD: Final = ("pt", "en")
"""The languages assumed for an unclear text: its words are stemmed in both."""
_PACKS: Final[Mapping[str, WordFile]] = {code: words_of(code) for code in CODES}
STOP: Final[Mapping[str, frozenset[str]]] = {code: pack.stop for code, pack in _PACKS.items()}
INFORMAL: Final[Mapping[str, Mapping[str, str]]] = {code: pack.informal for code, pack in _PACKS.items()}
ABBREVIATIONS: Final = frozenset[str]().union(*(pack.abbreviations for pack in _PACKS.values()))
"""Abbreviations, whose dot ends no sentence."""
PARTICLES: Final = frozenset[str]().union(*(pack.particles for pack in _PACKS.values()))
"""Particles that join the parts of one name."""
_SAINTS_IN_S: Final = """
barnabas carlos domingos elias jonas judas lucas luis marcos mateus matheus matias moises nicolas thomas tomas
"""
SAINTS_IN_S: Final = frozenset(_SAINTS_IN_S.split())
_FUNCTION_WORDS: Final = frozenset[str]().union(*(STOP[code] for code in UNTOLD))
_IDLE: Final = frozenset[str]().union(*(pack.stop | pack.wishes for pack in _PACKS.values()))


def pairs(words: str) -> dict[str, str]:
    """Parse words and their replacements, each written `word=other`."""
    return dict(pair.split("=", 1) for pair in words.split())


def is_idle(word: str) -> bool:
    """Return whether a folded word carries no topic, in any of the languages."""
    return word in _IDLE or (len(word) == 1 and not word.isdigit())


def is_stop(word: str) -> bool:
    """Check whether a folded word is a function word of a language that a text without signs is taken for."""
    return word in _FUNCTION_WORDS
