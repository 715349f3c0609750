"""Offers learned patterns of how a person talks to the gate, once there is enough evidence, and only new ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta, tzinfo

from rememora.domain.memory import MemoryDraft, MemoryFilter
from rememora.domain.message import ConversationRecord, Message
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.zone import ZONE_KEYS, zone_of
from rememora.knowledge import keep
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.patterns import Pattern, counted, learn
from rememora.ports.chores import Chore
from rememora.ports.store import UnitOfWork
from rememora.visibility.plan import visible

LEARNER = Actor("rememora")
LEAST_TURNS = 50
CONVERSATIONS = 50
TURNS_EACH = 200
MOST_TURNS = 1_000
"""Most turns that are read, of the conversations used last: a look costs the same however much was said."""
NAMED_EVIDENCE = 3
AT_ONCE = 8
GRACE = timedelta(seconds=60)
"""Delay after the note, so that messages of that time are looked at together."""
LEASE = timedelta(minutes=10)


async def learn_due(knowledge: KnowledgeBase, *, patient: bool) -> bool:
    """Process due users; True if there were any."""
    now = knowledge.clock()
    # `settle` also does what is not due yet.
    horizon = now if patient else now + GRACE
    due = await knowledge.store.chores(lambda chores: chores.due("patterns", now=horizon, limit=AT_ONCE))
    mine = [chore for chore in due if await _claimed(knowledge, chore)]
    for user in dict.fromkeys(Scope(chore.scope.tenant, chore.scope.user) for chore in mine):
        await learn_habits(knowledge, user)
    for chore in mine:
        await _done(knowledge, chore.scope)
    return bool(mine)


async def learn_habits(knowledge: KnowledgeBase, user: Scope) -> None:
    """Offer the patterns in a user's newest turns; too few turns show none."""
    records, turns, zone = await knowledge.store.read(user, lambda work: (*_heard(work, user), _zone(work, user)))
    if len(turns) < LEAST_TURNS:
        return
    channels = {record.id: record.channel for record in records}
    patterns = await asyncio.to_thread(learn, turns, channels=channels, zone=zone)
    if patterns:
        await knowledge.write(user, LEARNER, lambda writer: _offer(writer, knowledge, patterns))


async def _claimed(knowledge: KnowledgeBase, chore: Chore) -> bool:
    """Claim the chore for a while: a failure is retried later, and delays nobody else."""
    until = knowledge.clock() + LEASE
    return await knowledge.store.write(
        chore.scope, lambda work: work.chores.claim(chore.scope, "patterns", seen=chore.due_at, until=until)
    )


async def _done(knowledge: KnowledgeBase, scope: Scope) -> None:
    await knowledge.store.write(scope, lambda work: work.chores.done(scope, "patterns"))


def _heard(work: UnitOfWork, user: Scope) -> tuple[list[ConversationRecord], list[Message]]:
    records = work.conversations.newest(user, limit=CONVERSATIONS, before=None)
    turns: list[Message] = []
    for record in records:
        if (left := MOST_TURNS - len(turns)) <= 0:
            break
        turns += work.messages.turns(user.within(record.id), limit=min(TURNS_EACH, left))
    return records, visible(turns)


def _zone(work: UnitOfWork, user: Scope) -> tzinfo:
    memories = [work.memories.active(user, key, shared=False) for key in ZONE_KEYS]
    return zone_of(str(memory.value) for memory in memories if memory is not None)


def _offer(writer: KnowledgeWriter, knowledge: KnowledgeBase, patterns: Sequence[Pattern]) -> None:
    for pattern in patterns:
        if _is_new(writer, pattern):
            wish = keep.place(knowledge.policy, _wish(pattern), writer.actor)
            keep.act(writer, wish, keep.weigh(knowledge, wish))


def _is_new(writer: KnowledgeWriter, pattern: Pattern) -> bool:
    """Skip patterns that are known, or that the person contradicted, forgot, refused or left unanswered."""
    current = writer.work.memories.active(writer.scope, pattern.key, shared=False)
    # What the person said counts more than what they do, and nobody is asked twice about the same.
    if current is not None and (current.source != "inferred" or current.value == pattern.value):
        return False
    forgotten = MemoryFilter(status="deleted", scope="personal", prefix=pattern.key)
    gone = writer.work.memories.page(writer.scope, forgotten, limit=100)
    proposals = writer.work.proposals.all(writer.scope, status=None)
    return not any(memory.value == pattern.value for memory in gone) and not any(
        (proposal.key, proposal.value) == (pattern.key, pattern.value) and proposal.status != "confirmed"
        for proposal in proposals
    )


def _wish(pattern: Pattern) -> MemoryDraft:
    newest = pattern.evidence[-NAMED_EVIDENCE:]
    return MemoryDraft(
        key=pattern.key,
        value=pattern.value,
        confidence=pattern.confidence,
        source="inferred",
        source_ref=newest[-1],
        scope="personal",
        evidence=counted(pattern.key, pattern.value, newest, of=len(pattern.evidence)),
    )
