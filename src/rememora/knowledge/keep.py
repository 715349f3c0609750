"""Saves memories: through the gate, one active memory per key, with the old value linked to the new."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final

import msgspec

from rememora.domain.audit import AuditEntry
from rememora.domain.check import check_name, check_text, check_time, check_whole
from rememora.domain.event import MemoryUpdated
from rememora.domain.ids import new_id
from rememora.domain.masked import MaskedMemory, masked
from rememora.domain.memory import Memory, MemoryDraft, MemoryFilter, Outcome
from rememora.domain.message import Page
from rememora.domain.rights import REASON_BYTES, Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Ask, Candidate, Quarantine, Refuse, Save, TextSpan
from rememora.domain.visibility import VisibilityVerdict
from rememora.errors import InvalidInput, NotFound
from rememora.gate import Policy, judge_candidate, load_policy
from rememora.gate.policy import reason_of
from rememora.knowledge import audit
from rememora.knowledge.base import LOOP_CHARACTERS, KnowledgeBase, KnowledgeWriter, state_of
from rememora.knowledge.opt_outs import unwanted
from rememora.knowledge.pending import ask_to_save, hold
from rememora.language.subjects import kind_of_key
from rememora.ports.store import Store, UnitOfWork
from rememora.tenancy.quotas import charge
from rememora.visibility.follow import locate
from rememora.visibility.judge import mask

PAGE_LIMIT = 1000
EVIDENCE_CHARACTERS = 500
"""Maximum characters of a message that are kept as evidence."""
CURSOR_BYTES = 2048
PROJECTS = "projects"
"""The category whose memories are bound to a conversation."""
UNWANTED = "refuse.unwanted"

_LESS_TRUSTED: Final = "ask.less_trusted"


async def remember(knowledge: KnowledgeBase, scope: Scope, draft: MemoryDraft, *, actor: Actor) -> Outcome:
    """Save a draft if the gate allows it; the outcome has the verdict and the changes."""
    placed = place(knowledge.policy, draft, actor)
    long = isinstance(placed.plain_value, str) and len(placed.plain_value) > LOOP_CHARACTERS
    verdict = await asyncio.to_thread(weigh, knowledge, placed) if long else weigh(knowledge, placed)
    return await knowledge.write(scope, actor, lambda writer: act(writer, placed, verdict))


def weigh(knowledge: KnowledgeBase, draft: MemoryDraft) -> AnyVerdict:
    """Return the gate's verdict on a draft; nothing is written."""
    allowed = knowledge.settings.knowledge.allow_sensitive
    return judge_candidate(
        candidate_of(draft), insists=draft.insists, allow_sensitive=allowed, policy=knowledge.policy
    )


def candidate_of(draft: MemoryDraft) -> Candidate:
    """Convert a draft for the gate."""
    evidence = None
    if draft.evidence is not None:
        evidence = TextSpan(start=0, end=len(draft.evidence), text=draft.evidence)
    return Candidate(
        key=draft.key,
        value=draft.plain_value,
        category=draft.category,
        confidence=draft.confidence,
        origin=draft.origin,
        explicit=draft.source in ("explicit_user", "admin_system"),
        seeded=draft.source == "profile_seed",
        evidence=evidence,
    )


def place(policy: Policy, draft: MemoryDraft, actor: Actor) -> MemoryDraft:
    """Complete a draft with category and scope; without the right to share, it stays personal."""
    names = {category.name: category for category in policy.categories}
    if draft.category is not None and draft.category not in names:
        raise InvalidInput("category", f"must be one of {', '.join(names)}")
    category = draft.category or policy.category_of(draft.key)
    scope = draft.scope
    # Asked for by name, sharing needs the right; a category that is shared by default falls back to personal.
    if scope == "tenant_shared":
        actor.need("write_shared")
    elif scope is None:
        shared = category is not None and names[category].scope == "tenant_shared"
        scope = "tenant_shared" if shared and actor.rights.write_shared else "personal"
    return msgspec.structs.replace(draft, category=category, scope=scope)


def act(writer: KnowledgeWriter, draft: MemoryDraft, verdict: AnyVerdict) -> Outcome:
    """Do what the verdict says about one draft, and record the attempt."""
    if isinstance(verdict, Save | Ask):
        # The person's own word on what is kept comes before what the gate would let in.
        verdict = unwanted(writer.work, writer.scope, draft, load_policy()) or verdict
    if isinstance(verdict, Save):
        return _save(writer, draft, verdict)
    writer.attempt(verdict, draft)
    if isinstance(verdict, Ask):
        return Outcome(verdict=verdict, proposals=(ask_to_save(writer, draft, reason=verdict.reason),))
    hide_refused(writer, verdict, draft.source_ref)
    if isinstance(verdict, Quarantine):
        held = hold(writer, str(draft.plain_value), verdict, draft=draft)
        return Outcome(verdict=verdict, quarantined=(held,))
    return Outcome(verdict=verdict)


