"""A message is compared with the newest memories, as they stand after each change of the same turn."""

from __future__ import annotations

from rememora import Rememora
from rememora.domain.memory import Memory, MemoryDraft
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.knowledge import keep
from rememora.knowledge.affected import COMPARED, compared
from rememora.knowledge.base import KnowledgeWriter
from rememora.knowledge.control import delete

ANA = Scope("acme", "ana")


def _draft(number: int, value: str) -> MemoryDraft:
    return MemoryDraft(key=f"user.shelf_{number}", value=value, category="identity", scope="personal")


def _values(memories: list[Memory]) -> list[object]:
    return [memory.value for memory in memories]


async def test_a_change_shows_in_the_next_comparison() -> None:
    """A new value is there, a replaced and a deleted one are not, as if all were read anew."""
    async with Rememora.open(":memory:", background=False) as rememora:
        for number in range(4):
            await rememora.user("ana", tenant="acme").remember(f"user.shelf_{number}", f"old {number}")

        def change(writer: KnowledgeWriter) -> tuple[list[object], list[object], list[object]]:
            before = compared(writer)
            keep.put(writer, _draft(1, "new 1"), before[1])
            delete(writer, before[2], why="gone")
            keep.put(writer, _draft(9, "new 9"), None)
            after = compared(writer)
            writer.reached.clear()
            return _values(before), sorted(_values(after), key=str), sorted(_values(compared(writer)), key=str)

        before, after, anew = await rememora._parts.desk.write(ANA, Actor("ana"), change)

    assert before == ["old 0", "old 1", "old 2", "old 3"]
    assert after == ["new 1", "new 9", "old 0", "old 3"] == anew


async def test_of_many_memories_the_newest_are_compared() -> None:
    """Where one of them goes, the newest of the others takes its place."""
    async with Rememora.open(":memory:", background=False) as rememora:

        def change(writer: KnowledgeWriter) -> tuple[list[object], list[object]]:
            for number in range(COMPARED + 2):
                keep.put(writer, _draft(number, f"said {number}"), None)
            first = compared(writer)
            delete(writer, first[-1], why="gone")
            return _values(first), _values(compared(writer))

        first, second = await rememora._parts.desk.write(ANA, Actor("ana"), change)

    assert len(first) == len(second) == COMPARED
    assert len(set(first) - set(second)) == len(set(second) - set(first)) == 1
