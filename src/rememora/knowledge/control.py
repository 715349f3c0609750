"""Control of memories: correct, forget, suppress and restore, which are never confused.

`suppress` keeps a memory and never mentions it; `forget` deletes it so that it can be restored; `erase`, in a
module of its own, removes it permanently.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from difflib import get_close_matches
from typing import Any

from rememora.domain.check import check_text
from rememora.domain.event import MemoryDeleted
from rememora.domain.memory import (
    Memory,
    MemoryDraft,
    MemoryFilter,
    Outcome,
    Reach,
    check_value,
    check_why,
    edition_of,
    is_key,
)
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.value_span import ValueSpan
from rememora.domain.verdict import Save
from rememora.errors import ChangedMeanwhile, NotFound
from rememora.knowledge import keep
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter, state_of
from rememora.knowledge.corrected_value import moved
from rememora.knowledge.entities import forget_entities
from rememora.knowledge.find import by_words, find, is_topic, reachable
from rememora.knowledge.pending import Act, ask_value, ask_which
from rememora.language.keys import is_statement, subject_of
from rememora.statements.attribute_values import span_read_in

EVERYTHING = "all"
OFFERED = 3
TARGET_BYTES = 2000
JUST_NOW = timedelta(minutes=10)
ALIKE = 0.75
Seen = Collection[str] | None
"""Editions that the memory may have, as the caller saw it; otherwise nothing is done."""


async def correct(
    knowledge: KnowledgeBase,
    scope: Scope,
    target: str,
    value: Any,
    *,
    actor: Actor,
    why: str = "corrected",
    seen: Seen = None,
) -> Outcome:
    """Replace a wrong value with the correct one; if it is unclear which is meant, ask one question."""
    check_value("value", value)
    _check(target, why)

    def work(writer: KnowledgeWriter) -> Outcome:
        _as_seen(writer, target, seen)
        return correct_these(writer, knowledge, _named(writer, knowledge, target), value, why=why)

    return await knowledge.write(scope, actor, work)


async def forget(
    knowledge: KnowledgeBase, scope: Scope, target: str, *, actor: Actor, why: str = "", seen: Seen = None
) -> Outcome:
    """Forget what `target` refers to; it can be restored."""
    _check(target, why)

    def work(writer: KnowledgeWriter) -> Outcome:
        _as_seen(writer, target, seen)
        if target == EVERYTHING:
            return forget_everything(writer, why=why)
        return forget_these(writer, _named(writer, knowledge, target), target, why=why)

    return await knowledge.write(scope, actor, work)


async def suppress(
    knowledge: KnowledgeBase, scope: Scope, target: str, *, actor: Actor, why: str = "", seen: Seen = None
) -> Outcome:
    """Keep what `target` refers to, but never mention it again."""
    _check(target, why)

    def work(writer: KnowledgeWriter) -> Outcome:
        _as_seen(writer, target, seen)
        matching = _named(writer, knowledge, target)
        if len(matching) > 1 and not is_topic(matching, target):
            return Outcome(proposals=(ask_which(writer, "suppress", matching),))
        return Outcome(memories=tuple(silence(writer, memory, why=why) for memory in matching))

    return await knowledge.write(scope, actor, work)


async def let_mention(knowledge: KnowledgeBase, scope: Scope, target: str, *, actor: Actor) -> Outcome:
    """Allow suppressed memories, given by words, a key or a topic, to be mentioned again."""
    _check(target, "")

    def work(writer: KnowledgeWriter) -> Outcome:
        matching = find([memory for memory in _reachable(writer) if memory.suppressed], target, knowledge.policy)
        return Outcome(memories=tuple(bring_back(writer, memory.id, "asked") for memory in matching))

    return await knowledge.write(scope, actor, work)


async def restore(
    knowledge: KnowledgeBase, scope: Scope, target: str, *, actor: Actor, why: str = "", seen: Seen = None
) -> Memory:
    """Restore a forgotten, replaced or suppressed memory, by its id or its key."""
    _check(target, why)

    def work(writer: KnowledgeWriter) -> Memory:
        _as_seen(writer, target, seen)
        return bring_back(writer, target, why)

    return await knowledge.write(scope, actor, work)


def _check(target: object, why: object) -> None:
    """Check a target (an id, a key, a topic, a category or words) and an optional reason."""
    check_text("target", target, max_bytes=TARGET_BYTES)
    check_why("why", why)


def _as_seen(writer: KnowledgeWriter, target: str, seen: Seen) -> None:
    """Refuse to change a memory that has changed since it was seen; checked in the same transaction."""
    if seen is None:
        return
    current = keep.named(writer.work, writer.scope, target)
    if current is None:
        raise NotFound("memory", target)
    if edition_of(current) not in seen:
        raise ChangedMeanwhile


def forget_everything(writer: KnowledgeWriter, *, why: str) -> Outcome:
    """Forget all of the person's own memories, and their mentions."""
    forget_entities(writer.work, writer.scope)
    writer.work.unread.read_no_further(writer.scope)
    memories = reachable(writer.work, writer.scope, shared=False)
    return Outcome(memories=tuple(delete(writer, memory, why=why) for memory in memories))


