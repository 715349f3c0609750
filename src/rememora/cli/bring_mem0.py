"""Imports mem0's memories: each row for its user, through the gate, and none that was kept there is lost."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import msgspec

from rememora.adapters import exports
from rememora.adapters.mem0 import as_said
from rememora.app import Rememora
from rememora.cli.opened import memory_of
from rememora.compat.mem0 import extras_of, put_extras
from rememora.domain.memory import VALUE_BYTES, Memory, Outcome
from rememora.domain.verdict import Correct, Save
from rememora.errors import InvalidInput
from rememora.handles.user import UserMemory

LONG = "mem0"
"""The conversation that holds rows which are too long for a memory."""
# What a row can become; all are counted, so that the counts add up to the rows of the file.
COUNTED = ("kept", "kept_whole", "kept_silent", "kept_as_message", "here_already", "held")


class Whose(msgspec.Struct, frozen=True):
    """Decides whose memory a row becomes: that of one `user` but for `others`, or of its own user."""

    user: str | None = None
    others: frozenset[str] = frozenset()

    @classmethod
    def every(cls, file: Path) -> Self:
        """Take each row for its own user; a row that names none is refused."""
        nobody = next((row.id for row in _rows(file) if row.user is None), None)
        if nobody is not None:
            raise InvalidInput("file", f"the row {nobody} names no user; --user imports it for one")
        return cls()

    @classmethod
    def of(cls, file: Path, user: str) -> Self:
        """Take the rows of one user; those of others are counted and named."""
        rows = Counter(row.user for row in _rows(file) if row.user)
        others = {name: count for name, count in rows.items() if name != user}
        # One user in the file: the importing person is meant, whatever the id was there. Several: only the one of
        # the same name, since memories of others must not become theirs.
        if len(rows) > 1 and user not in rows:
            names = ", ".join(sorted(rows))
            raise InvalidInput("file", f"holds memories of {names}, and none of {user}; --all-users imports all")
        for name, count in sorted(others.items()):
            skipped = f"are skipped; --user {name} or --all-users imports them"
            became = skipped if len(rows) > 1 else f"come in as memories of {user}"
            print(f"{count} of the user_id {name} {became}", file=sys.stderr)
        return cls(user, frozenset(others) if len(rows) > 1 else frozenset())

    def owner(self, row: exports.ExportedMemory) -> str | None:
        """Return whose memory a row becomes; None for a row that stays out."""
        return row.user if self.user is None else None if row.user in self.others else self.user


class Mem0Import:
    """One import of a file into a tenant."""

    def __init__(self, rememora: Rememora, tenant: str, whose: Whose) -> None:
        self._rememora, self._tenant, self._whose = rememora, tenant, whose

    async def run(self, file: Path, read: exports.Read) -> dict[str, int]:
        """Import every row, and count what became of each."""
        counts = Counter(dict.fromkeys(COUNTED, 0))
        for row in exports.mem0_memories(file, read=read):
            owner = self._whose.owner(row)
            person = None if owner is None else memory_of(self._rememora, self._tenant, owner)
            counts["of_others" if person is None else await _brought(person, row)] += 1
        return dict(counts)


async def _brought(person: UserMemory, row: exports.ExportedMemory) -> str:
    """Import one row, and name what became of it."""
    said, ref = as_said(row.text), f"mem0:{row.id}"[:255]
    if len(said.encode()) > VALUE_BYTES:
        return await _as_message(person, row, ref)
    outcome = await person.archive.load_note(said, ref=ref, at=row.at, whole=True)
    if outcome.verdict is None and await _is_of_another_row(person, outcome, row, ref):
        outcome = await person.archive.load_note(said, ref=ref, at=row.at, whole=True, separate=True)
    for memory in outcome.memories:
        # What was changed since an earlier import stays as it is.
        if outcome.verdict is not None or not await extras_of(person, memory):
            await _put_extras(person, memory, row)
    became = _became(outcome)
    if outcome.verdict is not None and became in ("kept_silent", "held"):
        _tell(row, f"{became}: {outcome.verdict.why.en} ({outcome.verdict.reason})")
    return became


async def _as_message(person: UserMemory, row: exports.ExportedMemory, ref: str) -> str:
    """Keep a row that is too long for a memory as a message, which is searched as well."""
    chat = person.conversation(LONG, channel="mem0")
    stored = await chat.append("user", row.text, id=ref, created_at=row.at, metadata={"mem0": row.extras})
    _tell(row, f"kept_as_message: a memory has at most {VALUE_BYTES} bytes; it is message {stored.id}")
    return "kept_as_message"


async def _is_of_another_row(person: UserMemory, outcome: Outcome, row: exports.ExportedMemory, ref: str) -> bool:
    """Tell whether the same words came from another row, with other fields beside them: then both are kept."""
    others = [memory for memory in outcome.memories if memory.source_ref != ref]
    stored = [await extras_of(person, memory) for memory in others]
    return bool(others) and all(extras not in ({}, row.extras) for extras in stored)


async def _put_extras(person: UserMemory, memory: Memory, row: exports.ExportedMemory) -> None:
    try:
        await put_extras(person, memory, row.extras)
    except InvalidInput as error:
        _tell(row, f"its metadata is not kept: {error}")


def _tell(row: exports.ExportedMemory, what: str) -> None:
    print(f"{row.id}: {what}", file=sys.stderr)


def _rows(file: Path) -> Iterator[exports.ExportedMemory]:
    return exports.mem0_memories(file, read=lambda _: None)


def _became(outcome: Outcome) -> str:
    """Name the result of a row: read as facts, kept verbatim, kept but suppressed, quarantined, or a duplicate."""
    if outcome.verdict is None:
        return "here_already"
    if outcome.quarantined:
        return "held"
    if any(memory.suppressed for memory in outcome.memories):
        return "kept_silent"
    return "kept" if isinstance(outcome.verdict, Save | Correct) else "kept_whole"
