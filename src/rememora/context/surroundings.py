"""Reads the surroundings of a message that is acted on: the turns before it, and the open questions to the person.

Every step of acting on a message needs some of it. It is read once: reading it step by step took four round trips
to the store, each of which waited for another thread.
"""

from __future__ import annotations

from typing import Final

import msgspec

from rememora.domain.memory import Proposal
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.store import UnitOfWork

TURNS_READ: Final = 6
CHARACTERS_READ: Final = 2_000


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """The last messages before one, oldest first, and the questions that wait for an answer."""

    before: tuple[Message, ...]
    questions: tuple[Proposal, ...]

    @property
    def turns(self) -> tuple[str, ...]:
        """The visible messages before, each with its role, as the reader gets them."""
        return tuple(
            f"{said.role}: {said.content[:CHARACTERS_READ]}" for said in self.before if said.hidden is None
        )


def surroundings_of(work: UnitOfWork, scope: Scope, message: Message) -> Surroundings:
    """Read what stands around a stored message."""
    return Surroundings(
        before=tuple(work.messages.newest(scope, limit=TURNS_READ, before=message.seq)),
        questions=tuple(work.proposals.all(scope, status="open")),
    )
