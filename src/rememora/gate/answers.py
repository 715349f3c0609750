"""Answers to a pending question: yes, no, another value, or something unrelated."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import msgspec

from rememora.language.pack_schema import AnswerWords
from rememora.language.packs import CODES, control_of, joined
from rememora.reading.parsed import ParsedMessage, parse_message

_QUESTION = re.compile(r"\?\s*$")
_MAX_VALUE_WORDS = 12
_FORMS: Final = {
    "yes": "^(?:(?:{yes})[ ,.!]{{0,4}}){{1,8}}$",
    "no": "^(?:(?:{no})[ ,.!]{{0,4}}){{1,8}}$",
    "value": (
        r"^(?:(?:(?:{before})[ ,.!]{{1,4}}){{0,6}}(?:{lead})?[ ,:]{{0,4}}(?:{is_}|:)?[ ,:]{{1,4}})(?P<v>.+)$"
    ),
    "opened": r"^(?:{opened})\b",
    "replaced": r"^(?:{not_})\b[^,;.]{{1,60}}[,;.] ?(?:{but}) (?P<v>.+)$",
}
"""How an answer is built; the words are those of the language packs."""


class Yes(msgspec.Struct, frozen=True, tag=True):
    """The person confirms."""


class No(msgspec.Struct, frozen=True, tag=True):
    """The person refuses."""


class Value(msgspec.Struct, frozen=True, tag=True):
    """The person gives another value."""

    text: str


class Unrelated(msgspec.Struct, frozen=True, tag=True):
    """The person speaks of something else; the question stays open."""


def read_answer(answer: str | ParsedMessage) -> Yes | No | Value | Unrelated:
    """Read a message as the answer to a question about a memory."""
    reading = (parse_message(answer) if isinstance(answer, str) else answer).normal
    folded = reading.folded.strip().strip(" ¿¡")
    if not folded or _QUESTION.search(folded):
        return Unrelated()
    if _pattern("yes").match(folded):
        return Yes()
    if _pattern("no").match(folded):
        return No()
    if len(folded.split()) > _MAX_VALUE_WORDS or not _pattern("opened").match(folded):
        return Unrelated()
    match = _pattern("replaced").match(folded) or _pattern("value").match(folded)
    value = reading.text.strip()[match.start("v") : match.end("v")].strip(" .,!") if match else ""
    return Value(value) if value else Unrelated()


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """One of the forms of an answer; people mix the words of their languages in one."""
    return re.compile(_FORMS[name].format(**{word: _words(word) for word in AnswerWords.__struct_fields__}))


def _words(name: str) -> str:
    return joined(*(getattr(control_of(code).answers, name) for code in CODES))