def forget_these(writer: KnowledgeWriter, memories: Sequence[Memory], target: str, *, why: str) -> Outcome:
    """Forget what was found; several memories are one question, unless they are one topic."""
    if len(memories) > 1 and not is_topic(memories, target):
        return Outcome(proposals=(ask_which(writer, "forget", memories),))
    return Outcome(memories=tuple(forget_one(writer, memory, why=why) for memory in memories))


def forget_one(writer: KnowledgeWriter, memory: Memory, *, why: str = "") -> Memory:
    """Forget one memory at the person's request, and hide the request with it.

    "Esquece que a Nair derrubou o bolo" repeats what is to be forgotten. As another source of the memory it is
    hidden now, and becomes visible again if the memory is restored.
    """
    if writer.hearing is not None:
        writer.cite(memory)
    return delete(writer, memory, why=why)


def correct_these(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    memories: Sequence[Memory],
    value: Any,
    *,
    why: str,
    said: str | None = None,
) -> Outcome:
    """Correct what was found; several memories are one question, and a missing value is asked for."""
    if len(memories) > 1:
        return Outcome(proposals=(ask_which(writer, "correct", memories, value=value),))
    return settle(writer, knowledge, "correct", memories, value, why=why, said=said) if memories else Outcome()


def meant(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, key: str | None, words: str, *, last: bool = True
) -> list[Memory]:
    """Find the memories a person refers to: by key, by words or, if nothing is named, the ones just saved."""
    memories = _reachable(writer)
    matching = find(memories, key, knowledge.policy) if key else []
    matching = matching or by_words(memories, words)
    if matching or key or not last:
        return matching
    # Nothing is named: what was saved a moment ago is meant; after a while that is too bold, and the person
    # chooses.
    newest = sorted(memories, key=lambda memory: (memory.created_at, memory.id), reverse=True)[:OFFERED]
    fresh = newest[:1] if newest and writer.now - newest[0].created_at <= JUST_NOW else []
    return fresh or newest


def amend(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    memory: Memory,
    value: Any,
    *,
    why: str = "corrected",
    said: str | None = None,
) -> Outcome:
    """Set the correct value of a memory's key, through the gate, on the person's word.

    A value that was `said` takes its place in a statement; one that was set for a key is the whole value.
    """
    key, value = (memory.key, value) if said is None else moved(memory, value, knowledge.policy, said)
    draft = MemoryDraft(
        key=key,
        value=value,
        category=memory.category,
        scope=memory.scope,
        conversation=memory.conversation,
        source_ref=writer.hearing or "correction",
        # Of another name the key tells it: "não é a Bia, é a Carla".
        subject=memory.subject if subject_of(key) == subject_of(memory.key) else None,
        attribute=memory.attribute,
        attribute_span=_span_in(key, value, memory),
    )
    verdict = keep.weigh(knowledge, draft)
    if not isinstance(verdict, Save):
        return keep.act(writer, draft, verdict)
    # Types are compared because 1 equals True and 1.0 in Python.
    if key == memory.key and memory.value == value and type(memory.value) is type(value):
        writer.cite(memory)
        writer.attempt(verdict, draft, memory)
        return Outcome(verdict=verdict, memories=(memory,))
    if key != memory.key:
        # Another name for a role belongs under that person's key, which may be taken.
        _clear_way(writer, key, shared=memory.scope == "tenant_shared", why=why)
    now, replaced = keep.put(writer, draft, memory, why=why)
    writer.attempt(verdict, draft, now)
    return Outcome(verdict=verdict, memories=(now,), replaced=() if replaced is None else (replaced,))


def _span_in(key: str, value: Any, memory: Memory) -> ValueSpan | None:
    """Return where a corrected statement says the value of its attribute, as it is read now."""
    return span_read_in(value, memory.attribute) if is_statement(key) and isinstance(value, str) else None


def _clear_way(writer: KnowledgeWriter, key: str, *, shared: bool, why: str) -> None:
    """Deprecate the memory at a key for one that moves there."""
    current = writer.work.memories.active(writer.scope, key, shared=shared)
    if current is not None:
        keep.deprecate(writer, current, why=why)


def delete(writer: KnowledgeWriter, memory: Memory, *, why: str = "") -> Memory:
    """Forget one memory."""
    gone = writer.work.memories.mark(writer.scope, memory, "deleted", at=writer.now)
    writer.show(gone)
    writer.record("delete", memory, why=why, before=state_of(memory), after=state_of(gone))
    writer.tell(
        MemoryDeleted(memory=memory.id, key=memory.key, subject=memory.subject, attribute=memory.attribute)
    )
    return gone


