"""A reader of messages: `reading.reader = "confidential"` takes project codes such as `PRJ-4711` for secrets.

It leaves the reading to the network of the package, and says in the words of its labels what it knows better.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from rememora.reading import read_builtin
from rememora.reading.labels import ACTS, LABELS
from rememora.reading.results import MessageReader, MessageReading, SentencePart
from rememora.settings import Settings

CODE = re.compile(r"\bPRJ-\d{1,6}\b")


def make_reader(settings: Settings) -> MessageReader:
    """Make the reader."""
    return read_confidential


def read_confidential(text: str, before: Sequence[str] = ()) -> MessageReading:
    """Read a message; a project code in it is a secret, whatever is said of it."""
    spoken, code = read_builtin(text, before), CODE.search(text)
    if code is None:
        return spoken
    secret = tuple(float(act == "secret") for act in ACTS)
    part = SentencePart(start=code.start(), end=code.end(), act="secret", chances=secret, sentence=0)
    labels = tuple(float(label == "sensitive") for label in LABELS)
    return msgspec.structs.replace(spoken, labels=labels, parts=(*spoken.parts, part), statements=())
