"""Finds the memory that somebody means: by id, by key or topic, by category, or by words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rememora.domain.memory import Memory, MemoryFilter, is_key
from rememora.domain.question import shown
from rememora.domain.scope import Scope
from rememora.gate import Policy
from rememora.language import fold
from rememora.language.asked import asked_by
from rememora.language.labels import label_of
from rememora.language.packs import CODES, attributes_of, control_of
from rememora.language.parsed import ParsedText
from rememora.language.word_patterns import NAME_PART
from rememora.language.wordlists import ORDINALS, is_idle
from rememora.ports.store import UnitOfWork

REACH = 10_000
_KEY_WEIGHT, _VALUE_WEIGHT, _CATEGORY_WEIGHT = 3, 2, 1
_CHOOSING = tuple(control_of(code).choosing for code in CODES)
_ALL = frozenset[str]().union(*(choosing.all_ for choosing in _CHOOSING))
_EMPTY = frozenset[str]().union(*(choosing.empty for choosing in _CHOOSING))
# Words under one name mean the same attribute, so that "esquece meu celular" finds a `phone` key.
_GROUP = {word: name for code in CODES for name, words in attributes_of(code).alike.items() for word in words}


def reachable(work: UnitOfWork, scope: Scope, *, shared: bool) -> list[Memory]:
    """List the active memories that an actor may change: their own, and with the right also the tenant's."""
    filters = MemoryFilter(scope=None if shared else "personal")
    return work.memories.page(scope, filters, limit=REACH)


def find(memories: Sequence[Memory], target: str, policy: Policy) -> list[Memory]:
    """Return the memories that `target` means; several if it is ambiguous."""
    # From exact to vague: an exact name must never mean something else as well.
    by_id = [memory for memory in memories if memory.id == target]
    if by_id:
        return by_id
    by_key = [memory for memory in memories if memory.key == target]
    if by_key:
        return _own_first(by_key)
    topic = [memory for memory in memories if memory.key.startswith(f"{target}.")]
    if topic or is_key(target):
        return topic
    return _by_category(memories, target, policy) or by_words(memories, target) or _by_question(memories, target)


def is_topic(memories: Sequence[Memory], target: str) -> bool:
    """Return whether `target` names a subject of two segments or more that all of these are about."""
    return "." in target and all(memory.key.startswith(f"{target}.") for memory in memories)


def by_words(memories: Sequence[Memory], text: str) -> list[Memory]:
    """Return the memories that share most words with `text`, keys before values."""
    words = _words(text)
    scored = [(_score(memory, words), memory) for memory in memories]
    best = max((score for score, _ in scored), default=0)
    return [candidate for score, candidate in scored if score == best] if best else []


def says_all(memory: Memory, words: frozenset[str]) -> bool:
    """Return whether a memory contains all of these words in its key, its names or its value."""
    return words <= _words(_spoken(memory.key)) | _words(shown(memory.value)) | _words(asked_by(memory.key) or "")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that can name a memory, each under one form."""
    return frozenset(_words(text))


def choose(memories: Sequence[Memory], reply: ParsedText) -> list[Memory]:
    """Return the candidates that a reply picks: by number, by position, all of them, or by words."""
    spoken = NAME_PART.findall(reply.compared)
    if any(word in _ALL for word in spoken):
        return list(memories)
    numbers = [int(word) if word.isdecimal() else ORDINALS.get(word, 0) for word in spoken]
    if not counts_only(reply):
        # "Last" is of a week, too: "the one about last week's dentist".
        numbers = [number for number in numbers if number > 0]
    places = [number - 1 if number > 0 else len(memories) + number for number in numbers if number]
    picked = [memories[place] for place in places if 0 <= place < len(memories)]
    if picked:
        return picked
    named = find_among(memories, reply.raw)
    # Words that fit every candidate do not choose between them.
    return named if len(named) < len(memories) or len(memories) == 1 else []


def counts_only(reply: ParsedText) -> bool:
    """Check whether a reply picks by number or by position and says nothing else: "1 e 3", "a última"."""
    words = [word for word in NAME_PART.findall(reply.compared) if not is_idle(word)]
    return bool(words) and all(_counts(word) for word in words)


def _counts(word: str) -> bool:
    return word in _ALL or word in ORDINALS or (word.isdecimal() and len(word) == 1)


def may_choose(offered: str, reply: ParsedText) -> bool:
    """Return whether a reply can be a choice among what was offered: half of its words name one of it, or count.

    "Faz dois anos que não falo com ela" has a number in it, and chooses nothing.
    """
    words = [word for word in NAME_PART.findall(reply.compared) if not is_idle(word)]
    names = words_of(offered)
    choosing = [word for word in words if _counts(word) or words_of(word) & names]
    return 2 * len(choosing) >= len(words)


def find_among(memories: Sequence[Memory], reply: str) -> list[Memory]:
    """Return candidates by exact key, else by words, else by the words of the question."""
    exact = [memory for memory in memories if memory.key == reply.strip()]
    return exact or by_words(memories, reply) or _by_label(memories, reply)


def _by_label(memories: Sequence[Memory], reply: str) -> list[Memory]:
    words = _words(reply)
    return [
        memory for memory in memories if words & _words(" ".join(label_of(memory.key, code) for code in CODES))
    ]


def _by_question(memories: Sequence[Memory], target: str) -> list[Memory]:
    """Return the memories that people ask for by these words: "onde moro" asks for `user.location`."""
    words = _words(target)
    scored = [(len(words & _words(asked_by(memory.key) or "")), memory) for memory in memories]
    best = max((score for score, _ in scored), default=0)
    return [candidate for score, candidate in scored if score == best] if best else []


def _by_category(memories: Sequence[Memory], target: str, policy: Policy) -> list[Memory]:
    named = fold(target).strip()
    names = {
        category.name: {category.name, fold(category.pt), fold(category.en)} for category in policy.categories
    }
    return [memory for memory in memories if named in names.get(memory.category, ())]


def _own_first(memories: Iterable[Memory]) -> list[Memory]:
    return sorted(memories, key=lambda memory: memory.scope)[:1]


def _score(memory: Memory, query_words: set[str]) -> int:
    return (
        _KEY_WEIGHT * len(query_words & _words(_spoken(memory.key)))
        + _VALUE_WEIGHT * len(query_words & _words(shown(memory.value)))
        + _CATEGORY_WEIGHT * len(query_words & _words(memory.category))
    )


def _spoken(key: str) -> str:
    return re.sub(r"[._-]", " ", key)


def _words(text: str) -> set[str]:
    return {_GROUP.get(word, word) for word in NAME_PART.findall(fold(text)) if word not in _EMPTY}
