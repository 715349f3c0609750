"""Resolves "this": a bare "esquece isso" or "that's wrong" refers to what was just said."""

from __future__ import annotations

import msgspec

from rememora.domain.memory import Memory
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.gate.pointing import Wish
from rememora.knowledge.recent import about_of
from rememora.ports.store import UnitOfWork


class Referents(msgspec.Struct, frozen=True, kw_only=True):
    """Referents of a bare request: the memories of the last answer, and the person's message before it."""

    wish: Wish
    memories: tuple[Memory, ...] = ()
    together: bool = False
    """Whether one request made all of them, so that one request undoes them."""
    shared: bool = False
    """Whether it points at shared memory of the tenant, which this person may not change."""
    said: str | None = None


def resolve_reference(work: UnitOfWork, scope: Scope, message: Message, wish: Wish, *, shares: bool) -> Referents:
    """Find what "this" in a message can mean; with `shares`, shared memory of the tenant counts too."""
    before = work.messages.newest(scope, limit=4, before=message.seq)
    answers = [said for said in before if said.role == "assistant"]
    # "This" points at what the last answer was based on, then at what the person said before.
    about, together = about_of(answers[-1]) if answers else ((), False)
    memories = (work.memories.get(scope, id) for id in about)
    said = [said.content for said in before if said.role == "user"]
    active = [memory for memory in memories if memory is not None and memory.status == "active"]
    reachable = tuple(memory for memory in active if shares or memory.scope == "personal")
    return Referents(
        wish=wish,
        memories=reachable,
        together=together,
        shared=bool(active) and not reachable,
        said=said[-1] if said else None,
    )
