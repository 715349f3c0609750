"""Word lists of the language packs, folded: words without meaning, and informal spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rememora.language.pack_schema import WordFile
from rememora.language.packs import CODES, control_of, words_of

UNTOLD: Final = ("pt", "en")
"""The languages assumed for an unclear text: its words are stemmed in both."""
_PACKS: Final[Mapping[str, WordFile]] = {code: words_of(code) for code in CODES}
STOP: Final[Mapping[str, frozenset[str]]] = {code: pack.stop for code, pack in _PACKS.items()}
INFORMAL: Final[Mapping[str, Mapping[str, str]]] = {code: pack.informal for code, pack in _PACKS.items()}
ABBREVIATIONS: Final = frozenset[str]().union(*(pack.abbreviations for pack in _PACKS.values()))
"""Abbreviations, whose dot ends no sentence unless a capital follows."""
TITLES: Final = frozenset[str]().union(*(pack.titles for pack in _PACKS.values()))
"""Words before a name, whose dot ends no sentence: "Dr.", "Av."."""
PARTICLES: Final = frozenset[str]().union(*(pack.particles for pack in _PACKS.values()))
"""Particles that join the parts of one name."""
SAINTS_IN_S: Final = frozenset[str]().union(*(pack.saints for pack in _PACKS.values()))
"""Saints whose names end in -s."""
ORDINALS: Final[Mapping[str, int]] = {
    word: place for code in CODES for word, place in control_of(code).choosing.ordinals.items()
}
"""Words that pick one of several by its place."""
_FUNCTION_WORDS: Final = frozenset[str]().union(*(STOP[code] for code in UNTOLD))
_IDLE: Final = frozenset[str]().union(*(pack.stop | pack.wishes for pack in _PACKS.values()))


def is_idle(word: str) -> bool:
    """Return whether a folded word carries no topic, in any of the languages."""
    return word in _IDLE or (len(word) == 1 and not word.isdigit())


def is_stop(word: str) -> bool:
    """Check whether a folded word is a function word of a language that a text without signs is taken for."""
    return word in _FUNCTION_WORDS
