"""Erases for good by words: one question that names what will be gone, and the real erasure after a plain yes.

A wish to erase is never carried out as a soft delete, and nothing but a fresh yes in the same conversation carries
it out; any other message cancels it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from rememora.context.deixis import point
from rememora.domain.context import CANCELLED, Deed
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
from rememora.knowledge.aim import Finds, aim
from rememora.knowledge.aside import ask_to_erase
from rememora.knowledge.control import EVERYTHING
from rememora.knowledge.desk import Desk, Hand
from rememora.knowledge.eraser import Eraser
from rememora.knowledge.find import choose
from rememora.knowledge.note import judge
from rememora.language.labels import label_of
from rememora.ports.store import UnitOfWork

CONFIRM_WITHIN = timedelta(minutes=10)

_TOLD = {
    "erased": (
        "Apaguei definitivamente: {what}. Recibo {receipt}. O recibo assinado acompanha esta resposta; "
        "guarde-o: com ele `rememora erase --verify` confirma que nada sobrou.",
        "Erased for good: {what}. Receipt {receipt}. The signed receipt comes with this answer; "
        "keep it: with it `rememora erase --verify` confirms that nothing is left.",
    ),
    "everything": ("tudo o que eu guardava sobre você", "everything I kept about you"),
    "erase_refused": ("Certo, não apaguei nada.", "All right, I have erased nothing."),
    CANCELLED: (
        "Não apaguei nada: faltou um “sim”. Para apagar definitivamente, peça de novo.",
        "I have erased nothing: there was no “yes”. To erase for good, ask again.",
    ),
    "nothing_to_forget": ("Não encontrei isso entre o que sei.", "I did not find that in what I know."),
}


class Erasing(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a person, read for a wish to erase and for the answer to the question about it."""

    desk: Desk
    eraser: Eraser
    scope: Scope
    message: Message
    actor: Actor
    language: str

    async def answered(self) -> tuple[Deed, ...]:
        """Carry out or cancel what the message before asked to erase; nothing where it asked for nothing."""
        waiting = await self.desk.store.read(self.scope, lambda work: _waiting(work, self.scope))
        if waiting is None:
            return ()
        text = self.message.content
        memories = await self.desk.store.read(self.scope, lambda work: _standing(work, self.scope, waiting))
        chosen = _chosen(waiting, memories, text)
        status = "confirmed" if chosen else "refused"
        # Closed first, whatever was answered: a second yes must not erase a second time.
        closed = await self.desk.write(self.scope, self.actor, lambda hand: _close(hand, waiting, status))
        if not closed or self.message.created_at >= waiting.expires_at:
            return ()
        if chosen:
            return (await self._erase(chosen, memories),)
        kind = "erase_refused" if isinstance(read_answer(text), No) else CANCELLED
        return (Deed(kind=kind, text=_say(kind, self.language)),)

    async def asked(self) -> tuple[Deed, ...] | None:
        """Ask before erasing, where the message is a wish to; None where it is not."""
        wish = final_wish(self.message.content)
        if wish is None:
            return None
        if bare_wish(wish) == "forget":
            pointed = await self.desk.store.read(
                self.scope, lambda work: point(work, self.scope, self.message, "forget", shares=False)
            )
            return await self._ask(lambda _: pointed.memories)
        verdict = judge(self.desk, wish)
        if not isinstance(verdict, Forget):
            return None
        if verdict.target == EVERYTHING:
            return await self._ask(None)
        return await self._ask(lambda hand: aim(hand, self.desk, wish, verdict).memories)

    async def _ask(self, find: Finds | None) -> tuple[Deed, ...]:
        def work(hand: Hand) -> Proposal | None:
            found = None if find is None else find(hand)
            return ask_to_erase(hand, found, within=CONFIRM_WITHIN) if found is None or found else None

        question = await self.desk.write(self.scope, self.actor, work)
        if question is None:
            return (Deed(kind="nothing_to_forget", text=_say("nothing_to_forget", self.language)),)
        text = question.question_pt if self.language == "pt" else question.question_en
        return (Deed(kind="asked", text=text, question=question.id),)

    async def _erase(self, chosen: Sequence[Erasure], memories: Sequence[Memory]) -> Deed:
        receipts: list[Receipt] = []
        for each in chosen:
            try:
                receipts.append(await self.eraser.erase(self.scope.person(), each, actor=self.actor))
            except NotFound:
                # Erased by another request since the question was asked.
                continue
        ids = {each.memory for each in chosen}
        names = [label_of(each.key, self.language) for each in memories if each.id in ids]
        what = "; ".join(names) or _say("everything", self.language)
        text = _say("erased", self.language).format(what=what, receipt=", ".join(each.id for each in receipts))
        return Deed(kind="erased", text=text, receipts=tuple(receipts))


def _waiting(work: UnitOfWork, scope: Scope) -> Proposal | None:
    """The open question of this conversation; there is one at most, since every message closes it."""
    return next(
        (
            each
            for each in work.proposals.all(scope, status="open")
            if each.kind == "erase" and each.wish == {"conversation": scope.conversation}
        ),
        None,
    )


def _standing(work: UnitOfWork, scope: Scope, question: Proposal) -> list[Memory]:
    found = (work.memories.get(scope, id) for id in question.candidates)
    return [memory for memory in found if memory is not None]


def _close(hand: Hand, question: Proposal, status: str) -> bool:
    return hand.work.proposals.close(hand.scope, question.id, status=status)


def _chosen(question: Proposal, memories: Sequence[Memory], text: str) -> list[Erasure]:
    """Return what a message confirms: the person, the one memory, or those it picks of several."""
    if not question.candidates:
        return [Erasure(person=True)] if confirms_erasure(text) else []
    if len(memories) > 1:
        picked = [] if isinstance(read_answer(text), No) else choose(memories, text)
    else:
        picked = list(memories) if confirms_erasure(text) else []
    return [Erasure(memory=each.id) for each in picked]


def _say(what: str, language: str) -> str:
    return _TOLD[what][0 if language == "pt" else 1]
