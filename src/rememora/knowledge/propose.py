"""Questions to the person that wait, and the effect of their answers."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from rememora.domain.check import check_name, check_text
from rememora.domain.memory import Memory, Outcome, Proposal
from rememora.domain.message import CONTENT_BYTES
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import Origin, Refuse
from rememora.errors import Conflict, InvalidInput, NotFound
from rememora.gate import No, Unrelated, Value, Yes, read_answer
from rememora.knowledge import control, keep
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.corrected_value import value_in
from rememora.knowledge.evolve import settle
from rememora.knowledge.find import choose
from rememora.knowledge.forget_question import tell_again
from rememora.knowledge.item_question import asks_for_item, remove_picked
from rememora.knowledge.pending import draft_of
from rememora.language.parsed import ParsedText
from rememora.reading.parsed import parse_message

NO_LONGER = "no longer holds"
Reply = Yes | No | Value | Unrelated


async def proposals(knowledge: KnowledgeBase, scope: Scope, *, actor: Actor) -> list[Proposal]:
    """List the questions that still wait; expired ones are closed."""

    def work(writer: KnowledgeWriter) -> list[Proposal]:
        writer.work.proposals.expire(scope, now=writer.now)
        return writer.work.proposals.all(scope, status="open")

    return await knowledge.write(scope, actor, work)


async def answer(knowledge: KnowledgeBase, scope: Scope, id: str, reply: str | Reply, *, actor: Actor) -> Outcome:
    """Process the person's answer: yes, no, another value, or a choice; anything else leaves the question open."""
    if not isinstance(reply, (str, *get_args(Reply))):
        raise InvalidInput("reply", "must be text, or Yes, No, Value")
    check_name("proposal", id)
    if isinstance(reply, str):
        check_text("reply", reply, max_bytes=CONTENT_BYTES)
    proposal = await knowledge.write(scope, actor, lambda writer: _open(writer, id))
    if proposal is None:
        raise Conflict(f"the question {id!r} is no longer open")
    return await knowledge.write(scope, actor, lambda writer: _answer(writer, knowledge, proposal, reply))


def _open(writer: KnowledgeWriter, id: str) -> Proposal | None:
    # Expiry is written before the answer is looked at, so that a late answer finds the question closed for good.
    writer.work.proposals.expire(writer.scope, now=writer.now)
    proposal = writer.work.proposals.get(writer.scope, id)
    if proposal is None:
        raise NotFound("proposal", id)
    return proposal if proposal.status == "open" else None


def _answer(writer: KnowledgeWriter, knowledge: KnowledgeBase, proposal: Proposal, reply: str | Reply) -> Outcome:
    if isinstance(reply, str) and reply.rstrip().endswith("?"):
        # A question back is no answer, whatever words it shares with the candidates.
        return Outcome(proposals=(proposal,))
    heard = read_answer(reply) if isinstance(reply, str) else reply
    if proposal.kind == "confirm":
        return _answer_doubt(writer, knowledge, proposal, heard)
    if isinstance(heard, No):
        _close(writer, proposal, "refused")
        tell_again(writer, proposal)
        return Outcome()
    if proposal.kind == "save":
        return _answer_save(writer, knowledge, proposal, heard)
    if proposal.kind == "erase":
        # Only a yes in the conversation that asked erases; elsewhere there is a verb of its own for it.
        return Outcome(proposals=(proposal,))
    return _answer_about(writer, knowledge, proposal, heard, reply)


def _answer_save(writer: KnowledgeWriter, knowledge: KnowledgeBase, proposal: Proposal, heard: Reply) -> Outcome:
    if isinstance(heard, Unrelated):
        return Outcome(proposals=(proposal,))
    assert proposal.wish is not None
    said: dict[str, Any] = {"confidence": 1.0, "source": "explicit_user", "origin": Origin.USER_SAID}
    if isinstance(heard, Value):
        # Where the value of the attribute stood in other words says nothing of these.
        said |= {"value": heard.text, "attribute_span": None}
    wish = msgspec.structs.replace(draft_of(proposal.wish), **said)
    if wish.scope == "tenant_shared":
        # Somebody with the right may have caused the question; the answer is on the rights of who answers.
        writer.actor.need("write_shared")
    verdict = keep.weigh(knowledge, wish)
    if isinstance(verdict, Refuse):
        # What the person said is not lost: the question stays open, and the refusal says why.
        return Outcome(verdict=verdict, proposals=(proposal,))
    _close(writer, proposal, "corrected" if isinstance(heard, Value) else "confirmed")
    return keep.act(writer, wish, verdict)


