"""Judges the statements that a language model proposes: they add, or change what nobody told outright.

The model only proposes. Each statement passes the gate and is placed among the known ones as a statement of the
offline reading is. An explicit statement of the person, the company or the profile is kept, and so is anything
said or taken back after the message. In doubt both stay: the model may be wrong.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final, Literal

import msgspec

from rememora import statements
from rememora.domain.check import check_text
from rememora.domain.memory import Memory, MemoryDraft, Outcome
from rememora.domain.message import CONTENT_BYTES
from rememora.domain.proposed_statement import ProposedStatement
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Ask, Fact, Origin, Quarantine, Refuse, Save, TextSpan
from rememora.gate.model_statement import StatementFacts, facts_of_model
from rememora.gate.policy import reason_of
from rememora.knowledge import keep
from rememora.knowledge.affected import compared
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.control import delete
from rememora.knowledge.extract import extract
from rememora.knowledge.grounding import stands_in
from rememora.knowledge.named_change import allowed_effects, named_memory, said_at, takes_place_of
from rememora.knowledge.note import UNREAD, judge, judge_apart, place_fact, under, wishes_of
from rememora.knowledge.pending import hold
from rememora.knowledge.validity import Validity, validity_of
from rememora.language import fold
from rememora.language.word_patterns import NAME_PART
from rememora.ports.outside import Model

SENTENCE_CHARACTERS: Final = 1_000
_SPOILS_ALL: Final = frozenset({"refuse.hypothetical", "refuse.joke", "refuse.quotation", "refuse.roleplay"})
_SPOILS_ITSELF: Final = _SPOILS_ALL | {"refuse.question", "refuse.momentary"}
"""Refusals that a model's proposal may overrule; for other reasons the rules are certain."""
_SAYS_NOTHING: Final = "refuse.unworthy"
_STAYS_GONE: Final = ("refuse.said_later", "refuse.taken_back")
"""Reasons for which neither the slot nor the sentence of a statement is kept."""
_SENTENCE_END: Final = re.compile(r"[.!?…](?=\s|$)|\n")
WHY: Final = "changed"
Fate = Literal["kept", "held", "asked", "refused", "known"]
_FATES: Final[tuple[Fate, ...]] = ("kept", "held", "asked", "refused", "known")
"""Results of a statement, the one that counts for several facts of it first."""


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """The text in which statements were read: a stored message, or words without one."""

    text: str
    said_at: datetime
    message: str | None = None
    conversation: str | None = None
    before: tuple[str, ...] = ()
    """The turns before it, each with its role before it."""


class JudgedStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of a model with its facts, and the doubt there is of the words it rests on."""

    proposed: ProposedStatement
    facts: StatementFacts
    doubt: AnyVerdict | None = None


class KeptStatement(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one proposed statement: its fate in a word, and the changes."""

    fate: Fate
    outcome: Outcome = Outcome()


async def infer(
    knowledge: KnowledgeBase,
    scope: Scope,
    text: str,
    model: Model,
    *,
    actor: Actor,
    origin: Origin,
    ref: str | None,
) -> Outcome:
    """Save what a language model reads in a text, statement by statement, as far as the gate allows it."""
    check_text("text", text, max_bytes=CONTENT_BYTES)
    extraction = await extract(model, text, origin=origin)
    verdict = await judge_apart(knowledge, text, origin=origin)
    source = SourceText(text=text, said_at=knowledge.clock(), message=ref, conversation=scope.conversation)
    judged = await asyncio.to_thread(judge_proposed, knowledge, source, extraction.proposed)

    def work(writer: KnowledgeWriter) -> Outcome:
        if isinstance(verdict, Quarantine):
            writer.attempt(verdict, None)
            keep.hide_refused(writer, verdict, ref)
            return Outcome(verdict=verdict, quarantined=(hold(writer, text, verdict, ref=ref),))
        kept = keep_proposed(writer, knowledge, source, judged)
        return under(verdict, *(statement.outcome for statement in kept))

    return await knowledge.write(scope, actor, work)


def judge_proposed(
    knowledge: KnowledgeBase, source: SourceText, proposed: Sequence[ProposedStatement]
) -> list[JudgedStatement]:
    """Read the facts of each proposed statement, and judge the words it rests on; nothing is written."""
    return [_judged(knowledge, source, statement) for statement in proposed]


def _judged(knowledge: KnowledgeBase, source: SourceText, proposed: ProposedStatement) -> JudgedStatement:
    limited = proposed.duration == "limited" and validity_of(proposed.text, now=knowledge.clock()) == Validity()
    if limited:
        # True for a time that nobody named: the person is asked.
        doubtful = min(proposed.certainty, knowledge.policy.threshold("doubtful"))
        proposed = msgspec.structs.replace(proposed, certainty=doubtful)
    return JudgedStatement(
        proposed=proposed,
        facts=facts_of_model(proposed, knowledge.policy, before=source.before),
        doubt=doubt_of(knowledge, source.text, proposed),
    )


