"""The person in control: correct, forget, suppress, restore. Three wishes that are never mixed up.

`suppress` keeps a memory and never mentions it; `forget` deletes it so that it can be restored; `erase`, in a
module of its own, leaves nothing.
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
    MemoryFilter,
    Outcome,
    Reach,
    Wish,
    check_value,
    check_why,
    edition_of,
    is_key,
)
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import Save
from rememora.errors import ChangedMeanwhile, NotFound
from rememora.knowledge import keep
from rememora.knowledge.aside import Act, ask_value, ask_which
from rememora.knowledge.desk import Desk, Hand, state_of
from rememora.knowledge.entities import forget_entities
from rememora.knowledge.find import by_words, find, is_topic, reachable
from rememora.knowledge.righting import moved

EVERYTHING = "all"
OFFERED = 3
TARGET_BYTES = 2000
JUST_NOW = timedelta(minutes=10)
ALIKE = 0.75
Seen = Collection[str] | None
"""Editions of the one memory that is meant, as the caller saw it; where it stands otherwise nothing is done."""


async def correct(
    desk: Desk,
    scope: Scope,
    target: str,
    value: Any,
    *,
    actor: Actor,
    why: str = "corrected",
    seen: Seen = None,
) -> Outcome:
    """Put the right value in the place of the wrong one; unclear which, one question with the candidates."""
    check_value("value", value)
    _check(target, why)

    def work(hand: Hand) -> Outcome:
        _as_seen(hand, target, seen)
        return correct_these(hand, desk, _named(hand, desk, target), value, why=why)

    return await desk.write(scope, actor, work)


async def forget(
    desk: Desk, scope: Scope, target: str, *, actor: Actor, why: str = "", seen: Seen = None
) -> Outcome:
    """Delete softly what `target` means; it can be restored."""
    _check(target, why)

    def work(hand: Hand) -> Outcome:
        _as_seen(hand, target, seen)
        if target == EVERYTHING:
            return forget_everything(hand, why=why)
        return forget_these(hand, _named(hand, desk, target), target, why=why)

    return await desk.write(scope, actor, work)


async def suppress(
    desk: Desk, scope: Scope, target: str, *, actor: Actor, why: str = "", seen: Seen = None
) -> Outcome:
    """Keep what `target` means, and never mention it again."""
    _check(target, why)

    def work(hand: Hand) -> Outcome:
        _as_seen(hand, target, seen)
        found = _named(hand, desk, target)
        if len(found) > 1 and not is_topic(found, target):
            return Outcome(proposals=(ask_which(hand, "suppress", found),))
        return Outcome(memories=tuple(silence(hand, each, why=why) for each in found))

    return await desk.write(scope, actor, work)


async def let_mention(desk: Desk, scope: Scope, target: str, *, actor: Actor) -> Outcome:
    """Let what is kept in silence under words, a key or a topic be mentioned again."""
    _check(target, "")

    def work(hand: Hand) -> Outcome:
        found = find([each for each in _reachable(hand) if each.suppressed], target, desk.policy)
        return Outcome(memories=tuple(bring_back(hand, each.id, "asked") for each in found))

    return await desk.write(scope, actor, work)


async def restore(
    desk: Desk, scope: Scope, target: str, *, actor: Actor, why: str = "", seen: Seen = None
) -> Memory:
    """Let a forgotten, replaced or suppressed memory be known and mentioned again, by its id or its key."""
    _check(target, why)

    def work(hand: Hand) -> Memory:
        _as_seen(hand, target, seen)
        return bring_back(hand, target, why)

    return await desk.write(scope, actor, work)


def _check(target: object, why: object) -> None:
    """A target is an id, a key, a topic, a category or words; a reason may be left out."""
    check_text("target", target, max_bytes=TARGET_BYTES)
    check_why("why", why)


def _as_seen(hand: Hand, target: str, seen: Seen) -> None:
    """Refuse a change of a memory that stands otherwise than it was seen; in the change's own transaction."""
    if seen is None:
        return
    found = keep.named(hand.work, hand.scope, target)
    if found is None:
        raise NotFound("memory", target)
    if edition_of(found) not in seen:
        raise ChangedMeanwhile


