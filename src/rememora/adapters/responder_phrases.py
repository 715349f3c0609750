"""The patterns by which the built-in responder knows what is asked, of the words of the language packs."""

from __future__ import annotations

import re
from functools import cache

from rememora.language.packs import CODES, control_of, joined


def _words(name: str) -> str:
    return joined(*(getattr(control_of(code).responder, name) for code in CODES))


@cache
def greeting() -> re.Pattern[str]:
    """A greeting at the beginning of a message."""
    return re.compile(rf"(?:{_words('greeting')})\b")


@cache
def about_me() -> re.Pattern[str]:
    """A question for all that is known of the person."""
    return re.compile(_words("about_me"))


@cache
def asking() -> re.Pattern[str]:
    """A word that opens a question."""
    return re.compile(rf"(?:{_words('asking')})\b")


def owned(folded: str) -> list[str]:
    """Find the things that a question calls the person's own: "meu cachorro", "my full name"."""
    return [word for form in _owned() for word in form.findall(folded)]


@cache
def _owned() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b{control_of(code).responder.owned}") for code in CODES)
