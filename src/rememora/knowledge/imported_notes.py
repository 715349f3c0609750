"""Imports what another product remembers about a person: through the gate, once, and replacing nothing."""

from __future__ import annotations

import asyncio
import hashlib
import re
import uuid
from datetime import datetime

import msgspec

from rememora.domain.check import check_name, check_time
from rememora.domain.memory import Memory, MemoryDraft, Outcome
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Ask, Correct, Forget, Origin, Quarantine, Refuse, Save
from rememora.knowledge import control, keep
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter, state_of
from rememora.knowledge.note import UNREAD, judge, wishes_of
from rememora.knowledge.pending import ask_to_save, hold
from rememora.knowledge.spans import fitted
from rememora.language import fold
from rememora.ports.knowledge import ActivePeriod
from rememora.tenancy.quotas import charge

KEY_WORDS = 4
KEY_CHARACTERS = 200
DIGEST_CHARACTERS = 8
WHOLE = "user.imported"
"""Prefix of the keys of sentences that were kept verbatim."""
WHOLE_CONFIDENCE = 0.5
_SPACE = uuid.UUID("4f1f2b0e-5b58-5d0c-9d54-6f2f0c1d7a11")
# What may stand in a segment of a key.
_WORD = re.compile(r"[a-z0-9]+")


class ImportedSentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of another product about a person: its id there, and since when it is known."""

    text: str
    ref: str
    at: datetime | None = None
    # Whether a sentence that the gate would ask about or refuse is kept as it stands: it was kept there already.
    whole: bool = False
    # Whether it is kept although the same words are known from another reference.
    separate: bool = False

    def __post_init__(self) -> None:
        check_name("ref", self.ref)
        if self.at is not None:
            check_time("at", self.at)


async def bring(knowledge: KnowledgeBase, scope: Scope, foreign: ImportedSentence, *, actor: Actor) -> Outcome:
    """Save, ask about or quarantine an imported sentence; one that exists already has no verdict."""
    verdict = await asyncio.to_thread(judge, knowledge, foreign.text)
    about = MemoryDraft(key="user.text", value=UNREAD, source_ref=foreign.ref)
    drafts = wishes_of(knowledge, verdict, about, actor=actor)
    # Another product knows one person: nothing of it is the whole tenant's.
    wishes = tuple(msgspec.structs.replace(wish, scope="personal") for wish in drafts)
    return await knowledge.write(scope, actor, lambda writer: _bring(writer, knowledge, foreign, verdict, wishes))


def _bring(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    foreign: ImportedSentence,
    verdict: AnyVerdict,
    wishes: tuple[MemoryDraft, ...],
) -> Outcome:
    earlier = _imported_before(writer, foreign, verdict, len(wishes))
    if earlier is not None:
        return earlier
    # What a sentence says beside something sensitive is kept, unless the sentence is kept whole and silent.
    in_part = isinstance(verdict, Refuse) and not foreign.whole
    if (isinstance(verdict, Save | Correct) or in_part) and wishes:
        words = [keep.weigh(knowledge, wish) for wish in wishes]
        if not foreign.whole or any(isinstance(word, Save) for word in words):
            kept = [
                _keep(writer, foreign, wish, word, n)
                for n, (wish, word) in enumerate(zip(wishes, words, strict=True))
            ]
            return _together(verdict, kept)
    if foreign.whole and not isinstance(verdict, Quarantine):
        return _keep_whole(writer, knowledge, foreign, verdict)
    # An order among another product's memories is not this person's order: it is tried, and not done.
    writer.attempt(verdict, wishes[0] if wishes else None)
    return _pending(writer, foreign, verdict, wishes)


def _keep_whole(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, foreign: ImportedSentence, verdict: AnyVerdict
) -> Outcome:
    """Keep a sentence verbatim, with low confidence; suppress a sensitive one, quarantine a request to forget."""
    if isinstance(verdict, Forget):
        # A sentence that asks to forget was no request of the person here: it is reviewed, not obeyed.
        writer.attempt(verdict, None)
        return Outcome(verdict=verdict, quarantined=(hold(writer, foreign.text, verdict, ref=foreign.ref),))
    words = "_".join(_WORD.findall(fold(foreign.text))[:KEY_WORDS]) or "text"
    draft = MemoryDraft(
        key=f"{WHOLE}_{words}"[:KEY_CHARACTERS],
        value=foreign.text,
        scope="personal",
        confidence=WHOLE_CONFIDENCE,
        source="inferred",
        source_ref=foreign.ref,
        origin=Origin.DOCUMENT,
        evidence=foreign.text,
    )
    placed = keep.place(knowledge.policy, draft, writer.actor)
    free = msgspec.structs.replace(placed, key=_own_key(writer, foreign, placed))
    known = writer.work.memories.active(writer.scope, free.key, shared=False)
    # The same sentence came before under another id of the other product.
    if known is not None:
        return Outcome(memories=(known,))
    memory = _put(writer, free, id=_id(writer.scope, foreign.ref, 0), at=foreign.at)
    writer.attempt(verdict, free, memory)
    if isinstance(verdict, Refuse) and verdict.sensitive:
        memory = control.silence(writer, memory, why=verdict.reason)
    return Outcome(verdict=verdict, memories=(memory,))


def _together(verdict: AnyVerdict, outcomes: list[Outcome]) -> Outcome:
    """Combine the outcomes of several facts under the sentence's verdict; None if all existed already."""
    words = [outcome.verdict for outcome in outcomes if outcome.verdict is not None]
    kept = any(isinstance(word, Save) for word in words)
    return Outcome(
        verdict=verdict if kept else next(iter(words), None),
        memories=tuple(memory for outcome in outcomes for memory in outcome.memories),
        proposals=tuple(proposal for outcome in outcomes for proposal in outcome.proposals),
        quarantined=tuple(held for outcome in outcomes for held in outcome.quarantined),
    )


