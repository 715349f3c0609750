"""The visibility rule, pure: status of memories, its effect on their messages, and the contents of a window."""

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
    return min((reason for reason in reasons if reason is not None), key=_RANK.__getitem__, default=None)


def memory_reasons(memories: Iterable[Memory]) -> dict[str, Reason | None]:
    """Return why each memory of one lineage and owner is hidden, or None.

    A deleted one is forgotten, and a suppressed one suppressed. A replaced one follows those that superseded it
    or a part of it; it is hidden too where none of them and nothing under its key is visible.
    """
    known = list(memories)
    direct = {memory.id: _own_reason(memory) for memory in known}
    shown = {memory.id for memory in known if memory.status == "active" and direct[memory.id] is None}
    followers = _followers(known)
    reasons: dict[str, Reason | None] = {}
    for memory in known:
        # All that came after it, directly or over several steps.
        line = _line(memory.id, followers)
        same_key = [other for other in known if other.key == memory.key and other.status == "active"]
        speaks = not shown.isdisjoint([*line, *(other.id for other in same_key)])
        current = strongest(direct[other.id] for other in same_key)
        # An old value may be told as history while its successor is visible. Once that was forgotten, the old
        # value must not reappear in its place.
        replaced = memory.status == "deprecated" and not speaks
        chain = strongest(direct[id] for id in line)
        reasons[memory.id] = strongest((chain, (current or "forgotten") if replaced else None))
    return reasons


def _followers(memories: Iterable[Memory]) -> dict[str, list[str]]:
    """By the memory that was replaced, those that took its place or a part of it."""
    followers: dict[str, list[str]] = {}
    for memory in memories:
        for before in (memory.supersedes, memory.follows):
            if before is not None:
                followers.setdefault(before, []).append(memory.id)
    return followers


def _own_reason(memory: Memory) -> Reason | None:
    if memory.status == "deleted":
        return "forgotten"
    return "suppressed" if memory.suppressed else None


def _line(id: str, followers: Mapping[str, Sequence[str]]) -> list[str]:
    """A memory and all those that replaced it, one after the other."""
    line = [id]
    for id_ in line:
        line.extend(next for next in followers.get(id_, ()) if next not in line)
    return line


def entity_reason(judged: Reason | None, *, mentions: int, hidden: int) -> Reason | None:
    """Return why an entity is hidden: for its own text, or because only hidden messages mention it."""
    return judged or ("forgotten" if hidden and mentions <= hidden else None)


def visible(messages: Iterable[Message]) -> list[Message]:
    """Return the messages that are visible anywhere."""
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
