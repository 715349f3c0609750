"""A text cut up and folded once: every rule, ranking and answer takes the same forms of it."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import msgspec

from rememora.caches import person_cache
from rememora.language.detection import is_unread, language_of_text
from rememora.language.folding import fold_same_length, fold_typed
from rememora.language.words import split

HELD_CHARACTERS: Final = 4_000
"""Longest text whose forms are held: what is longer is a document, and comes once."""
_ENDS: Final = " .!?,;:¿¡"


class ParsedText(msgspec.Struct, frozen=True, dict=True, kw_only=True):
    """A text and its forms, each made when first asked for."""

    raw: str

    @cached_property
    def compared(self) -> str:
        """The text folded for comparison, with one kind of apostrophe."""
        return fold_typed(self.raw)

    @cached_property
    def in_place(self) -> str:
        """The text folded with every character at its place."""
        return fold_same_length(self.raw)

    @cached_property
    def plain(self) -> str:
        """The folded text with single spaces and no signs at its ends, as frames of whole messages want it."""
        return " ".join(self.compared.strip(_ENDS).split())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Words as the indexes have them, not yet stemmed."""
        return tuple(split(self.raw))

    @property
    def language(self) -> str | None:
        """The language with a pack that the text is in, if that is clear."""
        return language_of_text(self.raw)

    @property
    def is_unread(self) -> bool:
        """Whether the text is in a language without a pack."""
        return is_unread(self.raw)

    @property
    def asks(self) -> bool:
        """Whether the text ends with a question mark."""
        return self.raw.rstrip().endswith("?")


def parse_text(text: str) -> ParsedText:
    """Return a text with its forms; those of the last texts are held."""
    return _held(text) if len(text) <= HELD_CHARACTERS else ParsedText(raw=text)


@person_cache(maxsize=256)
def _held(text: str) -> ParsedText:
    return ParsedText(raw=text)