def silence(writer: KnowledgeWriter, memory: Memory, *, why: str = "") -> Memory:
    """Suppress one memory."""
    if memory.suppressed:
        return memory
    quiet = writer.work.memories.suppress(writer.scope, memory, True, at=writer.now)
    writer.show(quiet)
    writer.record("suppress", memory, why=why, before=state_of(memory), after=state_of(quiet))
    writer.tell(keep.updated(quiet, "suppress"))
    return quiet


def settle(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    act: Act,
    memories: Sequence[Memory],
    value: Any = None,
    *,
    why: str = "",
    said: str | None = None,
) -> Outcome:
    """Do what a question was about to the chosen memories; `said` are the words that gave the value."""
    if act == "correct":
        if value is None:
            return Outcome(proposals=(ask_value(writer, memories[0]),))
        return amend(writer, knowledge, memories[0], value, why=why, said=said)
    change = forget_one if act == "forget" else silence
    return Outcome(memories=tuple(change(writer, memory, why=why) for memory in memories))


def bring_back(writer: KnowledgeWriter, target: str, why: str) -> Memory:
    """Restore one memory, by its id or its key."""
    memory = writer.work.memories.get(writer.scope, target) or _latest_gone(writer, target)
    if memory is None:
        raise NotFound("memory", target)
    if memory.scope == "tenant_shared":
        writer.actor.need("write_shared")
    if memory.suppressed:
        memory = _unsuppress(writer, memory, why)
    return memory if memory.status == "active" else _revive(writer, memory, why)


def _unsuppress(writer: KnowledgeWriter, memory: Memory, why: str) -> Memory:
    heard = writer.work.memories.suppress(writer.scope, memory, False, at=writer.now)
    writer.show(heard)
    writer.record("unsuppress", memory, why=why, before=state_of(memory), after=state_of(heard))
    writer.tell(keep.updated(heard, "unsuppress"))
    return heard


def _revive(writer: KnowledgeWriter, memory: Memory, why: str) -> Memory:
    shared = memory.scope == "tenant_shared"
    current = writer.work.memories.active(writer.scope, memory.key, shared=shared)
    if current is not None:
        keep.deprecate(writer, current, why=why)
    for later in _successors(writer, memory):
        # What took the place of a statement, or was put behind it, goes where it comes back as it was before.
        if later.status == "active" and (current is None or later.id != current.id):
            keep.deprecate(writer, later, why=why)
    back = writer.work.memories.mark(writer.scope, memory, "active", at=writer.now)
    writer.show(back)
    writer.record("restore", memory, why=why, before=state_of(memory), after=state_of(back))
    writer.tell(keep.updated(back, "restore", replaced=None if current is None else current.id))
    return back


def _successors(writer: KnowledgeWriter, memory: Memory) -> list[Memory]:
    """Return the memories that took the place of a memory, one after the other."""
    line = [memory]
    for earlier in line:
        known = {one.id for one in line}
        after = writer.work.memories.successors(writer.scope, earlier)
        line += [later for later in after if later.supersedes == earlier.id and later.id not in known]
    return line[1:]


def _latest_gone(writer: KnowledgeWriter, key: str) -> Memory | None:
    """Find a memory by key: the suppressed one, else the one forgotten last, the person's own first."""
    if not is_key(key):
        return None
    scopes: tuple[Reach, ...] = ("personal", "tenant_shared")
    gone = (_latest_gone_of(writer, key, scope) for scope in scopes)
    return next((memory for memory in gone if memory is not None), None)


def _latest_gone_of(writer: KnowledgeWriter, key: str, scope: Reach) -> Memory | None:
    active = writer.work.memories.active(writer.scope, key, shared=scope == "tenant_shared")
    if active is not None:
        return active
    filters = MemoryFilter(status="deleted", scope=scope, prefix=key)
    gone = [memory for memory in writer.work.memories.page(writer.scope, filters, limit=1000) if memory.key == key]
    return max(gone, key=lambda memory: (memory.updated_at, memory.id), default=None)


def _reachable(writer: KnowledgeWriter) -> list[Memory]:
    return reachable(writer.work, writer.scope, shared=writer.actor.rights.write_shared)


def _named(writer: KnowledgeWriter, knowledge: KnowledgeBase, target: str) -> list[Memory]:
    """Find the memories that `target` names; an unknown key or id is an error, unknown words are not."""
    known = _reachable(writer)
    matching = find(known, target, knowledge.policy)
    if matching or " " in target.strip():
        return matching
    if writer.work.memories.active(writer.scope, target, shared=True) is not None:
        writer.actor.need("write_shared")
    near = get_close_matches(target, {memory.key for memory in known}, n=1, cutoff=ALIKE)
    raise NotFound("memory", target, near=next(iter(near), None))
