"""Keeps what is known: through the gate, one active memory per key, the old value linked behind the new."""

from __future__ import annotations

import asyncio
from datetime import datetime

import msgspec

from rememora.domain.audit import AuditEntry
from rememora.domain.check import check_name, check_text, check_time, check_whole
from rememora.domain.event import MemoryUpdated
from rememora.domain.ids import new_id
from rememora.domain.memory import Memory, MemoryFilter, Outcome, Wish
from rememora.domain.message import Page
from rememora.domain.rights import REASON_BYTES, Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Ask, Candidate, Quarantine, Refuse, Save, Span, Why
from rememora.domain.visibility import Judged
from rememora.errors import InvalidInput, NotFound
from rememora.gate import Policy, judge_candidate, load_policy
from rememora.knowledge import audit
from rememora.knowledge.aside import ask_to_save, hold
from rememora.knowledge.desk import LOOP_CHARACTERS, Desk, Hand, state_of
from rememora.knowledge.wanted import unwanted
from rememora.ports.store import Store, UnitOfWork
from rememora.tenancy.quotas import charge
from rememora.visibility.follow import locate
from rememora.visibility.judge import mask

PAGE_LIMIT = 1000
CURSOR_BYTES = 2048
UNWANTED = "refuse.unwanted"

_LESS_TRUSTED = Why(
    pt="A origem é menos confiável do que a do valor guardado.",
    en="It comes from a less trusted origin than the value that is kept.",
)


async def remember(desk: Desk, scope: Scope, wish: Wish, *, actor: Actor) -> Outcome:
    """Keep something if the gate lets it; the outcome says what the gate said and what was done."""
    placed = place(desk.policy, wish, actor)
    long = isinstance(placed.plain_value, str) and len(placed.plain_value) > LOOP_CHARACTERS
    verdict = await asyncio.to_thread(weigh, desk, placed) if long else weigh(desk, placed)
    return await desk.write(scope, actor, lambda hand: act(hand, placed, verdict))


def weigh(desk: Desk, wish: Wish) -> AnyVerdict:
    """The gate's word on a wish; nothing is written."""
    allowed = desk.settings.knowledge.allow_sensitive
    return judge_candidate(candidate_of(wish), insists=wish.insists, allow_sensitive=allowed, policy=desk.policy)


def candidate_of(wish: Wish) -> Candidate:
    """A wish as the gate reads it."""
    evidence = None
    if wish.evidence is not None:
        evidence = Span(start=0, end=len(wish.evidence), text=wish.evidence)
    return Candidate(
        key=wish.key,
        value=wish.plain_value,
        category=wish.category,
        confidence=wish.confidence,
        origin=wish.origin,
        explicit=wish.source in ("explicit_user", "admin_system"),
        seeded=wish.source == "profile_seed",
        evidence=evidence,
    )


def place(policy: Policy, wish: Wish, actor: Actor) -> Wish:
    """The wish with its category and scope; what would be shared stays personal without the right to share."""
    names = {category.name: category for category in policy.categories}
    if wish.category is not None and wish.category not in names:
        raise InvalidInput("category", f"must be one of {', '.join(names)}")
    category = wish.category or policy.category_of(wish.key)
    scope = wish.scope
    if scope == "tenant_shared":
        actor.need("write_shared")
    elif scope is None:
        shared = category is not None and names[category].scope == "tenant_shared"
        scope = "tenant_shared" if shared and actor.rights.write_shared else "personal"
    return msgspec.structs.replace(wish, category=category, scope=scope)


def act(hand: Hand, wish: Wish, verdict: AnyVerdict) -> Outcome:
    """Do what the verdict says about one wish, and note that it was tried."""
    if isinstance(verdict, Save | Ask):
        # The person's own word on what is kept comes before what the gate would let in.
        verdict = unwanted(hand.work, hand.scope, wish, load_policy()) or verdict
    if isinstance(verdict, Save):
        return _save(hand, wish, verdict)
    hand.attempt(verdict, wish)
    if isinstance(verdict, Ask):
        return Outcome(verdict=verdict, proposals=(ask_to_save(hand, wish, reason=verdict.reason),))
    hide_refused(hand, verdict, wish.source_ref)
    if isinstance(verdict, Quarantine):
        held = hold(hand, str(wish.plain_value), verdict, wish=wish)
        return Outcome(verdict=verdict, quarantined=(held,))
    return Outcome(verdict=verdict)


