"""Define the result of reading a message, shared by gate, planner and doors without loading the network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from rememora.reading.labels import ACTS, ATTRIBUTES, LABELS

FACTS: Final = frozenset({"tell", "change", "correct"})
"""Acts that state something for sure."""
STATED: Final = FACTS | {"doubt"}
SURE_NAME: Final = 0.75
"""Certainty from which a name is taken for what it is read as (`docs/why/reading.md`)."""


class NameSpan(NamedTuple):
    """A name: where it stands, what it is the name of, and how sure that is."""

    start: int
    end: int
    kind: str
    sure: float


class AttributeValue(msgspec.Struct, frozen=True, kw_only=True):
    """Words that are the value of an attribute, and the subject it belongs to."""

    start: int
    end: int
    text: str
    attribute: str
    sure: float
    subject: str
    subject_sure: float


class SentencePart(msgspec.Struct, frozen=True, kw_only=True):
    """A run of words with one act."""

    start: int
    end: int
    act: str
    chances: tuple[float, ...]
    sentence: int

    def chance(self, *acts: str) -> float:
        """Return the chance that the part has one of these acts."""
        return sum(self.chances[ACTS.index(act)] for act in acts)


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """Something stated: the words, how they were said, and what they are about where that is known."""

    start: int
    end: int
    text: str
    act: str
    sure: float
    values: tuple[AttributeValue, ...] = ()
    subject: str = ""
    """`me`, `company`, the name of somebody or something, or nothing where it is not known."""
    attribute: str = "other"
    of_person: bool = False
    """Whether the subject is the name of a person, and not of a firm, a project, a place or a thing."""
    meant: bool = False
    """Whether it speaks of somebody named earlier, by a pronoun or not at all."""


class MessageReading(msgspec.Struct, frozen=True, kw_only=True):
    """Result of reading one message."""

    text: str
    labels: tuple[float, ...]
    parts: tuple[SentencePart, ...]
    statements: tuple[Statement, ...]
    names: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()
    """The names that are people's."""
    attributes: tuple[float, ...] = (0.0,) * len(ATTRIBUTES)
    """For each attribute the chance that some word of the message is a value of it."""

    def label(self, name: str) -> float:
        """Return the chance of a label for the whole message."""
        return self.labels[LABELS.index(name)]

    def attribute_chance(self, attribute: str) -> float:
        """Return the chance that the message holds a value of an attribute."""
        column = ATTRIBUTES.index(attribute) if attribute in ATTRIBUTES else 0
        return self.attributes[column]

    def chance(self, *acts: str) -> float:
        """Return the highest chance of any part to have one of these acts."""
        return max((part.chance(*acts) for part in self.parts), default=0.0)


class MessageReader(Protocol):
    """Reads a message that was said after some turns, each with its role before it (`user: …`)."""

    def __call__(self, text: str, before: Sequence[str], /) -> MessageReading: ...
