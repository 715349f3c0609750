"""Questions that wait: what was asked of the person, and what their answer does."""

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
from rememora.knowledge.aside import wish_of
from rememora.knowledge.desk import Desk, Hand
from rememora.knowledge.find import choose
from rememora.knowledge.righting import value_in

Reply = Yes | No | Value | Unrelated


async def proposals(desk: Desk, scope: Scope, *, actor: Actor) -> list[Proposal]:
    """The questions that still wait; those whose time has passed are closed."""

    def work(hand: Hand) -> list[Proposal]:
        hand.work.proposals.expire(scope, now=hand.now)
        return hand.work.proposals.all(scope, status="open")

    return await desk.write(scope, actor, work)


async def answer(desk: Desk, scope: Scope, id: str, reply: str | Reply, *, actor: Actor) -> Outcome:
    """Take the person's answer: yes, no, another value, or which one; anything else leaves the question open."""
    if not isinstance(reply, (str, *get_args(Reply))):
        raise InvalidInput("reply", "must be text, or Yes, No, Value")
    check_name("proposal", id)
    if isinstance(reply, str):
        check_text("reply", reply, max_bytes=CONTENT_BYTES)
    found = await desk.write(scope, actor, lambda hand: _open(hand, id))
    if found is None:
        raise Conflict(f"the question {id!r} is no longer open")
    return await desk.write(scope, actor, lambda hand: _answer(hand, desk, found, reply))


def _open(hand: Hand, id: str) -> Proposal | None:
    # Expiry is written before the answer is looked at, so that a late answer finds the question closed for good.
    hand.work.proposals.expire(hand.scope, now=hand.now)
    found = hand.work.proposals.get(hand.scope, id)
    if found is None:
        raise NotFound("proposal", id)
    return found if found.status == "open" else None


def _answer(hand: Hand, desk: Desk, proposal: Proposal, reply: str | Reply) -> Outcome:
    if isinstance(reply, str) and reply.rstrip().endswith("?"):
        # A question back is no answer, whatever words it shares with the candidates.
        return Outcome(proposals=(proposal,))
    heard = read_answer(reply) if isinstance(reply, str) else reply
    if isinstance(heard, No):
        _close(hand, proposal, "refused")
        return Outcome()
    if proposal.kind == "save":
        return _answer_save(hand, desk, proposal, heard)
    if proposal.kind == "erase":
        # Only a yes in the conversation that asked erases; elsewhere there is a verb of its own for it.
        return Outcome(proposals=(proposal,))
    return _answer_about(hand, desk, proposal, heard, reply)


def _answer_save(hand: Hand, desk: Desk, proposal: Proposal, heard: Reply) -> Outcome:
    if isinstance(heard, Unrelated):
        return Outcome(proposals=(proposal,))
    assert proposal.wish is not None
    said = {"confidence": 1.0, "source": "explicit_user", "origin": Origin.USER_SAID}
    if isinstance(heard, Value):
        said["value"] = heard.text
    wish = msgspec.structs.replace(wish_of(proposal.wish), **said)
    if wish.scope == "tenant_shared":
        # Somebody with the right may have caused the question; the answer is on the rights of who answers.
        hand.actor.need("write_shared")
    verdict = keep.weigh(desk, wish)
    if isinstance(verdict, Refuse):
        # What the person said is not lost: the question stays open, and the refusal says why.
        return Outcome(verdict=verdict, proposals=(proposal,))
    _close(hand, proposal, "corrected" if isinstance(heard, Value) else "confirmed")
    return keep.act(hand, wish, verdict)


def _answer_about(hand: Hand, desk: Desk, proposal: Proposal, heard: Reply, reply: str | Reply) -> Outcome:
    """Which memory is meant, or what its right value is."""
    candidates = _standing(hand, proposal)
    text = heard.text if isinstance(heard, Value) else reply if isinstance(reply, str) else ""
    if len(candidates) == 1:
        if proposal.kind != "correct":
            sure = isinstance(heard, Yes) or bool(choose(candidates, text))
            return _settle(hand, desk, proposal, candidates, None) if sure else Outcome(proposals=(proposal,))
        value = value_in(text, heard, desk.policy)
        if value is None:
            return Outcome(proposals=(proposal,))
        return _settle(hand, desk, proposal, candidates, value)
    picked = choose(candidates, text)
    if not picked or (len(picked) > 1 and proposal.kind == "correct"):
        return Outcome(proposals=(proposal,))
    return _settle(hand, desk, proposal, picked, proposal.value)


def _settle(hand: Hand, desk: Desk, proposal: Proposal, memories: list[Memory], value: Any) -> Outcome:
    assert proposal.kind != "save"
    assert proposal.kind != "erase"
    _close(hand, proposal, "corrected" if proposal.kind == "correct" else "confirmed")
    return control.settle(hand, desk, proposal.kind, memories, value, spoken=True)


def _standing(hand: Hand, proposal: Proposal) -> list[Memory]:
    found = (hand.work.memories.get(hand.scope, id) for id in proposal.candidates)
    return [
        memory for memory in found if memory is not None and memory.status == "active" and hand.may_change(memory)
    ]


def _close(hand: Hand, proposal: Proposal, status: str) -> None:
    if not hand.work.proposals.close(hand.scope, proposal.id, status=status):
        raise Conflict(f"the question {proposal.id!r} is no longer open")
