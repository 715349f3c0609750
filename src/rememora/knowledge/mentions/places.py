"""Recognises places: listed in the gazetteer, by their beginning or ending, or by the sentence."""

from __future__ import annotations

from rememora.knowledge.mentions.capitals import Name
from rememora.knowledge.mentions.firms import works_for
from rememora.knowledge.mentions.gazetteer import gazetteer
from rememora.language.phrases import plain_words
from rememora.language.wordlists import PARTICLES

_IN = plain_words("place_in")
_AT = plain_words("place_at")
_TO = plain_words("place_to")
_TOWARD = _TO | plain_words("place_toward")
_FROM = plain_words("place_from")
_OUT = plain_words("place_out")
_BEFORE = _IN | _AT | _TOWARD | _FROM | plain_words("place_of")
_KIND_OF = plain_words("place_kind_of")
_BESIDE = plain_words("beside_place")


def known_place(name: Name) -> float:
    """A place known by heart; one that is a person's name or a feast too only where the sentence says so."""
    table, whole = gazetteer(), " ".join(name.words)
    if whole not in table.places:
        return 0.0
    doubtful = whole in table.first_names | table.family_names | table.ordinary
    return 0.85 if not doubtful or name.previous in _IN or _is_said(name) else 0.0


def place(name: Name) -> float:
    """A place that the sentence says to be one, or that looks like one."""
    table, words = gazetteer(), name.words
    if words[0] in table.ordinary | table.months.keys() | table.departments:
        return 0.0
    if len(words) == 1 and words[0] in table.states:
        return 0.0
    if len(words) > 1 and (words[-1] in table.place_endings or _begins_like_a_place(name)):
        return 0.75
    return 0.85 if _is_said(name) else 0.0


def _begins_like_a_place(name: Name) -> bool:
    table, first = gazetteer(), name.words[0]
    if first in table.place_saints and len(name.words) > 2 and name.words[-2] in PARTICLES:
        return True
    if first in table.place_saints:
        return name.previous in _BEFORE
    # A shop may be called so too, and where one bought or works is a firm.
    if first in table.grounds and name.previous in _AT | _TO and not works_for().search(name.before):
        return True
    return first in table.place_openings and (name.previous in _IN or first in table.place_kinds)


def _is_said(name: Name) -> bool:
    """Return whether the words before a name say that somebody lives there, goes there or is from there."""
    table, earlier = gazetteer(), name.before.split()[-8:-1]
    previous, called = name.previous, name.words[0] in table.first_names
    if previous in _IN or previous in _AT:
        return not (table.by_in if previous in _IN else table.living).isdisjoint(earlier)
    if previous in _TOWARD and not called:
        return not table.by_to.isdisjoint(earlier[-4:] if previous in _TO else earlier[-1:])
    if previous in _OUT and not called and not table.by_to.isdisjoint(earlier):
        return True
    near = [word for word in earlier if word not in _BESIDE]
    return _is_kind_of(name) or (previous in _FROM and not table.by_from.isdisjoint(near[-1:]))


def _is_kind_of(name: Name) -> bool:
    """`rua Augusta`, `cidade de Lins`."""
    kinds, words = gazetteer().place_kinds, name.before.split()
    if not _KIND_OF.isdisjoint(words[-1:]) and name.words[0] not in gazetteer().first_names:
        words = words[:-1]
    return not kinds.isdisjoint(words[-1:])
