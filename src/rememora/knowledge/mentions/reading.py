"""Reads a text for mentions: of two that overlap the more certain one stays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from rememora.knowledge.mentions.amounts import amounts
from rememora.knowledge.mentions.mention import TakenSpans, TextMention
from rememora.knowledge.mentions.moments import moments
from rememora.knowledge.mentions.names import names
from rememora.language import detect, fold
from rememora.language.parsed import ParsedText, parse_text

LETTERS_READ: Final = 8_000
MOST_MENTIONS: Final = 50
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")


def mentions(said: str | ParsedText, language: str | None = None) -> list[TextMention]:
    """Return the mentions in the order of the text, each key once with its last value."""
    parsed = parse_text(said[:LETTERS_READ]) if isinstance(said, str) else said
    text, folded = _without_addresses(parsed)
    tongue = language or detect(text)
    named = list(names(text))
    read = (*amounts(text, folded, people=_words_of_people(text, named)), *moments(folded, tongue), *named)
    surest = _surest(
        [mention for mention in read if not mention.key.endswith(".") and mention.value.isprintable()]
    )
    last = {mention.key: mention for mention in surest}
    return [mention for mention in surest if last[mention.key] is mention][:MOST_MENTIONS]


def _without_addresses(parsed: ParsedText) -> tuple[str, str]:
    """Return a text and its folded form without addresses: what one is made of is no mention.

    Where an address stood there is room, so that spans hold.
    """
    text, folded = parsed.raw[:LETTERS_READ], parsed.in_place[:LETTERS_READ]
    addresses = [address.span() for address in _ADDRESS.finditer(text)]
    return _blanked(text, addresses), _blanked(folded, addresses)


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text with spaces in place of these spans, which stand in their order."""
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(text)]
    rooms = [*(" " * (end - start) for start, end in spans), ""]
    return "".join(f"{text[start:end]}{room}" for start, end, room in zip(starts, ends, rooms, strict=True))


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
