"""Pending questions as a template with parameters, rendered in the language of the reader."""

from __future__ import annotations

from typing import Any

import msgspec

from rememora.language.labels import fact_sentence
from rememora.language.packs import CODES, replies_of

SHOWN_CHARACTERS = 120
TEXT = "text"
"""Template of a question that an older version stored as text."""


class About(msgspec.Struct, frozen=True, kw_only=True):
    """One subject of a question: a key with its value, or quoted words."""

    key: str | None = None
    value: Any = None
    quote: str | None = None


class Asks(msgspec.Struct, frozen=True, kw_only=True):
    """A question without text: its template is one of `questions` in the language packs."""

    form: str
    about: tuple[About, ...] = ()
    counts: dict[str, int] = {}
    texts: dict[str, str] = {}
    """Texts of a question that an older version stored, by language; only for the form `text`."""


def questions_of(asks: Asks) -> dict[str, str]:
    """Render a question in every language that has a pack."""
    return {code: in_words(asks, code) for code in CODES}


def in_words(asks: Asks, language: str) -> str:
    """Render a question in one language."""
    if asks.form == TEXT:
        return asks.texts.get(language) or next(iter(asks.texts.values()), "")
    said = replies_of(language).questions
    form: str = getattr(said, asks.form)
    names = [_named(subject, language) for subject in asks.about]
    if asks.counts:
        names = [said.person.format(**asks.counts)]
    # A form with a place names its subject inside the sentence; the others list the choices by number.
    if "{what}" in form:
        return form.format(what="; ".join(names))
    return "\n".join([form, *(f"{number}. {line}" for number, line in enumerate(names, 1))])


def _named(about: About, language: str) -> str:
    if about.quote is not None:
        return f"“{shown(about.quote)}”"
    return fact_sentence(about.key or "", about.value, shown(about.value), language)


def shown(value: object) -> str:
    """Return a value as a question shows it."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"