def doubt_of(knowledge: KnowledgeBase, text: str, proposed: ProposedStatement) -> AnyVerdict | None:
    """Return the gate's verdict on quoted words that state nothing for good; None if they may state a fact.

    "What's the weather like in Lisbon?" states nothing; a question around a fact does not make it one, while
    "if", "they say" and "maybe" do, at any place in the sentence.
    """
    if proposed.duration == "passing":
        return _refusal("refuse.momentary")
    quote = judge(knowledge, proposed.quote.text)
    if isinstance(quote, Ask) or quote.reason in _SPOILS_ITSELF:
        return quote
    verdict = judge(knowledge, _sentence(text, proposed.quote))
    return verdict if isinstance(verdict, Ask) or verdict.reason in _SPOILS_ALL else None


def _sentence(text: str, quote: TextSpan) -> str:
    """Return the sentences that contain a quote."""
    before = [match.end() for match in _SENTENCE_END.finditer(text, 0, quote.start)]
    after = _SENTENCE_END.search(text, max(quote.end - 1, 0))
    return text[before[-1] if before else 0 : after.end() if after else len(text)][:SENTENCE_CHARACTERS]


def keep_proposed(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, source: SourceText, judged: Sequence[JudgedStatement]
) -> list[KeptStatement]:
    """Submit each statement to the gate and place it; what is already known is skipped.

    What the offline reading or an earlier statement made of the same message is not replaced by the next one.
    """
    brought = _own_memories(writer, source)
    kept: list[KeptStatement] = []
    for statement in judged:
        kept.append(_Placing(writer, knowledge, source, statement, brought).place())
        brought += [memory for memory in kept[-1].outcome.memories if memory not in brought]
    return kept


def _own_memories(writer: KnowledgeWriter, source: SourceText) -> list[Memory]:
    """Return what was made of the message before, in any state."""
    if source.message is None:
        return []
    links = writer.work.sources.of_message(writer.scope, source.message)
    return list(writer.work.memories.with_ids(writer.scope, list({link.memory for link in links})).values())