def forget_everything(hand: Hand, *, why: str) -> Outcome:
    """Delete softly all that is the person's own, and what they mentioned."""
    forget_entities(hand.work, hand.scope)
    own = reachable(hand.work, hand.scope, shared=False)
    return Outcome(memories=tuple(delete(hand, each, why=why) for each in own))


def forget_these(hand: Hand, found: Sequence[Memory], target: str, *, why: str) -> Outcome:
    """Delete softly what was found; several are one question, unless they are one topic."""
    if len(found) > 1 and not is_topic(found, target):
        return Outcome(proposals=(ask_which(hand, "forget", found),))
    return Outcome(memories=tuple(delete(hand, each, why=why) for each in found))


def correct_these(
    hand: Hand, desk: Desk, found: Sequence[Memory], value: Any, *, why: str, spoken: bool = False
) -> Outcome:
    """Correct what was found; several are one question, and without a value the person is asked for it."""
    if len(found) > 1:
        return Outcome(proposals=(ask_which(hand, "correct", found, value=value),))
    return settle(hand, desk, "correct", found, value, why=why, spoken=spoken) if found else Outcome()


def meant(hand: Hand, desk: Desk, key: str | None, words: str, *, last: bool = True) -> list[Memory]:
    """What a person speaks of: by key, by words, or else, unless they named it, what was kept a moment ago."""
    memories = _reachable(hand)
    found = find(memories, key, desk.policy) if key else []
    found = found or by_words(memories, words)
    if found or key or not last:
        return found
    newest = sorted(memories, key=lambda each: (each.created_at, each.id), reverse=True)[:OFFERED]
    fresh = newest[:1] if newest and hand.now - newest[0].created_at <= JUST_NOW else []
    return fresh or newest


def amend(
    hand: Hand, desk: Desk, memory: Memory, value: Any, *, why: str = "corrected", spoken: bool = False
) -> Outcome:
    """Give a memory's key its right value, through the gate, on the person's word."""
    key, value = moved(memory, value, desk.policy) if spoken else (memory.key, value)
    wish = Wish(
        key=key,
        value=value,
        category=memory.category,
        scope=memory.scope,
        conversation=memory.conversation,
        source_ref=hand.hearing or "correction",
    )
    verdict = keep.weigh(desk, wish)
    if not isinstance(verdict, Save):
        return keep.act(hand, wish, verdict)
    if key == memory.key and memory.value == value and type(memory.value) is type(value):
        hand.cite(memory)
        hand.attempt(verdict, wish, memory)
        return Outcome(verdict=verdict, memories=(memory,))
    if key != memory.key:
        _clear_way(hand, key, shared=memory.scope == "tenant_shared", why=why)
    now, replaced = keep.put(hand, wish, memory, why=why)
    hand.attempt(verdict, wish, now)
    return Outcome(verdict=verdict, memories=(now,), replaced=() if replaced is None else (replaced,))


def _clear_way(hand: Hand, key: str, *, shared: bool, why: str) -> None:
    """Let what stands at a key step aside for a memory that moves there."""
    standing = hand.work.memories.active(hand.scope, key, shared=shared)
    if standing is not None:
        keep.deprecate(hand, standing, why=why)


def delete(hand: Hand, memory: Memory, *, why: str = "") -> Memory:
    """Delete one memory softly."""
    gone = hand.work.memories.mark(hand.scope, memory, "deleted", at=hand.now)
    hand.show(gone)
    hand.record("delete", memory, why=why, before=state_of(memory), after=state_of(gone))
    hand.tell(MemoryDeleted(memory=memory.id, key=memory.key))
    return gone


