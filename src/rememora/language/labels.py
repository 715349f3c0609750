"""Labels of keys for people: plain words of their language, never `user.location`."""

from __future__ import annotations

import re
from typing import Any, Final

from rememora.language.amended import with_days
from rememora.language.folding import fold
from rememora.language.keys import is_statement, without_digest
from rememora.language.pack_schema import AttributeFile
from rememora.language.packs import attributes_of, calendar_of, replies_of
from rememora.language.subjects import kind_of_key

_UNNAMED = ("rule", "note")
_WHO: Final = "relation"
_CAPITALS = frozenset({"crm", "erp", "nps", "cac", "roi", "kpi"})
_DATES: Final = frozenset({"user.birthday"})
"""Keys whose value is a month and a day, as `03-12`."""
_MONTH_DAY: Final = re.compile(r"(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


def label_of(key: str, language: str) -> str:
    """Return the name of a key in a language."""
    names = attributes_of(language)
    if is_statement(key):
        return _statement_label(without_digest(key), names)
    if key in names.labels:
        return names.labels[key]
    for opening, label in names.own.items():
        if key.startswith(opening):
            return label
    space, _, rest = (
        key.removeprefix("user.").partition(".") if key.startswith("user.pets.") else key.partition(".")
    )
    if space == "people":
        who, _, rest = rest.partition(".")
        name = names.family.get(who) or who.replace("_", " ").title()
        # "Lucia: esposa" says it; "the role of Lucia: wife" is nobody's language.
        named = rest and rest != "role"
        return names.spaces[space].format(name=name, rest=_plain(rest, names)) if named else name
    if space in names.spaces:
        name = rest.replace("_", " ").replace(".", " ").title()
        return names.spaces[space].format(name=name, rest=_plain(rest, names))
    return _plain(rest or space, names)


def attribute_label(attribute: str, language: str) -> str:
    """Return the name of an attribute in a language: `price` is "preço"."""
    return _plain(attribute, attributes_of(language))


def _statement_label(key: str, names: AttributeFile) -> str:
    """Return the topic of a sentence: its attribute, and its subject if that is a person or a project."""
    rest = key.split(".")[1:]
    word = _plain(rest[-1], names)
    if kind_of_key(key) == "unknown":
        return word
    name = rest[0].replace("_", " ").title()
    return names.who.format(name=name) if rest[-1] == _WHO else names.owned.format(word=word, name=name)


def labelled_value(key: str, value: Any, text: str, language: str) -> str:
    """Return a key with its value as a sentence shows them; a plain yes is implied by the name."""
    if is_statement(key):
        return text
    label = label_of(key, language)
    if value is True:
        return label
    if value is False:
        return f"{label}: {replies_of(language).responder.no}"
    return f"{label}: {text}"


def fact_sentence(key: str, value: Any, text: str, language: str) -> str:
    """Return a fact as its language says it, without a full stop: a sentence, else its name and value."""
    names, text = attributes_of(language), told_value(key, text, language)
    form = names.sentences.get(key)
    if form is None or (value is not True if "{value}" not in form else not isinstance(value, str | int | float)):
        return labelled_value(key, value, text, language)
    if value is True:
        return form
    return form.format_map({"value": text, "in": _before_place(text, names)}).replace("  ", " ")


def told_value(key: str, text: str, language: str) -> str:
    """Return the value of a key as its language says it: `03-12` as a date, and so the days of its changes."""
    if is_statement(key):
        return with_days(text, lambda month, day: day_text(month, day, language))
    date = _MONTH_DAY.fullmatch(text) if key in _DATES else None
    return text if date is None else day_text(int(date[1]), int(date[2]), language)


def day_text(month: int, day: int, language: str) -> str:
    """Return a day of a month as its language says it."""
    name = calendar_of(language).month_names[month - 1]
    return attributes_of(language).month_day.format(day=day, month=name)


def _before_place(place: str, names: AttributeFile) -> str:
    """Return the word before a place: of its longest known opening; none if the place brings one itself."""
    words = fold(place).split()
    if words and words[0] in names.places.values():
        return ""
    openings = (" ".join(words[:length]) for length in range(len(words), -1, -1))
    return next((names.places[opening] for opening in openings if opening in names.places), "")


def _plain(rest: str, names: AttributeFile) -> str:
    """Return the segments of a key as words."""
    for name in _UNNAMED:
        if rest.startswith(f"{name}_"):
            return names.words[name]
    return " ".join(_word(segment, names) for segment in rest.split("."))


def _word(segment: str, names: AttributeFile) -> str:
    if segment in names.words:
        return names.words[segment]
    return segment.upper() if segment in _CAPITALS else segment.replace("_", " ")
