"""Judges the facts that a language model proposes: they add, or change values that nobody stated explicitly.

The model only proposes. An explicit statement of the person, the company or the profile is kept, and so is
anything said or taken back after the message. In doubt the old value stays: the model may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from rememora.domain.memory import Memory, MemoryDraft, MemoryFilter, Outcome
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Ask, Quarantine, Refuse, TextSpan
from rememora.gate.policy import reason_of
from rememora.knowledge import keep
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.extract import ProposedFact
from rememora.knowledge.note import judge
from rememora.knowledge.opt_outs import PAUSED, UNWANTED
from rememora.language import fold
from rememora.ports.store import UnitOfWork

EVIDENCE_CHARACTERS = 500
LOOKED_AT = 500
SENTENCE_CHARACTERS = 1_000
_SPOILS_ALL = frozenset({"refuse.hypothetical", "refuse.joke", "refuse.quotation", "refuse.roleplay"})
_SPOILS_ITSELF = _SPOILS_ALL | {"refuse.question", "refuse.momentary"}
"""Refusals that a model's proposal may overrule; for other reasons the rules are certain."""
_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|\n")
Fate = Literal["kept", "asked", "refused", "held", "known"]
_WORD = re.compile(r"\w+")


class ExistingMemories(msgspec.Struct, frozen=True, kw_only=True):
    """The memory under the key of a proposal, and the memories from the same message."""

    said_at: datetime
    own: Memory | None = None
    own_said_at: datetime | None = None
    shared: Memory | None = None
    taken_back_at: datetime | None = None
    siblings: tuple[Memory, ...] = ()
    beside: tuple[Memory, ...] = ()
    """Return other memories about the same subject."""


def doubt_of(knowledge: KnowledgeBase, text: str, proposed: ProposedFact) -> AnyVerdict | None:
    """Return the gate's verdict on quoted words that state nothing; None if they may state a fact.

    "What's the weather like in Lisbon?" states nothing; a question around a fact does not make it one, while
    "if", "they say" and "maybe" do, at any place in the sentence.
    """
    evidence = proposed.candidate.evidence
    if evidence is None:
        return None
    quote = judge(knowledge, evidence.text)
    if isinstance(quote, Ask) or quote.reason in _SPOILS_ITSELF:
        return quote
    verdict = judge(knowledge, _sentence(text, evidence))
    return verdict if isinstance(verdict, Ask) or verdict.reason in _SPOILS_ALL else None


def _sentence(text: str, evidence: TextSpan) -> str:
    """Return the sentences that contain a quote."""
    before = [match.end() for match in _SENTENCE_END.finditer(text, 0, evidence.start)]
    after = _SENTENCE_END.search(text, max(evidence.end - 1, 0))
    return text[before[-1] if before else 0 : after.end() if after else len(text)][:SENTENCE_CHARACTERS]


def keep_proposed(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    message: Message,
    weighed: Sequence[tuple[ProposedFact, AnyVerdict | None]],
) -> list[Fate]:
    """Submit each proposal, with its doubt, to the gate; what is already known is skipped."""
    return [_keep_one(writer, knowledge, message, proposed, doubt) for proposed, doubt in weighed]


def _keep_one(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    message: Message,
    proposed: ProposedFact,
    doubt: AnyVerdict | None,
) -> Fate:
    existing = look(writer.work, writer.scope, message, proposed)
    if is_known(proposed, existing):
        return "known"
    wish = wish_of(writer, knowledge, message, proposed)
    reason = objection(proposed, existing)
    refusal = doubt if reason is None else _refusal(reason)
    if refusal is not None:
        # A doubt was asked about when the rules read the message: it is not asked about twice.
        writer.attempt(refusal, wish)
        return "refused"
    verdict = keep.weigh(knowledge, wish)
    if _bars(verdict) and not _stands_in(proposed, message.content):
        # Made up by the model: the person's message is not to be hidden for it.
        writer.attempt(verdict, wish)
        return "refused"
    return fate_of(keep.act(writer, wish, verdict))


def fate_of(outcome: Outcome) -> Fate:
    """Name the result of a proposal in one word."""
    if outcome.quarantined:
        return "held"
    if outcome.proposals:
        return "asked"
    return "kept" if outcome.memories else "refused"


