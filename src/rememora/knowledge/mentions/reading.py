"""Reads a text for mentions: of two that overlap the more certain one stays."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from rememora.knowledge.mentions.amounts import amounts
from rememora.knowledge.mentions.mention import TakenSpans, TextMention
from rememora.knowledge.mentions.moments import moments
from rememora.knowledge.mentions.names import names
from rememora.language import detect, fold

LETTERS_READ: Final = 8_000
MOST_MENTIONS: Final = 50
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")


def mentions(text: str, language: str | None = None) -> list[TextMention]:
    """Return the mentions in the order of the text, each key once with its last value."""
    # What an address is made of is no mention; where it stood there is room, so that spans hold.
    text = _ADDRESS.sub(lambda address: " " * len(address.group()), text[:LETTERS_READ])
    tongue = language or detect(text)
    folded = flat(text)
    named = list(names(text))
    read = (*amounts(text, folded, people=_words_of_people(text, named)), *moments(folded, tongue), *named)
    surest = _surest(
        [mention for mention in read if not mention.key.endswith(".") and mention.value.isprintable()]
    )
    last = {mention.key: mention for mention in surest}
    return [mention for mention in surest if last[mention.key] is mention][:MOST_MENTIONS]


def _surest(mentions: list[TextMention]) -> list[TextMention]:
    kept: list[TextMention] = []
    taken = TakenSpans()
    for text_mention in sorted(mentions, key=lambda text_mention: (-text_mention.confidence, text_mention.span)):
        if not taken.overlaps(text_mention.span):
            taken.take(text_mention.span)
            kept.append(text_mention)
    return sorted(kept, key=lambda text_mention: text_mention.span)


def _words_of_people(text: str, named: Iterable[TextMention]) -> frozenset[str]:
    """Return the folded words of people's names; in a text with capitals a name has one ("o saldo" is nobody)."""
    people = (name.value for name in named if name.type == "person")
    sure = (name for name in people if text.islower() or not name.islower())
    return frozenset(part for name in sure for part in fold(name).split())


def flat(text: str) -> str:
    """Fold a text and keep every letter at its position, so that spans are valid in both."""
    return text.lower() if text.isascii() else "".join(map(_flat_letter, text))


@lru_cache(maxsize=4_096)
def _flat_letter(letter: str) -> str:
    folded = fold(letter)
    return folded if len(folded) == 1 else letter
