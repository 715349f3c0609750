"""Memories that a message supersedes: the job that was left, the previous boss, the taste that changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from rememora.domain.memory import Memory, MemoryFilter
from rememora.domain.verdict import Fact
from rememora.gate import Policy
from rememora.gate.personal import opposite_of, sole_place
from rememora.knowledge.base import KnowledgeWriter
from rememora.knowledge.control import delete
from rememora.knowledge.find import REACH
from rememora.language import fold
from rememora.language.keys import is_statement, without_digest
from rememora.language.phrases import phrase
from rememora.language.word_patterns import WORD
from rememora.language.wordlists import is_idle

WHY = "no longer holds"
_TASTES = ("prefs.likes", "prefs.dislikes")
_HOLDS = phrase(r"(?P<place>[a-z ]{1,60}?) (?:{now} )?{holds} (?:{now} )?\w")
# Removed from a sentence about a taste, what remains is its object: opposite tastes share it.
_LIKING = phrase("{liking}")
_STEM = 6
_SHORT = 3


def end(
    writer: KnowledgeWriter, policy: Policy, facts: Iterable[Fact], kept: Iterable[Memory]
) -> tuple[Memory, ...]:
    """End what the facts of a message say is over, and what the new memories exclude; it can be restored."""
    said = (_said_over(writer, fact) for fact in facts if fact.value is None)
    ruled_out = (_ruled_out(writer, policy, memory) for memory in kept)
    gone = {memory.id: memory for memory in chain.from_iterable([*said, *ruled_out]) if writer.may_change(memory)}
    return tuple(delete(writer, memory, why=WHY) for memory in gone.values())


def _said_over(writer: KnowledgeWriter, fact: Fact) -> Iterator[Memory]:
    """Yield the memories under the key of a fact whose value the message names."""
    words = fold(fact.evidence.text) if fact.evidence else ""
    for shared in (False, True):
        memory = writer.work.memories.active(writer.scope, fact.key, shared=shared)
        if memory is not None and _names(words, memory.value):
            yield memory


def _names(words: str, value: object) -> bool:
    stems = [word[:_STEM] for word in fold(str(value)).split() if len(word) >= _SHORT]
    return any(word in words for word in stems)


def _ruled_out(writer: KnowledgeWriter, policy: Policy, memory: Memory) -> Iterator[Memory]:
    """Yield memories that exclude the new one: the previous holder of a single role, and the opposite taste."""
    opposite = opposite_of(memory.key, policy)
    taste = opposite and writer.work.memories.active(writer.scope, opposite, shared=False)
    if taste:
        yield taste
    place, liked = _place(memory, policy), _liked(memory)
    spaces = ("people", "user") if place else ("prefs",) if liked else ()
    for space in spaces:
        for other in writer.work.memories.page(writer.scope, MemoryFilter(prefix=space), limit=REACH):
            # Another user of the tenant has a boss of their own.
            theirs = other.user == writer.scope.user and other.key != memory.key
            if theirs and (_place(other, policy) == place if place else _liked(other) == liked):
                yield other


def _place(memory: Memory, policy: Policy) -> str | None:
    """Return the role next to the person that only one can have, as in "my boss is Susan now"."""
    if not is_statement(memory.key):
        return sole_place(memory.key, memory.value, policy)
    match = _HOLDS.match(fold(str(memory.value)))
    return sole_place("people.somebody.role", match["place"], policy) if match else None


def _liked(memory: Memory) -> frozenset[str]:
    """Return the object of a sentence about a taste, whether it is liked or not."""
    if not is_statement(memory.key) or without_digest(memory.key) not in _TASTES:
        return frozenset()
    words = WORD.findall(fold(str(memory.value)))
    return frozenset(word for word in words if not is_idle(word) and not _LIKING.fullmatch(word))