class _Placing:
    """One statement of a model on its way into memory, inside a transaction."""

    def __init__(
        self,
        writer: KnowledgeWriter,
        knowledge: KnowledgeBase,
        source: SourceText,
        judged: JudgedStatement,
        brought: Sequence[Memory],
    ) -> None:
        self.writer, self.knowledge, self.source, self.brought = writer, knowledge, source, brought
        self.proposed, self.facts, self.doubt = judged.proposed, judged.facts, judged.doubt

    def place(self) -> KeptStatement:
        """Keep what is new in the statement, or return why not."""
        fact = self.facts.slot or self.facts.whole
        if self.proposed.action == "nothing":
            return KeptStatement(fate="known")
        if fact is None:
            return self._refused(_refusal(_SAYS_NOTHING), None)
        if (brought := self._brought(fact)) is not None:
            return brought
        if self.doubt is not None:
            # A doubt was asked about when the rules read the message: it is not asked about twice.
            return self._refused(self.doubt, fact)
        return self._combined([*self._slot()])

    def _brought(self, fact: Fact) -> KeptStatement | None:
        """Return the result where the same words of the message were judged before; None where they were not."""
        covering = [memory for memory in self.brought if _covers(memory, self.proposed)]
        active = [memory for memory in covering if memory.status == "active"]
        if not active and covering:
            # Reading the old message again must not bring back what was forgotten or said otherwise since.
            gone = any(memory.status == "deleted" for memory in covering)
            return self._refused(_refusal("refuse.taken_back" if gone else "refuse.said_later"), fact)
        if not active:
            return KeptStatement(fate="known") if self._is_asked() else None
        named = named_memory(self.writer, self.proposed, since=self.source.said_at)
        ids = {memory.id for memory in self.brought}
        if named is None or named.id in ids or not takes_place_of(self.writer, self.proposed, fact, named):
            return KeptStatement(fate="known")
        # The offline reading kept the new statement, and was not sure what it changes.
        gone_now = delete(self.writer, named, why=WHY)
        return KeptStatement(fate="kept", outcome=Outcome(replaced=(gone_now,)))

    def _is_asked(self) -> bool:
        """Return whether the person is asked about the same words already."""
        questions = self.writer.work.proposals.all(self.writer.scope, status="open")
        return any(_says_all(str(question.value), self.proposed) for question in questions)

    def _slot(self) -> list[KeptStatement]:
        """Fill the slot and keep the rest of the sentence; the whole sentence where the slot may not be filled."""
        slot = self.facts.slot
        if slot is None:
            return self._told(self.facts.whole)
        held = [
            self.writer.work.memories.active(self.writer.scope, slot.key, shared=both) for both in (False, True)
        ]
        if any(memory is not None and _plain(memory.value) == _plain(slot.value) for memory in held):
            return [KeptStatement(fate="known"), *self._told(self.facts.rest)]
        reason = self._objection(slot, *held)
        if reason is None:
            return [self._put(slot), *self._told(self.facts.rest)]
        refused = self._refused(_refusal(reason), slot)
        return [refused] if reason in _STAYS_GONE else [refused, *self._told(self.facts.whole)]

    def _told(self, fact: Fact | None) -> list[KeptStatement]:
        """Keep a sentence unless the same words are known."""
        if fact is None:
            return []
        words = _plain(fact.value)
        if any(_plain(memory.value) == words for memory in compared(self.writer)):
            return [KeptStatement(fate="known")]
        return [self._put(fact)]

    def _objection(self, slot: Fact, personal: Memory | None, shared: Memory | None) -> str | None:
        """Return why a slot may not be filled; None if it may."""
        work, scope = self.writer.work, self.writer.scope
        if personal is None and shared is not None:
            return "refuse.told_outright"
        if personal is None:
            # Forgotten after it was said: reading the old message again must not bring it back.
            ever = work.memories.of_key(scope, slot.key, shared=False)
            gone = [memory.updated_at for memory in ever if memory.status == "deleted"]
            return "refuse.taken_back" if any(at >= self.source.said_at for at in gone) else None
        if personal.source != "inferred" or personal.origin.trust > self.proposed.origin.trust:
            return "refuse.told_outright"
        # Messages are read in the background and not always in order: a later statement wins.
        if said_at(work, scope, personal) > self.source.said_at:
            return "refuse.said_later"
        return None if self.proposed.changes == personal.id else "refuse.key_taken"

    def _put(self, fact: Fact) -> KeptStatement:
        """Weigh one fact and place it among the known statements."""
        draft = self._draft(fact)
        verdict = keep.weigh(self.knowledge, draft)
        if _bars(verdict) and not stands_in(str(fact.value), self.source.text):
            # Made up by the model: the person's message is not to be hidden for it.
            return self._refused(verdict, fact)
        written = {memory.id: False for memory in self.brought}
        narrowed = partial(allowed_effects, self.writer, self.proposed, fact, since=self.source.said_at)
        outcome = place_fact(
            self.writer, self.knowledge, fact, draft, self.source.before, written, narrowed=narrowed
        )
        return KeptStatement(fate=fate_of(outcome), outcome=outcome)

    def _draft(self, fact: Fact) -> MemoryDraft:
        """Convert a fact to a draft: inferred, personal, and linked to the message it was read in."""
        about = MemoryDraft(
            key="user.text", value=UNREAD, source_ref=self.source.message, conversation=self.source.conversation
        )
        stated = Save(reason="stated", why=reason_of("stated"), confidence=fact.confidence, facts=(fact,))
        [draft] = wishes_of(self.knowledge, stated, about, actor=self.writer.actor)
        return draft

    def _refused(self, verdict: AnyVerdict, fact: Fact | None) -> KeptStatement:
        self.writer.attempt(verdict, None if fact is None else self._draft(fact))
        return KeptStatement(fate="refused", outcome=Outcome(verdict=verdict))

    def _combined(self, kept: Sequence[KeptStatement]) -> KeptStatement:
        """Return the result of a statement from those of its facts."""
        fates = [result.fate for result in kept]
        fate: Fate = next((fate for fate in _FATES if fate in fates), "known")
        verdict = next((result.outcome.verdict for result in kept if result.fate == fate), None)
        return KeptStatement(fate=fate, outcome=under(verdict, *(result.outcome for result in kept)))


def fate_of(outcome: Outcome) -> Fate:
    """Name the result of a fact in one word."""
    if outcome.quarantined:
        return "held"
    if outcome.proposals:
        return "asked"
    return "kept" if outcome.memories else "refused"


def _covers(memory: Memory, proposed: ProposedStatement) -> bool:
    """Return whether a memory that was made of the message, or its evidence, says all of a statement."""
    return any(_says_all(text, proposed) for text in (str(memory.value), memory.evidence or "") if text)


def _says_all(text: str, proposed: ProposedStatement) -> bool:
    """Return whether a text has every word and figure of a statement or of its quote."""
    whole = statements.links.known(text)
    mine = (statements.links.known(words) for words in (proposed.text, proposed.quote.text))
    return any(
        bool(part.stems | part.figures) and part.stems <= whole.stems and part.figures <= whole.figures
        for part in mine
    )


def _refusal(reason: str) -> Refuse:
    """A model may add to what is known, but never overrule a person."""
    return Refuse(reason=reason, why=reason_of(reason), confidence=1.0)


def _bars(verdict: AnyVerdict) -> bool:
    return isinstance(verdict, Quarantine) or (isinstance(verdict, Refuse) and verdict.sensitive)


def _plain(value: object) -> str:
    """Return the words of a value, so that case, accents and punctuation make no difference."""
    return " ".join(NAME_PART.findall(fold(str(value))))