def _answer_doubt(writer: KnowledgeWriter, knowledge: KnowledgeBase, proposal: Proposal, heard: Reply) -> Outcome:
    """Settle a doubt: it still holds, it does not, or it has another value."""
    memories = _standing(writer, proposal)
    # The question stays open; if nothing of what it asked about is left, it is closed whatever was said.
    if isinstance(heard, Unrelated) and memories:
        return Outcome(proposals=(proposal,))
    _close(writer, proposal, {Yes: "confirmed", No: "refused"}.get(type(heard), "corrected"))
    if not memories:
        return Outcome()
    if isinstance(heard, Yes):
        return Outcome(memories=(settle(writer, memories[0]),))
    if isinstance(heard, Value):
        return control.amend(writer, knowledge, memories[0], heard.text, said=heard.text)
    return Outcome(replaced=(control.delete(writer, memories[0], why=NO_LONGER),))


def _answer_about(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, proposal: Proposal, heard: Reply, reply: str | Reply
) -> Outcome:
    """Answer a question about which memory is meant, or what its correct value is."""
    candidates = _standing(writer, proposal)
    said = parse_message(heard.text if isinstance(heard, Value) else reply if isinstance(reply, str) else "")
    if candidates and asks_for_item(proposal):
        return _answer_item(writer, proposal, candidates[0], said)
    # Only one is left of those that were offered; for a correction its right value is still open.
    if len(candidates) == 1:
        if proposal.kind != "correct":
            sure = isinstance(heard, Yes) or bool(choose(candidates, said))
            return (
                _settle(writer, knowledge, proposal, candidates, None) if sure else Outcome(proposals=(proposal,))
            )
        value = value_in(said, heard, knowledge.policy)
        if value is None:
            return Outcome(proposals=(proposal,))
        return _settle(writer, knowledge, proposal, candidates, value)
    picked = choose(candidates, said)
    if not picked or (len(picked) > 1 and proposal.kind == "correct"):
        return Outcome(proposals=(proposal,))
    return _settle(writer, knowledge, proposal, picked, proposal.value)


def _answer_item(writer: KnowledgeWriter, proposal: Proposal, memory: Memory, said: ParsedText) -> Outcome:
    done = remove_picked(writer, memory, said, why=proposal.reason)
    if done is None:
        return Outcome(proposals=(proposal,))
    _close(writer, proposal, "confirmed")
    return done


def _settle(
    writer: KnowledgeWriter, knowledge: KnowledgeBase, proposal: Proposal, memories: list[Memory], value: Any
) -> Outcome:
    assert proposal.kind != "save"
    assert proposal.kind != "erase"
    assert proposal.kind != "confirm"
    _close(writer, proposal, "corrected" if proposal.kind == "correct" else "confirmed")
    tell_again(writer, proposal, but=[memory.id for memory in memories])
    return control.settle(writer, knowledge, proposal.kind, memories, value, said=str(value))


def _standing(writer: KnowledgeWriter, proposal: Proposal) -> list[Memory]:
    candidates = (writer.work.memories.get(writer.scope, id) for id in proposal.candidates)
    return [
        memory
        for memory in candidates
        if memory is not None and memory.status == "active" and writer.may_change(memory)
    ]


def _close(writer: KnowledgeWriter, proposal: Proposal, status: str) -> None:
    if not writer.work.proposals.close(writer.scope, proposal.id, status=status):
        raise Conflict(f"the question {proposal.id!r} is no longer open")
