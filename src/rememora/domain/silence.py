"""What is not to be told again, though what was said stays where it was said."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from rememora.domain.message import Message

SILENCED: Final = "silenced"
"""Under this name a message's metadata says that what it came to was erased; it says nothing of what that was."""


class Hushed(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that is forgotten or silenced: by what it is known wherever it comes back."""

    id: str
    value: Any
    source: str | None = None
    evidence: str | None = None


def is_silenced(message: Message) -> bool:
    """Whether what a message came to was erased."""
    return message.metadata.get(SILENCED) is True
