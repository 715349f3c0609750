"""The rule itself, pure: how memories stand, what follows for their messages, and what a window shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from rememora.domain.memory import Memory
from rememora.domain.message import Message
from rememora.domain.visibility import REASONS, Reason

_RANK: Mapping[Reason | None, int] = {reason: place for place, reason in enumerate(REASONS)}
AS_SAID: frozenset[Reason | None] = frozenset({None, "echo"})
"""Reasons for which a later window of the same conversation still shows a message as it was said."""


def strongest(reasons: Iterable[Reason | None]) -> Reason | None:
    """The first of several reasons; None where there is none."""
    return min((each for each in reasons if each is not None), key=_RANK.__getitem__, default=None)


def memory_reasons(memories: Iterable[Memory]) -> dict[str, Reason | None]:
    """Why each memory of one key and owner may not be told.

    A deleted one is forgotten, and a suppressed one suppressed. A replaced one stands as the one that took its
    place, and where nothing under the key may be told it is not told either.
    """
    known = list(memories)
    own = {each.id: _own_reason(each) for each in known}
    successor = {each.supersedes: each.id for each in known if each.supersedes is not None}
    speaks = any(each.status == "active" and own[each.id] is None for each in known)
    current = strongest(own[each.id] for each in known if each.status == "active")
    found: dict[str, Reason | None] = {}
    for each in known:
        chain = strongest(own[id] for id in _line(each.id, successor))
        replaced = each.status == "deprecated" and not speaks
        found[each.id] = strongest((chain, (current or "forgotten") if replaced else None))
    return found


def _own_reason(memory: Memory) -> Reason | None:
    if memory.status == "deleted":
        return "forgotten"
    return "suppressed" if memory.suppressed else None


def _line(id: str, successor: Mapping[str, str]) -> list[str]:
    """A memory and those that replaced it one after the other."""
    line = [id]
    while (following := successor.get(line[-1])) is not None and following not in line:
        line.append(following)
    return line


def entity_reason(judged: Reason | None, *, mentions: int, hidden: int) -> Reason | None:
    """Why an entity may not be told: for itself, or because nobody mentioned it but in hidden messages."""
    return judged or ("forgotten" if hidden and mentions <= hidden else None)


def visible(messages: Iterable[Message]) -> list[Message]:
    """The messages that may be told anywhere."""
    return [message for message in messages if message.hidden is None]


def as_shown(message: Message) -> Message | None:
    """A message as a later window of its own conversation shows it: masked, whole, or not at all."""
    if message.hidden in AS_SAID:
        return message
    if message.hidden != "secret" or message.shown is None:
        return None
    return msgspec.structs.replace(message, content=message.shown, attachments=(), metadata={})


def window(turns: Sequence[Message]) -> list[Message]:
    """The newest turns as a model may see them; the last one, if a person said it, as it was said."""
    if not turns:
        return []
    *before, last = turns
    shown = [kept for turn in before if (kept := as_shown(turn)) is not None]
    newest = last if last.role == "user" else as_shown(last)
    return shown if newest is None else [*shown, newest]
