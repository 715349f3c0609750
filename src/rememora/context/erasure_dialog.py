"""Erases permanently by words: one question that names the target, and the real erasure after a plain yes.

A request to erase is never carried out as a soft delete, and nothing but a fresh yes in the same conversation
carries it out; any other message cancels it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

import msgspec

from rememora.context.referents import resolve_reference
from rememora.domain.context import CANCELLED, MemoryAction
from rememora.domain.memory import Memory, Proposal
from rememora.domain.message import Message
from rememora.domain.receipt import Erasure, Receipt
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import Forget
from rememora.errors import NotFound
from rememora.gate import No, read_answer
from rememora.gate.erasure import confirms_erasure, final_wish
from rememora.gate.pointing import bare_wish
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.control import EVERYTHING
from rememora.knowledge.eraser import Eraser
from rememora.knowledge.find import choose
from rememora.knowledge.forget_target import Finds, find_target
from rememora.knowledge.note import judge
from rememora.knowledge.pending import ask_to_erase
from rememora.language.labels import label_of
from rememora.language.packs import replies_of
from rememora.ports.store import UnitOfWork
from rememora.reading.parsed import ParsedMessage

CONFIRM_WITHIN = timedelta(minutes=10)


class ErasureDialog(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a person, read for a request to erase and for the answer to its confirmation."""

    desk: KnowledgeBase
    eraser: Eraser
    scope: Scope
    message: Message
    parsed: ParsedMessage
    actor: Actor
    language: str

    async def answered(self, questions: Iterable[Proposal]) -> tuple[MemoryAction, ...]:
        """Carry out or cancel the erasure that one of the open questions is about; empty if none is."""
        waiting = _waiting(questions, self.scope)
        if waiting is None:
            return ()
        memories = await self.desk.store.read(self.scope, lambda work: _standing(work, self.scope, waiting))
        chosen = _chosen(waiting, memories, self.parsed)
        status = "confirmed" if chosen else "refused"
        # Closed first, whatever was answered: a second yes must not erase a second time.
        closed = await self.desk.write(self.scope, self.actor, lambda writer: _close(writer, waiting, status))
        if not closed or self.message.created_at >= waiting.expires_at:
            return ()
        if chosen:
            return (await self._erase(chosen, memories),)
        kind = "erase_refused" if isinstance(read_answer(self.parsed), No) else CANCELLED
        return (MemoryAction(kind=kind, text=_say(kind, self.language)),)

    async def asked(self) -> tuple[MemoryAction, ...] | None:
        """Ask before erasing, if the message requests it; None if it does not."""
        wish = final_wish(self.parsed)
        if wish is None:
            return None
        # "Erase that for good" names nothing: it means what the last answer was about.
        if bare_wish(wish) == "forget":
            pointed = await self.desk.store.read(
                self.scope, lambda work: resolve_reference(work, self.scope, self.message, "forget", shares=False)
            )
            return await self._ask(lambda _: pointed.memories)
        verdict = judge(self.desk, wish.raw, before=wish.before)
        if not isinstance(verdict, Forget):
            return None
        if verdict.target == EVERYTHING:
            return await self._ask(None)
        return await self._ask(
            lambda writer: find_target(writer, self.desk, wish, verdict, among_turns=False).memories
        )

    async def _ask(self, find: Finds | None) -> tuple[MemoryAction, ...]:
        def work(writer: KnowledgeWriter) -> Proposal | None:
            matches = None if find is None else find(writer)
            return ask_to_erase(writer, matches, within=CONFIRM_WITHIN) if matches is None or matches else None

        question = await self.desk.write(self.scope, self.actor, work)
        if question is None:
            return (MemoryAction(kind="nothing_to_forget", text=_say("nothing_to_forget", self.language)),)
        text = question.question(self.language)
        return (MemoryAction(kind="asked", text=text, question=question.id),)

    async def _erase(self, chosen: Sequence[Erasure], memories: Sequence[Memory]) -> MemoryAction:
        receipts: list[Receipt] = []
        for erasure in chosen:
            try:
                receipts.append(await self.eraser.erase(self.scope.person(), erasure, actor=self.actor))
            except NotFound:
                # Erased by another request since the question was asked.
                continue
        ids = {erasure.memory for erasure in chosen}
        names = [label_of(memory.key, self.language) for memory in memories if memory.id in ids]
        what = "; ".join(names) or _say("everything", self.language)
        text = _say("erased", self.language).format(
            what=what, receipt=", ".join(receipt.id for receipt in receipts)
        )
        return MemoryAction(kind="erased", text=text, receipts=tuple(receipts))


def _waiting(questions: Iterable[Proposal], scope: Scope) -> Proposal | None:
    """Return the open question of this conversation; there is at most one, since every message closes it."""
    return next(
        (
            proposal
            for proposal in questions
            if proposal.kind == "erase" and proposal.wish == {"conversation": scope.conversation}
        ),
        None,
    )


def _standing(work: UnitOfWork, scope: Scope, question: Proposal) -> list[Memory]:
    candidates = (work.memories.get(scope, id) for id in question.candidates)
    return [memory for memory in candidates if memory is not None]


def _close(writer: KnowledgeWriter, question: Proposal, status: str) -> bool:
    return writer.work.proposals.close(writer.scope, question.id, status=status)


def _chosen(question: Proposal, memories: Sequence[Memory], answer: ParsedMessage) -> list[Erasure]:
    """Return what a message confirms: the person, the one memory, or those it picks of several."""
    if not question.candidates:
        return [Erasure(person=True)] if confirms_erasure(answer) else []
    if len(memories) > 1:
        picked = [] if isinstance(read_answer(answer), No) else choose(memories, answer)
    else:
        picked = list(memories) if confirms_erasure(answer) else []
    return [Erasure(memory=memory.id) for memory in picked]


def _say(what: str, language: str) -> str:
    said: str = getattr(replies_of(language).told, what)
    return said