def _save(hand: Hand, wish: Wish, verdict: Save) -> Outcome:
    current = hand.work.memories.active(hand.scope, wish.key, shared=wish.scope == "tenant_shared")
    if current is not None and adds_nothing(wish, current):
        hand.cite(current, ref=wish.source_ref)
        hand.show(current)
        hand.attempt(verdict, wish, current)
        return Outcome(verdict=verdict, memories=(current,))
    if current is not None and current.origin.trust > wish.origin.trust:
        doubt = Ask(reason="ask.less_trusted", why=_LESS_TRUSTED, confidence=wish.confidence, origin=wish.origin)
        return act(hand, wish, doubt)
    memory, replaced = put(hand, wish, current)
    hand.attempt(verdict, wish, memory)
    return Outcome(verdict=verdict, memories=(memory,), replaced=() if replaced is None else (replaced,))


def adds_nothing(wish: Wish, current: Memory) -> bool:
    """Whether the memory already says all that the wish does, with no less weight."""
    return (
        current.value == wish.value
        and type(current.value) is type(wish.value)
        and current.category == wish.category
        and current.conversation == wish.conversation
        and current.confidence >= wish.confidence
        and current.origin.trust >= wish.origin.trust
    )


def put(hand: Hand, wish: Wish, current: Memory | None, *, why: str = "") -> tuple[Memory, Memory | None]:
    """Store the wish as the active memory of its key; the one that stood there is deprecated and linked."""
    replaced = None if current is None else deprecate(hand, current, why=why)
    memory = memory_of(hand, wish, supersedes=None if current is None else current.id)
    charge(hand.work, hand.scope, "memories", 1, now=hand.now)
    if current is not None and current.suppressed:
        # What a person does not want mentioned is not mentioned under a newer value either.
        memory = msgspec.structs.replace(memory, suppressed=True)
    hand.work.memories.add(hand.scope, memory)
    hand.cite(memory)
    hand.show(memory)
    change = "create" if current is None else "update"
    before = None if current is None else state_of(current)
    hand.record("update" if current else "create", memory, why=why, before=before, after=state_of(memory))
    hand.tell(updated(memory, change, replaced=memory.supersedes))
    return memory, replaced


def hide_refused(hand: Hand, verdict: AnyVerdict, ref: str | None) -> None:
    """Hide the message that a verdict refuses for what it holds, holds for what it orders, or must not keep."""
    if ref is None and hand.hearing is None:
        return
    if isinstance(verdict, Quarantine):
        hand.conclude(ref, Judged("order"))
    elif isinstance(verdict, Refuse) and verdict.sensitive:
        hand.conclude(ref, Judged("secret", _masked(hand, ref or str(hand.hearing))))
    elif isinstance(verdict, Refuse) and verdict.reason == UNWANTED:
        hand.conclude(ref, Judged("suppressed"))


def _masked(hand: Hand, ref: str) -> str | None:
    place = locate(hand.work, hand.scope, hand.scope.person(), ref)
    if place is None:
        return None
    content = hand.work.messages.with_ids(place[0], [ref])[ref].content
    masked = mask(content)
    # What was refused and cannot be told apart by the rules is not shown at all.
    return None if masked == content else masked


def updated(memory: Memory, change: str, *, replaced: str | None = None) -> MemoryUpdated:
    """The event that a memory stands differently."""
    return MemoryUpdated(
        memory=memory.id,
        key=memory.key,
        category=memory.category,
        scope=memory.scope,
        change=change,
        replaced=replaced,
    )


def deprecate(hand: Hand, memory: Memory, *, why: str) -> Memory:
    """Let another memory take this one's place."""
    gone = hand.work.memories.mark(hand.scope, memory, "deprecated", at=hand.now)
    hand.show(gone)
    hand.record("deprecate", memory, why=why, before=state_of(memory), after=state_of(gone))
    return gone