def silence(hand: Hand, memory: Memory, *, why: str = "") -> Memory:
    """Let one memory not be mentioned."""
    if memory.suppressed:
        return memory
    quiet = hand.work.memories.suppress(hand.scope, memory, True, at=hand.now)
    hand.show(quiet)
    hand.record("suppress", memory, why=why, before=state_of(memory), after=state_of(quiet))
    hand.tell(keep.updated(quiet, "suppress"))
    return quiet


def settle(
    hand: Hand,
    desk: Desk,
    act: Act,
    memories: Sequence[Memory],
    value: Any = None,
    *,
    why: str = "",
    spoken: bool = False,
) -> Outcome:
    """Do to the chosen memories what the question was about; a `spoken` value is read as people mean it."""
    if act == "correct":
        if value is None:
            return Outcome(proposals=(ask_value(hand, memories[0]),))
        return amend(hand, desk, memories[0], value, why=why, spoken=spoken)
    change = delete if act == "forget" else silence
    return Outcome(memories=tuple(change(hand, each, why=why) for each in memories))


def bring_back(hand: Hand, target: str, why: str) -> Memory:
    """Restore one memory, by its id or its key."""
    memory = hand.work.memories.get(hand.scope, target) or _latest_gone(hand, target)
    if memory is None:
        raise NotFound("memory", target)
    if memory.scope == "tenant_shared":
        hand.actor.need("write_shared")
    if memory.suppressed:
        memory = _unsuppress(hand, memory, why)
    return memory if memory.status == "active" else _revive(hand, memory, why)


def _unsuppress(hand: Hand, memory: Memory, why: str) -> Memory:
    heard = hand.work.memories.suppress(hand.scope, memory, False, at=hand.now)
    hand.show(heard)
    hand.record("unsuppress", memory, why=why, before=state_of(memory), after=state_of(heard))
    hand.tell(keep.updated(heard, "unsuppress"))
    return heard


def _revive(hand: Hand, memory: Memory, why: str) -> Memory:
    shared = memory.scope == "tenant_shared"
    current = hand.work.memories.active(hand.scope, memory.key, shared=shared)
    if current is not None:
        keep.deprecate(hand, current, why=why)
    back = hand.work.memories.mark(hand.scope, memory, "active", at=hand.now)
    hand.show(back)
    hand.record("restore", memory, why=why, before=state_of(memory), after=state_of(back))
    hand.tell(keep.updated(back, "restore", replaced=None if current is None else current.id))
    return back


def _latest_gone(hand: Hand, key: str) -> Memory | None:
    """By key: the suppressed one that stands there, else the one that was forgotten last, one's own first."""
    if not is_key(key):
        return None
    scopes: tuple[Reach, ...] = ("personal", "tenant_shared")
    found = (_latest_gone_of(hand, key, scope) for scope in scopes)
    return next((memory for memory in found if memory is not None), None)


def _latest_gone_of(hand: Hand, key: str, scope: Reach) -> Memory | None:
    active = hand.work.memories.active(hand.scope, key, shared=scope == "tenant_shared")
    if active is not None:
        return active
    wanted = MemoryFilter(status="deleted", scope=scope, prefix=key)
    gone = [each for each in hand.work.memories.page(hand.scope, wanted, limit=1000) if each.key == key]
    return max(gone, key=lambda each: (each.updated_at, each.id), default=None)


def _reachable(hand: Hand) -> list[Memory]:
    return reachable(hand.work, hand.scope, shared=hand.actor.rights.write_shared)


def _named(hand: Hand, desk: Desk, target: str) -> list[Memory]:
    """What `target` means; a key or an id that means nothing here is an error, words that do are not."""
    known = _reachable(hand)
    found = find(known, target, desk.policy)
    if found or " " in target.strip():
        return found
    if hand.work.memories.active(hand.scope, target, shared=True) is not None:
        hand.actor.need("write_shared")
    near = get_close_matches(target, {each.key for each in known}, n=1, cutoff=ALIKE)
    raise NotFound("memory", target, near=next(iter(near), None))
