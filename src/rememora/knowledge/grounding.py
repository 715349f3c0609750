"""Checks that what a language model writes of a message was said: quotes, words, names and values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rememora import statements
from rememora.domain.verdict import TextSpan
from rememora.language import fold
from rememora.language.word_patterns import NAME_PART
from rememora.reading.labels import ATTRIBUTES

MAX_QUOTE: Final = 500
MAX_STATEMENT: Final = 600
LEAST_OWN: Final = 0.5
"""Least share of a statement's words that come from its message; the others may resolve what the message means."""
_GAP: Final = re.compile(r"[\s⏎]+")
_EDGES: Final = " \t\r\n\"'“”‘’«»"


def quoted(quote: str, text: str) -> TextSpan | None:
    """Find a quote in the message, ignoring case and line breaks; None if it is missing."""
    words = [re.escape(word) for word in _GAP.split(quote.strip(_EDGES)) if word]
    if not words or len(quote) > MAX_QUOTE:
        return None
    match = re.search(r"\s+".join(words), text, re.IGNORECASE)
    return None if match is None else TextSpan(start=match.start(), end=match.end(), text=match.group())


def stands_in(words: str, text: str) -> bool:
    """Return whether words stand in a text, in their order; case, accents and punctuation make no difference."""
    sought, spoken = _plain(words), _plain(text)
    return bool(sought) and f" {sought} " in f" {spoken} "


def attribute_named(name: str) -> str:
    """Return an attribute that the reader knows, `other` for any other word."""
    return name if name in ATTRIBUTES and name else "other"


def grounded_value(value: object, quote: str) -> str:
    """Return a value as it stands in a quote; empty where it is not in it."""
    if value is None or isinstance(value, bool):
        return ""
    span = quoted(str(value), quote)
    return "" if span is None or not stands_in(str(value), quote) else span.text


def grounded_text(stated: str, quote: str, *, message: str, subject: str, context: Sequence[str]) -> str | None:
    """Return a statement if its words were said, else the quote; None if it says nothing of the quote.

    A model may resolve what the message means ("ela", "o prazo") with words of the turns before. It may not add a
    figure, nor leave all of them out, nor leave out or put in a "not".
    """
    stated = " ".join(stated.split())
    if not stated or len(stated) > MAX_STATEMENT:
        return _alone(quote, subject)
    worded, spoken = statements.links.known(stated), statements.links.known(quote)
    if not (worded.words_said | worded.figures) & (spoken.words_said | spoken.figures):
        # About something else than the words it rests on.
        return None
    message_words = statements.links.known(message)
    named = statements.links.known(" ".join((subject, *context)))
    taken = worded.stems & (message_words.stems | statements.links.known(subject).stems)
    kept = (
        worded.figures <= message_words.figures
        and worded.stems <= message_words.stems | named.stems
        and len(taken) >= LEAST_OWN * len(worded.stems)
        and bool(spoken.figures) == bool(worded.figures)
        and not statements.links.denies_other(worded, spoken)
    )
    return stated if kept else _alone(quote, subject)


def _alone(quote: str, subject: str) -> str:
    """Return a quote that says whom it is about."""
    names = subject not in ("", "me", "company") and not stands_in(subject, quote)
    words = " ".join(quote.split())
    return f"{subject}: {words}" if names else words


def _plain(text: str) -> str:
    """Return the words of a text, so that case, accents and punctuation make no difference."""
    return " ".join(NAME_PART.findall(fold(text)))
