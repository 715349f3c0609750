"""Reads a text for mentions: all rules run, and of two overlapping mentions the more certain one stays."""

from __future__ import annotations

import re
from typing import Final

from rememora.knowledge.mentions.amounts import amounts
from rememora.knowledge.mentions.gazetteer import flat
from rememora.knowledge.mentions.mention import TakenSpans, TextMention
from rememora.knowledge.mentions.moments import moments
from rememora.knowledge.mentions.names import names
from rememora.language import detect

LETTERS_READ: Final = 8_000
MOST_MENTIONS: Final = 50
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")


def mentions(text: str, language: str | None = None) -> list[TextMention]:
    """Return the mentions in the order of the text, each key once with its last value."""
    # What an address is made of is no mention; where it stood there is room, so that spans hold.
    text = _ADDRESS.sub(lambda address: " " * len(address.group()), text[:LETTERS_READ])
    tongue = language or detect(text)
    folded = flat(text)
    read = (*amounts(text, folded), *moments(folded, tongue), *names(text, folded, tongue))
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
