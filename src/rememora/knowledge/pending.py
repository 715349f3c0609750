"""Items that wait for a decision: questions to the person, and quarantined text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Literal

import msgspec

from rememora.domain.ids import new_id
from rememora.domain.memory import Memory, MemoryDraft, MemoryFilter, Proposal, Quarantined
from rememora.domain.question import About, Asks, questions_of
from rememora.domain.verdict import AnyVerdict
from rememora.knowledge.base import KnowledgeWriter
from rememora.knowledge.patterns import is_counted

Act = Literal["correct", "forget", "suppress"]
_WHETHER = frozenset({"forget", "suppress", "erase"})
"""Kinds of questions: whether, about one thing; which, about several."""
COUNTED = 1_000_000


def ask_to_save(writer: KnowledgeWriter, draft: MemoryDraft, *, reason: str) -> Proposal:
    """Ask whether something may be saved; a repeated question stays one."""
    for waiting in writer.work.proposals.all(writer.scope, status="open"):
        if waiting.kind == "save" and (waiting.key, waiting.value) == (draft.key, draft.value):
            return waiting
    about = About(key=draft.key, value=draft.value, quote=_said(draft))
    return ask(
        writer,
        kind="save",
        asks=Asks(form="save", about=(about,)),
        reason=reason,
        key=draft.key,
        value=draft.value,
        wish=draft_fields(draft),
    )


def _said(draft: MemoryDraft) -> str | None:
    """Return the words that were said; none of what was counted, which its key and value tell better."""
    return None if draft.evidence is None or is_counted(draft.key, draft.evidence) else draft.evidence


def ask_value(writer: KnowledgeWriter, memory: Memory) -> Proposal:
    """Ask for the correct value of something that is wrong."""
    return ask(
        writer,
        kind="correct",
        asks=Asks(form="value", about=(_about(memory),)),
        reason="correct.value_missing",
        key=memory.key,
        candidates=(memory.id,),
    )


def ask_whether_it_holds(writer: KnowledgeWriter, memory: Memory) -> Proposal:
    """Ask whether something in doubt still holds; a repeated question stays one."""
    for waiting in writer.work.proposals.all(writer.scope, status="open"):
        if waiting.kind == "confirm" and waiting.candidates == (memory.id,):
            return waiting
    return ask(
        writer,
        kind="confirm",
        asks=Asks(form="confirm", about=(_about(memory),)),
        reason="confirm.doubtful",
        key=memory.key,
        candidates=(memory.id,),
    )


def ask_which(
    writer: KnowledgeWriter,
    kind: Act,
    memories: Sequence[Memory],
    *,
    value: Any = None,
    wish: dict[str, Any] | None = None,
) -> Proposal:
    """Ask one question with the candidates, if it is unclear which memory is meant."""
    return ask(
        writer,
        kind=kind,
        asks=_which(kind, memories),
        reason=f"{kind}.ambiguous",
        value=value,
        candidates=tuple(memory.id for memory in memories),
        wish=wish,
    )


def ask_to_erase(writer: KnowledgeWriter, memories: Sequence[Memory] | None, *, within: timedelta) -> Proposal:
    """Ask for confirmation before these memories, or with None the whole person, are erased permanently."""
    if memories is None:
        counts = {
            "memories": len(
                writer.work.memories.page(writer.scope, MemoryFilter(scope="personal"), limit=COUNTED)
            ),
            "conversations": len(writer.work.conversations.newest(writer.scope, limit=COUNTED, before=None)),
        }
        asks = Asks(form="erase", counts=counts)
    else:
        asks = _which("erase", memories)
    question = ask(
        writer,
        kind="erase",
        asks=asks,
        reason="erase.confirm",
        candidates=tuple(memory.id for memory in memories or ()),
        wish={"conversation": writer.scope.conversation},
        within=within,
    )
    # A "yes" must confirm the question asked last, and not one from before with a wider reach.
    for earlier in writer.work.proposals.all(writer.scope, status="open"):
        if earlier.kind == "erase" and earlier.wish == question.wish and earlier.id != question.id:
            writer.work.proposals.close(writer.scope, earlier.id, status="refused")
    return question


def _which(kind: str, memories: Sequence[Memory]) -> Asks:
    """Ask about memories: whether, for one; which, for several."""
    form = kind if len(memories) == 1 and kind in _WHETHER else f"which_{kind}"
    return Asks(form=form, about=tuple(map(_about, memories)))


def _about(memory: Memory) -> About:
    return About(key=memory.key, value=memory.value)


def hold(
    writer: KnowledgeWriter,
    text: str,
    verdict: AnyVerdict,
    *,
    draft: MemoryDraft | None = None,
    ref: str | None = None,
) -> Quarantined:
    """Quarantine a text that gives orders, for a reviewer."""
    held = Quarantined(
        tenant=writer.scope.tenant,
        user=writer.scope.user,
        id=new_id(),
        text=text,
        reason=verdict.reason,
        wish=None if draft is None else draft_fields(draft),
        origin=verdict.origin if draft is None else draft.origin,
        source_ref=ref if draft is None else draft.source_ref,
        conversation=writer.scope.conversation if draft is None else draft.conversation,
        created_at=writer.now,
    )
    writer.work.quarantine.add(writer.scope, held)
    writer.record("quarantine", why=verdict.reason, after={"quarantined": held.id})
    return held


def draft_fields(draft: MemoryDraft) -> dict[str, Any]:
    """Encode a draft for its row."""
    fields: dict[str, Any] = msgspec.to_builtins(draft)
    return fields


def draft_of(fields: dict[str, Any]) -> MemoryDraft:
    """Decode the draft of a row."""
    return msgspec.convert(fields, MemoryDraft)


def ask(writer: KnowledgeWriter, *, asks: Asks, within: timedelta | None = None, **fields: Any) -> Proposal:
    """Write a question that waits for the person."""
    proposal = Proposal(
        tenant=writer.scope.tenant,
        user=writer.scope.user,
        id=new_id(),
        asks=asks,
        questions=questions_of(asks),
        created_at=writer.now,
        expires_at=writer.now + (within or timedelta(days=writer.settings.knowledge.proposal_days)),
        **fields,
    )
    writer.work.proposals.add(writer.scope, proposal)
    writer.record("propose", why=proposal.reason, after={"proposal": proposal.id})
    return proposal