def _imported_before(
    writer: KnowledgeWriter, foreign: ImportedSentence, verdict: AnyVerdict, facts: int
) -> Outcome | None:
    """Return the outcome of an earlier import of this sentence, in its current state."""
    # Ids follow from the other product's reference, so that a repeated import finds what the first one made,
    # also if it was changed or forgotten since.
    ids = [_id(writer.scope, foreign.ref, number) for number in range(max(facts, 1))]
    known = writer.work.memories.with_ids(writer.scope, ids)
    if known:
        return Outcome(memories=tuple(known.values()))
    if isinstance(verdict, Quarantine) or (foreign.whole and isinstance(verdict, Forget)):
        texts = tuple(
            quarantined
            for quarantined in writer.work.quarantine.of_user(writer.scope)
            if quarantined.source_ref == foreign.ref
        )
        return Outcome(quarantined=texts) if texts else None
    if isinstance(verdict, Ask):
        return _question(writer, foreign)
    return None


def _question(writer: KnowledgeWriter, foreign: ImportedSentence) -> Outcome | None:
    proposals = writer.work.proposals.all(writer.scope, status=None)
    matching = tuple(proposal for proposal in proposals if (proposal.wish or {}).get("source_ref") == foreign.ref)
    return Outcome(proposals=matching) if matching else None


def _pending(
    writer: KnowledgeWriter, foreign: ImportedSentence, verdict: AnyVerdict, wishes: tuple[MemoryDraft, ...]
) -> Outcome:
    if isinstance(verdict, Ask):
        free = [msgspec.structs.replace(wish, key=_free_key(writer, wish)) for wish in wishes]
        proposals = tuple(ask_to_save(writer, wish, reason=verdict.reason) for wish in free)
        return Outcome(verdict=verdict, proposals=proposals)
    if isinstance(verdict, Quarantine):
        return Outcome(verdict=verdict, quarantined=(hold(writer, foreign.text, verdict, ref=foreign.ref),))
    return Outcome(verdict=verdict)


def _keep(
    writer: KnowledgeWriter, foreign: ImportedSentence, draft: MemoryDraft, verdict: AnyVerdict, number: int
) -> Outcome:
    """Save one fact under its key, or under a key of its own if another value is there."""
    if not isinstance(verdict, Save):
        earlier = _question(writer, foreign) if isinstance(verdict, Ask) else None
        if earlier is None:
            writer.attempt(verdict, draft)
        return earlier or _pending(writer, foreign, verdict, (draft,))
    # An import replaces nothing: where the key holds another value, the fact gets a key of its own.
    free = msgspec.structs.replace(draft, key=_own_key(writer, foreign, draft))
    known = writer.work.memories.active(writer.scope, free.key, shared=False)
    if known is not None:
        return Outcome(memories=(known,))
    memory = _put(writer, free, id=_id(writer.scope, foreign.ref, number), at=foreign.at)
    writer.attempt(verdict, free, memory)
    return Outcome(verdict=verdict, memories=(memory,))


def _put(writer: KnowledgeWriter, draft: MemoryDraft, *, id: str, at: datetime | None) -> Memory:
    """Store a memory with the age that the other product reports."""
    since = writer.now if at is None else min(at, writer.now)
    memory = msgspec.structs.replace(keep.memory_of(writer, draft), id=id, created_at=since, updated_at=since)
    charge(writer.work, writer.scope, "memories", 1, now=writer.now)
    taken = writer.work.memories.spans_of_key(writer.scope, memory.key)
    writer.work.memories.add(writer.scope, memory, spans=fitted([ActivePeriod(since=since)], taken))
    writer.cite(memory)
    writer.show(memory)
    writer.record("import", memory, after=state_of(memory))
    writer.tell(keep.updated(memory, "import"))
    return memory


def _own_key(writer: KnowledgeWriter, foreign: ImportedSentence, draft: MemoryDraft) -> str:
    """Return a free key of a draft; beside the same words, one that nothing else has."""
    key = _free_key(writer, draft)
    return f"{key}_{_digest(foreign.ref)}" if foreign.separate else key


def _free_key(writer: KnowledgeWriter, draft: MemoryDraft) -> str:
    """Return the draft's key, or, if it has another value, the key with the value's words or its digest."""
    words = "_".join(_WORD.findall(fold(str(draft.plain_value)))[:KEY_WORDS])
    longer = f"{draft.key}_{words}"[:KEY_CHARACTERS] if words else draft.key
    for key in (draft.key, longer):
        current = writer.work.memories.active(writer.scope, key, shared=False)
        if current is None or current.value == draft.value:
            return key
    return f"{longer}_{_digest(str(draft.plain_value))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_CHARACTERS]


def _id(scope: Scope, ref: str, number: int) -> str:
    """Return the same id for the same sentence of the same person, so that a second import finds the first."""
    return str(uuid.uuid5(_SPACE, "\n".join((scope.tenant, scope.user, ref, str(number)))))