def look(work: UnitOfWork, scope: Scope, message: Message, proposed: ProposedFact) -> ExistingMemories:
    """Read the memories that a proposal is compared with."""
    key = proposed.candidate.key
    personal = work.memories.active(scope, key, shared=False)
    gone = [memory for memory in work.memories.of_key(scope, key, shared=False) if memory.status == "deleted"]
    # Siblings: what the rules already kept of the same message, so that a model does not keep it twice.
    links = work.sources.of_message(scope, message.id)
    siblings = work.memories.with_ids(scope, list(dict.fromkeys(link.memory for link in links)))
    near = MemoryFilter(prefix=key.rpartition(".")[0])
    return ExistingMemories(
        said_at=message.created_at,
        own=personal,
        own_said_at=None if personal is None else _said_at(work, scope, personal),
        shared=work.memories.active(scope, key, shared=True),
        taken_back_at=max((memory.updated_at for memory in gone), default=None),
        siblings=tuple(sibling for sibling in siblings.values() if sibling.status == "active"),
        beside=tuple(work.memories.page(scope, near, limit=LOOKED_AT)),
    )


def _said_at(work: UnitOfWork, scope: Scope, memory: Memory) -> datetime:
    """Return the time a memory was said, if in the same conversation; else the time it was kept."""
    ref = memory.source_ref
    source = None if ref is None else work.messages.with_ids(scope, [ref]).get(ref)
    return memory.updated_at if source is None else source.created_at


def is_known(proposed: ProposedFact, existing: ExistingMemories) -> bool:
    """Return whether a proposal is known already: the same value under its key, or from this message."""
    said = _plain(proposed.candidate.value)
    held = [memory for memory in (existing.own, existing.shared) if memory is not None]
    # The same words of the same subject are the same fact, under whichever name of the model's.
    held += existing.beside if isinstance(proposed.candidate.value, str) else ()
    if any(_plain(memory.value) == said for memory in held):
        return True
    if proposed.action == "change" and existing.own is not None:
        return False
    quote = _plain("" if proposed.candidate.evidence is None else proposed.candidate.evidence.text)
    brought = {_plain(part) for sibling in existing.siblings for part in (sibling.value, sibling.evidence or "")}
    return said in brought or quote in brought - {""}


def objection(proposed: ProposedFact, existing: ExistingMemories) -> str | None:
    """Return why a proposal does not reach the gate; None if it does."""
    personal = existing.own
    # Switches of the person over their own memory: no model may turn them.
    if proposed.candidate.key in (PAUSED, UNWANTED):
        return "refuse.not_for_models"
    if personal is None and existing.shared is not None:
        return "refuse.told_outright"
    if personal is None:
        # Forgotten after it was said: reading the old message again must not bring it back.
        back = existing.taken_back_at
        return "refuse.taken_back" if back is not None and back >= existing.said_at else None
    if personal.source != "inferred" or personal.origin.trust > proposed.candidate.origin.trust:
        return "refuse.told_outright"
    # Messages are read in the background and not always in order: a later statement wins.
    if existing.own_said_at is not None and existing.own_said_at > existing.said_at:
        return "refuse.said_later"
    return None if proposed.action == "change" else "refuse.key_taken"


def wish_of(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, message: Message, proposed: ProposedFact
) -> MemoryDraft:
    """Convert a proposal to a draft: inferred, personal, and linked to the message it was read in."""
    candidate = proposed.candidate
    category = knowledge.policy.category_of(candidate.key)
    draft = MemoryDraft(
        key=candidate.key,
        value=candidate.value,
        scope="personal",
        confidence=candidate.confidence,
        source="inferred",
        source_ref=message.id,
        conversation=keep.binding(message.conversation, candidate.key, category),
        origin=candidate.origin,
        evidence=None if candidate.evidence is None else candidate.evidence.text[:EVIDENCE_CHARACTERS],
    )
    return keep.place(knowledge.policy, draft, writer.actor)


def _refusal(reason: str) -> Refuse:
    """A model may add to what is known, but never overrule a person."""
    return Refuse(reason=reason, why=reason_of(reason), confidence=1.0)


def _bars(verdict: AnyVerdict) -> bool:
    return isinstance(verdict, Quarantine) or (isinstance(verdict, Refuse) and verdict.sensitive)


def _stands_in(proposed: ProposedFact, text: str) -> bool:
    return _plain(proposed.candidate.value) in _plain(text)


def _plain(value: object) -> str:
    """Return the words of a value, so that case, accents and punctuation make no difference."""
    return " ".join(_words(fold(str(value))))


def _words(text: str) -> Iterable[str]:
    return _WORD.findall(text)
