"""Undoes the last change: saved memories are removed; replaced, forgotten or suppressed ones return."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rememora.domain.memory import Memory, MemoryFilter, Outcome, Status
from rememora.knowledge.base import KnowledgeWriter
from rememora.knowledge.control import JUST_NOW, bring_back, delete
from rememora.knowledge.find import REACH

WHY = "undone"
_CHANGED: tuple[Status, ...] = ("active", "deleted")


def undo_these(writer: KnowledgeWriter, ids: Iterable[str], *, kept: bool = False) -> Outcome:
    """Undo what one turn did to these memories, as far as they are this person's; or only what it `kept`."""
    memories = (writer.work.memories.get(writer.scope, id) for id in ids)
    mine = [memory for memory in memories if memory is not None and writer.may_change(memory)]
    return _undo(writer, [memory for memory in mine if not kept or _stands(memory)])


def undo_last(writer: KnowledgeWriter, *, kept: bool = False) -> Outcome:
    """Undo what was done a moment ago, or only what was then `kept`; empty if there was nothing."""
    known = [memory for memory in _known(writer) if writer.may_change(memory)]
    at = max((memory.updated_at for memory in known), default=None)
    if at is None or writer.now - at > JUST_NOW:
        return Outcome()
    return _undo(writer, [other for other in known if other.updated_at == at and (not kept or _stands(other))])


def _undo(writer: KnowledgeWriter, memories: Iterable[Memory]) -> Outcome:
    undone = [_undo_one(writer, memory) for memory in memories]
    return Outcome(memories=tuple(memory for memory in undone if memory is not None))


def _undo_one(writer: KnowledgeWriter, memory: Memory) -> Memory | None:
    """Return the memory that was restored or removed; None for one that was itself restored."""
    if memory.status == "deleted" or memory.suppressed:
        return bring_back(writer, memory.id, WHY)
    if memory.updated_at != memory.created_at:
        return None
    earlier = _before_the_turn(writer, memory)
    if earlier is None:
        return delete(writer, memory, why=WHY)
    if earlier.key != memory.key:
        # A role that moved to another person: the one it moved to has to go before the other returns.
        delete(writer, memory, why=WHY)
    return bring_back(writer, earlier.id, WHY)


def _before_the_turn(writer: KnowledgeWriter, memory: Memory) -> Memory | None:
    """Return what a memory was before the turn that wrote it, which may have changed it more than once."""
    turn = (memory.source_ref, memory.created_at)
    earlier: Memory | None = memory
    while earlier is not None and (earlier is memory or (earlier.source_ref, earlier.created_at) == turn):
        earlier = writer.work.memories.get(writer.scope, earlier.supersedes) if earlier.supersedes else None
    return earlier


def _known(writer: KnowledgeWriter) -> Iterator[Memory]:
    for status in _CHANGED:
        yield from writer.work.memories.page(writer.scope, MemoryFilter(status=status), limit=REACH)


def _stands(memory: Memory) -> bool:
    return memory.status == "active" and not memory.suppressed
