"""Notes on shown items: earlier values, the rule behind a value, doubts about it, and its dates.

A past value is never shown to a model as if it were current: a statement names its earlier values with their
dates, and an old message whose facts have been replaced says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from rememora.domain.memory import Memory, MemoryStanding
from rememora.domain.scope import Scope
from rememora.knowledge.timeline import forerunners, values
from rememora.language import tokens
from rememora.language.amended import parts_of
from rememora.language.keys import called
from rememora.ports.store import UnitOfWork

MOST_BEFORE: Final = 6
"""Maximum number of earlier values that are shown."""
MOST_OUTDATED: Final = 400
"""Maximum number of replaced and doubtful memories that are searched for in retellings."""
LEAST_CHARACTERS: Final = 12
"""Minimum length of words that identify a retelling."""
QUOTED: Final = 160
"""Maximum characters of a quoted earlier value or rule."""
MOST_OF_CHANGE: Final = 80
"""Maximum characters of a change that is quoted next to what it puts in doubt."""


class Note(msgspec.Struct, frozen=True):
    """Notes shown with a memory: its earlier values, and its rule or its doubt."""

    past: str = ""
    note: str = ""


NO_NOTE: Final = Note()


def statement_notes(
    work: UnitOfWork, scope: Scope, query: str, memories: Sequence[Memory], called_for: Iterable[str] = ()
) -> dict[str, Note]:
    """Return a note for each memory with earlier values, a rule or a doubt, by its id.

    Earlier values are shown if the question is about the memory: by a word of it, or by the search.
    """
    words, hits = frozenset(tokens(query)), frozenset(called_for)
    notes: dict[str, Note] = {}
    for memory in memories:
        past = NO_NOTE
        if memory.supersedes or memory.follows:
            # The past costs tokens: it is told where the question is about the memory, and nowhere else.
            about = memory.id in hits or words & frozenset(tokens(f"{memory.value} {called(memory.key)}"))
            past = _past(work, scope, memory) if about else past
        parts = (_doubt(work, scope, memory), _rule(work, scope, memory), past.note, _amended(memory))
        note = "; ".join(filter(None, parts))
        if note or past.past:
            notes[memory.id] = Note(past.past, note)
    return notes


def message_notes(work: UnitOfWork, scope: Scope, messages: Mapping[str, str]) -> dict[str, str]:
    """Return a note for each message, given with its conversation, whose facts are outdated or in doubt."""
    learned = work.memories.learned_from(scope, [(conversation, id) for id, conversation in messages.items()])
    return {id: note for id, states in learned.items() if (note := _message_note(states))}


class OutdatedWords(msgspec.Struct, frozen=True):
    """Words that stated something which is outdated or in doubt, and since when."""

    said: str
    since: datetime
    gone: bool
    """It is outdated; otherwise it is in doubt."""

    @property
    def mark(self) -> str:
        """Return the note on a line that repeats these words."""
        return f"{'no longer true' if self.gone else 'may no longer hold'} since {_day(self.since)}"


def outdated(work: UnitOfWork, scope: Scope) -> list[OutdatedWords]:
    """Return the words of replaced memories, and of those in doubt."""
    marked = [
        OutdatedWords(_plain(state), state.updated_at, gone=True)
        if state.doubted_at is None or state.status == "deprecated"
        else OutdatedWords(_plain(state), state.doubted_at, gone=False)
        for state in work.memories.outdated(scope, limit=MOST_OUTDATED)
    ]
    return [words for words in marked if len(words.said) >= LEAST_CHARACTERS]


def mark_retold(text: str, past: Sequence[OutdatedWords]) -> str:
    """Mark the lines of an episode or a summary that repeat something outdated or doubtful."""
    return "\n".join(_marked(line, past) for line in text.split("\n")) if past else text


def _plain(state: MemoryStanding) -> str:
    """Return the words of a memory as a retelling would have them."""
    return " ".join((state.evidence or str(state.value)).split()).rstrip(".!?…")


def _marked(line: str, past: Sequence[OutdatedWords]) -> str:
    plain = " ".join(line.split())
    # The title of an episode is the beginning of a message, cut short.
    head = plain[:-1].rstrip() if plain.endswith("…") and len(plain) > LEAST_CHARACTERS else plain
    retold = [words for words in past if words.said in plain or (head != plain and words.said.startswith(head))]
    if not retold:
        return line
    last = max(retold, key=lambda words: (words.gone, words.since))
    return f"{line} ({last.mark})"


def _message_note(learned: Sequence[MemoryStanding]) -> str:
    past = [state for state in learned if state.status == "deprecated"]
    active = [state for state in learned if state.status == "active"]
    if past:
        since = _day(max(other.updated_at for other in past))
        return f"in part no longer true since {since}" if active else f"no longer true since {since}"
    doubts = [other.doubted_at for other in active if other.doubted_at is not None]
    return f"may no longer hold since {_day(max(doubts))}" if doubts else ""


def _past(work: UnitOfWork, scope: Scope, memory: Memory) -> Note:
    """Tell the earlier values of a memory; an amended statement tells its own, all but when it was first said."""
    line = values(memory, forerunners(work, scope, memory, limit=MOST_BEFORE))[:-1]
    first, changes = parts_of(str(memory.value))
    parts = {first, *(change.text for change in changes)} if changes else set()
    since = next((value.since for value in line if value.value in parts), None)
    past = [
        f"“{_quoted(value.value)}” ({_day(value.since)} until {_day(value.until)})"
        for value in line
        if value.value not in parts
    ]
    return Note(
        f"formerly: {'; '.join(past)}" if past else "", f"first said on {_day(since)}" if since is not None else ""
    )


def _amended(memory: Memory) -> str:
    """Tell since when a part of an amended statement is past, in the words that outdated messages have."""
    changes = parts_of(str(memory.value))[1]
    return f"in part no longer true since {changes[0].day}" if changes else ""


def _rule(work: UnitOfWork, scope: Scope, memory: Memory) -> str:
    rule = memory.because and work.memories.get(scope, memory.because)
    if not rule:
        return ""
    met = f", which came true: “{_quoted(memory.evidence)}”" if memory.evidence else ""
    return f"by the rule told on {_day(rule.created_at)}: “{_quoted(rule.value)}”{met}"


def _doubt(work: UnitOfWork, scope: Scope, memory: Memory) -> str:
    if memory.doubted_at is None:
        return ""
    change = memory.doubted_by and work.memories.get(scope, memory.doubted_by)
    known = change and change.status != "deleted" and not change.suppressed
    why = f", it rested on what changed: “{_quoted(change.value, MOST_OF_CHANGE)}”" if change and known else ""
    return f"may no longer hold since {_day(memory.doubted_at)}{why}"


def _quoted(value: object, most: int = QUOTED) -> str:
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _day(moment: datetime | None) -> str:
    return "now" if moment is None else moment.date().isoformat()
