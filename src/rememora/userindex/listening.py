"""Reads who speaks in a message: a name given or opening the text, whom it calls, and how an assistant sounds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from rememora.language import fold
from rememora.language.phrases import plain_words
from rememora.language.word_patterns import NAME_PART

USER, ASSISTANT = 0, 1
ROLES: Final = ("user", "assistant")
_PREFIX: Final = re.compile(r"\A\s*(?P<name>[^\W\d_][\w'’.-]{0,60}(?: [^\W\d_][\w'’.-]{0,60}){0,2}):\s")
# `Hey Ana!`, `Bom dia, Ana.`: who is called by name at the end of a short opening is the one spoken to.
_CALL: Final = re.compile(
    r"(?:^|(?<=[.!?…] ))(?:[^\W\d_][\w'’]{0,40} ){0,2}?[^\W\d_][\w'’]{0,40},? "
    r"(?P<name>[^\W\d_a-z][^\W\d_]{2,40})(?=[!,.?])"
)
_MINE: Final = plain_words("my") | plain_words("our")


def _opening(text: str) -> tuple[str, str]:
    """The name that a transcript puts before the words, if it does, and the words."""
    prefix = _PREFIX.match(text)
    if not prefix or not prefix["name"][0].isupper():
        return "", text
    return prefix["name"], text[prefix.end() :]


def _calls(text: str) -> Iterator[str]:
    return (fold(call["name"]) for call in _CALL.finditer(text))


class Heard(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Speaker facts of one message: a folded name, given or opening the text, and the name it calls."""

    role: int
    speaker: str
    # Whether the name was given, and not only read.
    named: bool
    called: tuple[str, ...]
    # Of the assistant's words how many there are, and how many of them are `my` and its like.
    words: int
    mine: int


def listen(text: str, *, role: str, name: str | None) -> Heard:
    """Read who speaks in a text, and whom it calls."""
    opening, said = _opening(text)
    words = [] if role == "user" else NAME_PART.findall(said.lower())
    return Heard(
        role=USER if role == "user" else ASSISTANT,
        speaker=fold(name or opening),
        named=bool(name),
        called=tuple(_calls(said)),
        words=len(words),
        mine=sum(map(_MINE.__contains__, words)),
    )