def _save(writer: KnowledgeWriter, draft: MemoryDraft, verdict: Save) -> Outcome:
    current = writer.work.memories.active(writer.scope, draft.key, shared=draft.scope == "tenant_shared")
    # The same again is a confirmation: the new source is cited, and nothing is rewritten.
    if current is not None and adds_nothing(draft, current):
        writer.cite(current, ref=draft.source_ref)
        writer.show(current)
        writer.attempt(verdict, draft, current)
        return Outcome(verdict=verdict, memories=(current,))
    # A document or a tool does not overrule what the person said: the person is asked.
    if current is not None and current.origin.trust > draft.origin.trust:
        doubt = Ask(
            reason=_LESS_TRUSTED, why=reason_of(_LESS_TRUSTED), confidence=draft.confidence, origin=draft.origin
        )
        return act(writer, draft, doubt)
    memory, replaced = put(writer, draft, current)
    writer.attempt(verdict, draft, memory)
    return Outcome(verdict=verdict, memories=(memory,), replaced=() if replaced is None else (replaced,))


def adds_nothing(draft: MemoryDraft, current: Memory) -> bool:
    """Return whether the memory already says everything in the draft, with at least the same weight."""
    return (
        current.value == draft.value
        and type(current.value) is type(draft.value)
        and current.category == draft.category
        and current.conversation == draft.conversation
        and current.confidence >= draft.confidence
        and current.origin.trust >= draft.origin.trust
    )


def put(
    writer: KnowledgeWriter, draft: MemoryDraft, current: Memory | None, *, why: str = ""
) -> tuple[Memory, Memory | None]:
    """Store the draft as the active memory of its key; the previous one is deprecated and linked."""
    replaced = None if current is None else deprecate(writer, current, why=why)
    memory = memory_of(writer, draft, supersedes=None if current is None else current.id)
    charge(writer.work, writer.scope, "memories", 1, now=writer.now)
    if current is not None and current.suppressed:
        # What a person does not want mentioned is not mentioned under a newer value either.
        memory = msgspec.structs.replace(memory, suppressed=True)
    writer.work.memories.add(writer.scope, memory)
    writer.cite(memory)
    writer.show(memory)
    change = "create" if current is None else "update"
    before = None if current is None else state_of(current)
    writer.record("update" if current else "create", memory, why=why, before=before, after=state_of(memory))
    writer.tell(updated(memory, change, replaced=memory.supersedes))
    return memory, replaced


def hide_refused(writer: KnowledgeWriter, verdict: AnyVerdict, ref: str | None) -> None:
    """Hide the message if the verdict refuses or quarantines its content."""
    if ref is None and writer.hearing is None:
        return
    if isinstance(verdict, Quarantine):
        writer.conclude(ref, VisibilityVerdict("order"))
    elif isinstance(verdict, Refuse) and verdict.sensitive:
        writer.conclude(ref, VisibilityVerdict("secret", _masked(writer, ref or str(writer.hearing))))
    elif isinstance(verdict, Refuse) and verdict.reason == UNWANTED:
        writer.conclude(ref, VisibilityVerdict("suppressed"))


def _masked(writer: KnowledgeWriter, ref: str) -> str | None:
    place = locate(writer.work, writer.scope, writer.scope.person(), ref)
    if place is None:
        return None
    content = writer.work.messages.with_ids(place[0], [ref])[ref].content
    masked = mask(content)
    # What was refused and cannot be told apart by the rules is not shown at all.
    return None if masked == content else masked


def updated(memory: Memory, change: str, *, replaced: str | None = None) -> MemoryUpdated:
    """Build the event for a change of a memory's state."""
    return MemoryUpdated(
        memory=memory.id,
        key=memory.key,
        category=memory.category,
        scope=memory.scope,
        change=change,
        replaced=replaced,
        subject=memory.subject,
        attribute=memory.attribute,
    )


def deprecate(writer: KnowledgeWriter, memory: Memory, *, why: str) -> Memory:
    """Deprecate a memory in favour of another."""
    gone = writer.work.memories.mark(writer.scope, memory, "deprecated", at=writer.now)
    writer.show(gone)
    writer.record("deprecate", memory, why=why, before=state_of(memory), after=state_of(gone))
    return gone


def memory_of(writer: KnowledgeWriter, draft: MemoryDraft, *, supersedes: str | None = None) -> Memory:
    """Build the memory of a draft."""
    assert draft.category is not None
    assert draft.scope is not None
    return Memory(
        tenant=writer.scope.tenant,
        user=writer.scope.user,
        id=new_id(),
        scope=draft.scope,
        category=draft.category,
        key=draft.key,
        value=draft.value,
        confidence=float(draft.confidence),
        status="active",
        source=draft.source,
        source_ref=draft.source_ref,
        conversation=draft.conversation,
        origin=draft.origin,
        supersedes=supersedes,
        evidence=draft.evidence,
        subject=draft.told_subject,
        attribute=draft.told_attribute,
        attribute_span=draft.attribute_span,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        follows=draft.follows,
        because=draft.because,
        created_at=writer.now,
        updated_at=writer.now,
    )


