"""A statement that a language model proposes to keep, before the gate has judged it."""

from __future__ import annotations

from typing import Literal

import msgspec

from rememora.domain.verdict import Origin, TextSpan

ProposedAction = Literal["add", "change", "nothing"]
Duration = Literal["lasting", "limited", "passing"]


class ProposedStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that stands in a message, as a model words it, and what it is about."""

    text: str
    """The statement, readable alone; in the words of the message."""
    quote: TextSpan
    subject: str = ""
    """`me`, `company`, a name, or nothing where the message names nobody and nothing."""
    of_person: bool = False
    """Whether the subject is a person other than the author."""
    attribute: str = "other"
    value: str = ""
    """The value of the attribute; it stands in the quote, or is empty."""
    certainty: float = 0.8
    duration: Duration = "lasting"
    action: ProposedAction = "add"
    changes: str | None = None
    """The id of the memory that the model names as changed."""
    origin: Origin = Origin.USER_SAID
