"""Reasons to hide an item, and the text shown instead of it in its own conversation."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

Reason = Literal["erased", "forgotten", "suppressed", "order", "secret", "withheld", "echo", "unjudged"]
"""Reasons for hiding, strongest first: an item with several reasons is hidden for the first of them.

`erased`, `forgotten`, `suppressed`: the state of a memory that came from it. `order`: it tries to give orders.
`secret`: it contains what the gate does not keep. `withheld`: a summary or an episode that covers hidden turns
and has not been made again from the others. `echo`: it only talks about the memory itself. `unjudged`: it was
stored before visibility was decided at writing, and has not been judged yet.
"""

REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
MASK: Final = "[•••]"
"""Text that replaces a secret."""


class VisibilityVerdict(msgspec.Struct, frozen=True):
    """Verdict of the rules on a text alone: why it is hidden, and the text with its secrets masked."""

    hidden: Reason | None = None
    shown: str | None = None
    may_echo: bool = False
    """It is an answer that could repeat a secret of the turn before it, which only the transaction can check."""


VISIBLE: Final = VisibilityVerdict()


class MessageVisibility(msgspec.Struct, frozen=True):
    """Visibility of a stored message: its position, the verdict on its text, and the reason it is hidden now."""

    seq: int
    role: str
    judged: Reason | None
    hidden: Reason | None


class MemorySource(msgspec.Struct, frozen=True, kw_only=True):
    """A message that a memory came from, or an answer to it; `hidden` is the visibility of the memory."""

    user: str
    memory: str
    conversation: str
    message: str
    hidden: Reason | None = None