def binding(conversation: str | None, key: str, category: str | None) -> str | None:
    """Return the conversation that a memory is bound to: that of a project, unless its key names the project.

    What is known of a project by name is known wherever the person speaks of it.
    """
    return conversation if category == PROJECTS and kind_of_key(key) != "project" else None


async def memories(
    store: Store, scope: Scope, filters: MemoryFilter, *, limit: int, after: str | None
) -> Page[Memory]:
    """List the memories that the user may read, by key, page by page."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    place = cursor_of(after)
    read = await store.read(scope, lambda work: work.memories.page(scope, filters, limit=limit + 1, after=place))
    last = read[limit - 1] if len(read) > limit else None
    return Page(tuple(read[:limit]), None if last is None else f"{last.key}~{last.id}")


async def memory(store: Store, scope: Scope, name: str) -> Memory:
    """Return one memory by its id, or the active one under a key; a person's own comes before the tenant's."""
    check_name("name", name)
    match = await store.read(scope, lambda work: named(work, scope, name))
    if match is None:
        raise NotFound("memory", name)
    return match


def named(work: UnitOfWork, scope: Scope, name: str) -> Memory | None:
    """Find a memory by id or key."""
    return (
        work.memories.get(scope, name)
        or work.memories.active(scope, name, shared=False)
        or work.memories.active(scope, name, shared=True)
    )


async def as_of(store: Store, scope: Scope, moment: datetime) -> list[Memory]:
    """List the memories that were active at a moment."""
    at = check_time("moment", moment)
    return await store.read(scope, lambda work: work.memories.as_of(scope, at))


async def known(store: Store, scope: Scope) -> list[Memory]:
    """List the memories that may be mentioned now: active, not suppressed, and of this project if bound to one."""
    filters = MemoryFilter(suppressed=False)
    read = await store.read(scope, lambda work: work.memories.page(scope, filters, limit=10_000))
    return [readable for readable in read if readable.conversation in (None, scope.conversation)]


async def read_personal(
    knowledge: KnowledgeBase, scope: Scope, filters: MemoryFilter, *, actor: Actor, reason: str, limit: int
) -> list[Memory]:
    """Read a person's memory as somebody else: only with the right, and for a recorded reason."""
    actor.need("read_personal")
    check_text("reason", reason, max_bytes=REASON_BYTES)
    check_whole("limit", limit, 1, PAGE_LIMIT)

    def work(writer: KnowledgeWriter) -> list[Memory]:
        writer.record("read", why=reason)
        return writer.work.memories.page(scope, filters, limit=limit)

    return await knowledge.write(scope, actor, work)


async def look(knowledge: KnowledgeBase, scope: Scope, *, actor: Actor) -> None:
    """Record that somebody reads a person's memory; its owner needs neither record nor reason.

    Neither does the owner's own application, nor a handle whose request was already recorded by the server.
    """
    if actor.id in (scope.user, scope.human) or actor.rights.act_for_users:
        return
    actor.need("read_personal")
    check_text("reason", actor.reason, max_bytes=REASON_BYTES)
    await knowledge.write(scope, actor, lambda writer: writer.record("read"))


async def look_at_people(knowledge: KnowledgeBase, scope: Scope, *, actor: Actor, reason: str) -> None:
    """Record that somebody reads content of several people of a tenant."""
    actor.need("read_personal")
    check_text("reason", reason, max_bytes=REASON_BYTES)
    await knowledge.write(scope, actor, lambda writer: writer.record("read", why=reason))


async def read_chain(
    knowledge: KnowledgeBase, scope: Scope, *, actor: Actor, reason: str, after: int, limit: int
) -> list[AuditEntry]:
    """Read a tenant's chain with everybody's content: only with the right, and for a recorded reason."""
    await look_at_people(knowledge, scope, actor=actor, reason=reason)
    return await audit.whole_page(knowledge.store, scope, after=after, limit=limit)


def cursor_of(after: str | None) -> tuple[str, str] | None:
    """Return the position in a list by key that a cursor encodes."""
    if after is None:
        return None
    key, tilde, id = check_text("after", after, max_bytes=CURSOR_BYTES).partition("~")
    if not (key and tilde and id):
        raise InvalidInput("after", "is not a cursor of this list")
    return key, id


async def read_masked(knowledge: KnowledgeBase, scope: Scope, *, actor: Actor, limit: int) -> list[MaskedMemory]:
    """List the person's active memories, masked; no reason is needed, because nothing personal is shown."""
    actor.need("read_masked")
    check_whole("limit", limit, 1, PAGE_LIMIT)
    read = await knowledge.store.read(scope, lambda work: work.memories.page(scope, MemoryFilter(), limit=limit))
    return [masked(memory) for memory in read]