def memory_of(hand: Hand, wish: Wish, *, supersedes: str | None = None) -> Memory:
    """A wish as the memory that it becomes now."""
    assert wish.category is not None
    assert wish.scope is not None
    return Memory(
        tenant=hand.scope.tenant,
        user=hand.scope.user,
        id=new_id(),
        scope=wish.scope,
        category=wish.category,
        key=wish.key,
        value=wish.value,
        confidence=float(wish.confidence),
        status="active",
        source=wish.source,
        source_ref=wish.source_ref,
        conversation=wish.conversation,
        origin=wish.origin,
        supersedes=supersedes,
        evidence=wish.evidence,
        created_at=hand.now,
        updated_at=hand.now,
    )


async def memories(
    store: Store, scope: Scope, wanted: MemoryFilter, *, limit: int, after: str | None
) -> Page[Memory]:
    """What the user may read, by key, page by page."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    place = cursor_of(after)
    found = await store.read(scope, lambda work: work.memories.page(scope, wanted, limit=limit + 1, after=place))
    last = found[limit - 1] if len(found) > limit else None
    return Page(tuple(found[:limit]), None if last is None else f"{last.key}~{last.id}")


async def memory(store: Store, scope: Scope, name: str) -> Memory:
    """One memory by its id, or the active one by its key; a person's own comes before the tenant's."""
    check_name("name", name)
    found = await store.read(scope, lambda work: named(work, scope, name))
    if found is None:
        raise NotFound("memory", name)
    return found


def named(work: UnitOfWork, scope: Scope, name: str) -> Memory | None:
    """The memory of an id or of a key."""
    return (
        work.memories.get(scope, name)
        or work.memories.active(scope, name, shared=False)
        or work.memories.active(scope, name, shared=True)
    )


async def as_of(store: Store, scope: Scope, moment: datetime) -> list[Memory]:
    """What was known at a moment."""
    at = check_time("moment", moment)
    return await store.read(scope, lambda work: work.memories.as_of(scope, at))


async def known(store: Store, scope: Scope) -> list[Memory]:
    """What may be mentioned now: active, not suppressed, and of this project where it is bound to one."""
    wanted = MemoryFilter(suppressed=False)
    found = await store.read(scope, lambda work: work.memories.page(scope, wanted, limit=10_000))
    return [each for each in found if each.conversation in (None, scope.conversation)]


async def read_personal(
    desk: Desk, scope: Scope, wanted: MemoryFilter, *, actor: Actor, reason: str, limit: int
) -> list[Memory]:
    """A person's memory read by somebody else: only with the right to, for a reason that goes on record."""
    actor.need("read_personal")
    check_text("reason", reason, max_bytes=REASON_BYTES)
    check_whole("limit", limit, 1, PAGE_LIMIT)

    def work(hand: Hand) -> list[Memory]:
        hand.record("read", why=reason)
        return hand.work.memories.page(scope, wanted, limit=limit)

    return await desk.write(scope, actor, work)


async def look(desk: Desk, scope: Scope, *, actor: Actor) -> None:
    """Put on record that somebody looks through a person's memory; its owner needs no record and no reason.

    Nor does the owner's own application, nor a handle whose request was put on record at the door.
    """
    if actor.id == scope.user or actor.rights.act_for_users:
        return
    actor.need("read_personal")
    check_text("reason", actor.reason, max_bytes=REASON_BYTES)
    await desk.write(scope, actor, lambda hand: hand.record("read"))


async def look_at_people(desk: Desk, scope: Scope, *, actor: Actor, reason: str) -> None:
    """Put on record that somebody looks at content of several people of a tenant."""
    actor.need("read_personal")
    check_text("reason", reason, max_bytes=REASON_BYTES)
    await desk.write(scope, actor, lambda hand: hand.record("read", why=reason))


async def read_chain(
    desk: Desk, scope: Scope, *, actor: Actor, reason: str, after: int, limit: int
) -> list[AuditEntry]:
    """A tenant's chain with what it says of everybody: only with the right to, for a reason on record."""
    await look_at_people(desk, scope, actor=actor, reason=reason)
    return await audit.whole_page(desk.store, scope, after=after, limit=limit)


def cursor_of(after: str | None) -> tuple[str, str] | None:
    """The place in a list by key that a cursor stands for."""
    if after is None:
        return None
    key, tilde, id = check_text("after", after, max_bytes=CURSOR_BYTES).partition("~")
    if not (key and tilde and id):
        raise InvalidInput("after", "is not a cursor of this list")
    return key, id
