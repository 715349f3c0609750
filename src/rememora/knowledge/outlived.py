"""What a message puts an end to: the job that was left, the boss before this one, the taste that turned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from rememora.domain.memory import Memory, MemoryFilter
from rememora.domain.verdict import Fact
from rememora.gate import Policy
from rememora.gate.own import opposite_of, sole_place
from rememora.knowledge.control import delete
from rememora.knowledge.desk import Hand
from rememora.knowledge.find import REACH
from rememora.language import fold

WHY = "no longer holds"
_STEM = 6
_SHORT = 3


def end(hand: Hand, policy: Policy, facts: Iterable[Fact], kept: Iterable[Memory]) -> tuple[Memory, ...]:
    """Let go of what the facts of a message say is over, and of what those just kept rule out; restorable."""
    said = (_said_over(hand, fact) for fact in facts if fact.value is None)
    ruled_out = (_ruled_out(hand, policy, memory) for memory in kept)
    gone = {memory.id: memory for memory in chain.from_iterable([*said, *ruled_out]) if hand.may_change(memory)}
    return tuple(delete(hand, memory, why=WHY) for memory in gone.values())


def _said_over(hand: Hand, fact: Fact) -> Iterator[Memory]:
    """What stands under the key of a fact, if its value is the one that the message names."""
    words = fold(fact.evidence.text) if fact.evidence else ""
    for shared in (False, True):
        memory = hand.work.memories.active(hand.scope, fact.key, shared=shared)
        if memory is not None and _names(words, memory.value):
            yield memory


def _names(words: str, value: object) -> bool:
    told = [word[:_STEM] for word in fold(str(value)).split() if len(word) >= _SHORT]
    return any(word in words for word in told)


def _ruled_out(hand: Hand, policy: Policy, memory: Memory) -> Iterator[Memory]:
    """Whoever stood where only one can, and the opposite of a taste."""
    opposite = opposite_of(memory.key, policy)
    taste = opposite and hand.work.memories.active(hand.scope, opposite, shared=False)
    if taste:
        yield taste
    place = sole_place(memory.key, memory.value, policy)
    if place is None:
        return
    for other in hand.work.memories.page(hand.scope, MemoryFilter(prefix="people"), limit=REACH):
        # Another user of the tenant has a boss of their own.
        theirs = other.user == hand.scope.user and other.key != memory.key
        if theirs and sole_place(other.key, other.value, policy) == place:
            yield other
