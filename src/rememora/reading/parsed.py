"""A message that was read: its words in every form that rules take, and its acts and statements.

One object goes to the gate, to control by words and to what compares the message with what is known. Each form is
made when somebody asks for it, so that a message that only has to be compared costs no network.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from rememora.language.parsed import ParsedText, held
from rememora.reading import read_message
from rememora.reading.normalised import NormalisedText, normalise
from rememora.reading.results import MessageReading, Statement


class ParsedMessage(ParsedText, frozen=True, dict=True, kw_only=True):
    """A message, the turns that it follows, and what is read in it."""

    before: tuple[str, ...] = ()
    """The turns before it, each with its role before it (`user: …`)."""

    @cached_property
    def normal(self) -> NormalisedText:
        """The message without invisible characters, stutter and fillers, and folded place by place."""
        return _normal(self.raw)

    @property
    def reading(self) -> MessageReading:
        """Reading of the message after its turns, held by the reader: another reader reads anew."""
        return read_message(self.normal.text, self.before)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Statements of the message."""
        return self.reading.statements

    def chance(self, *acts: str) -> float:
        """Return the highest chance of any part to have one of these acts."""
        return self.reading.chance(*acts)


def parse_message(text: str, before: Sequence[str] = ()) -> ParsedMessage:
    """Return a message with its forms."""
    return ParsedMessage(raw=text, before=tuple(before))


_normal: Final = held(normalise)
