"""Reads the names of a whole text, however long, a stretch of sentences at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rememora.caches import person_cache
from rememora.language.detection import is_unread, language_of_text
from rememora.language.packs import BUILTIN
from rememora.reading.encoders import on_change
from rememora.reading.name_network import load_name_network
from rememora.reading.names import name_spans, opens_line
from rememora.reading.network import load_network
from rememora.reading.reader import lower_shouted
from rememora.reading.results import NameSpan
from rememora.reading.tokens import Token, describe, encoded_words, tokenise

STRETCH: Final = 160
"""Most words read at once: what is far away says little about a name, and attention costs the square of it."""
_ENDS: Final = frozenset(".!?…;:")
_LEARNT: Final = {*BUILTIN, None}
"""Languages of the messages that the network has learnt from, and of texts too short to tell."""


@person_cache(maxsize=64)
def read_names(text: str) -> tuple[NameSpan, ...]:
    """Every name of a text, in its order; none of a text in a language that the network has not learnt."""
    return () if is_unread(text) or language_of_text(text) not in _LEARNT else tuple(_names(text))


on_change(read_names.cache_clear)


def _names(text: str) -> Iterator[NameSpan]:
    calm, reader = lower_shouted(text), load_network()
    for tokens in _stretches(calm, tokenise(calm)):
        encoded = encoded_words(tokens)
        described = describe(calm, tokens, reader.vocabulary)
        tags = load_name_network().tags(described, reader.read(described, 0, encoded), encoded)
        yield from name_spans(calm, tokens, tags)


def _stretches(text: str, tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Cut words into stretches, at the last end of a line or a sentence that fits where there is one."""
    start = 0
    while start < len(tokens):
        end = min(start + STRETCH, len(tokens))
        if end < len(tokens):
            end = next((at for at in range(end, start, -1) if _ends_before(text, tokens, at)), end)
        yield tokens[start:end]
        start = end


def _ends_before(text: str, tokens: Sequence[Token], at: int) -> bool:
    return tokens[at - 1].text in _ENDS or opens_line(text, tokens, at)
