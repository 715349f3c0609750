"""A message that was read: its words in every form that rules take, and what the network reads in it.

One object goes to the gate, to control by words and to what compares the message with what is known. Each form is
made when somebody asks for it, so that a message that only has to be compared costs no network.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from rememora.caches import person_cache
from rememora.language.parsed import HELD_CHARACTERS, ParsedText
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
        return normalise(self.raw)

    @property
    def reading(self) -> MessageReading:
        """What the reader reads in the message after its turns, held by the reader: another one reads anew."""
        return read_message(self.normal.text, self.before)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What the message states."""
        return self.reading.statements

    def chance(self, *acts: str) -> float:
        """Return the highest chance of any part to have one of these acts."""
        return self.reading.chance(*acts)


def parse_message(text: str, before: Sequence[str] = ()) -> ParsedMessage:
    """Return a message with its forms; those of the last messages are held."""
    if len(text) > HELD_CHARACTERS:
        return ParsedMessage(raw=text, before=tuple(before))
    return _held(text, tuple(before))


@person_cache(maxsize=128)
def _held(text: str, before: tuple[str, ...]) -> ParsedMessage:
    return ParsedMessage(raw=text, before=before)
