"""A text cut up and folded once: every rule, ranking and answer takes the same forms of it.

The forms of the last texts are held, so that whoever has the same words in hand, a message after other turns or a
query alone, finds them made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Final, TypeVar

import msgspec

from rememora.caches import person_cache
from rememora.language.detection import language_of_text
from rememora.language.folding import fold_same_length, fold_typed
from rememora.language.words import split

HELD_CHARACTERS: Final = 4_000
"""Longest text whose forms are held: what is longer is a document, and comes once."""
_HELD_TEXTS: Final = 256
_ENDS: Final = " .!?,;:¿¡"
T = TypeVar("T")


def held(make: Callable[[str], T]) -> Callable[[str], T]:
    """Hold what is made of the last texts, except of long ones."""
    last = person_cache(maxsize=_HELD_TEXTS)(make)

    @wraps(make)
    def form(text: str) -> T:
        return last(text) if len(text) <= HELD_CHARACTERS else make(text)

    return form


compared: Final = held(fold_typed)
in_place: Final = held(fold_same_length)


@held
def _words(text: str) -> tuple[str, ...]:
    return tuple(split(text))


class ParsedText(msgspec.Struct, frozen=True, dict=True, kw_only=True):
    """A text and its forms, each made when first asked for."""

    raw: str

    @cached_property
    def compared(self) -> str:
        """The text folded for comparison, with one kind of apostrophe."""
        return compared(self.raw)

    @cached_property
    def in_place(self) -> str:
        """The text folded with every character at its place."""
        return in_place(self.raw)

    @cached_property
    def plain(self) -> str:
        """The folded text with single spaces and no signs at its ends, as frames of whole messages want it."""
        return " ".join(self.compared.strip(_ENDS).split())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Words as the indexes have them, not yet stemmed."""
        return _words(self.raw)

    @property
    def language(self) -> str | None:
        """The language with a pack that the text is in, if that is clear."""
        return language_of_text(self.raw)

    @property
    def asks(self) -> bool:
        """Check whether the text ends with a question mark."""
        return self.raw.rstrip().endswith("?")


def parse_text(text: str) -> ParsedText:
    """Return a text with its forms."""
    return ParsedText(raw=text)
