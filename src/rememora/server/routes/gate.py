"""What may become a memory: the policy, the gate's word without saving, questions, and what is held apart."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.memory import Attempt, Memory, Outcome, Proposal, Quarantined, Review
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.server.auth import Ask
from rememora.server.route import Routes
from rememora.server.routes.memories import Key, Why
from rememora.server.words import Limit, Listed, Name, Prose

routes = Routes("gate")
MayBeOrigin = Annotated[Origin, Meta(description="Who the text comes from.")]


class Text(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message for the gate."""

    text: Prose
    origin: MayBeOrigin = Origin.USER_SAID
    insists: bool = False


class Replied(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person's answer to a question, in their own words."""

    reply: Prose


class Held(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which held texts."""

    status: Review = "held"
    limit: Limit = 50
    after: Annotated[str, Meta(max_length=255)] = ""


class Newest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of the newest."""

    limit: Limit = 50


class Approved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Let a held text go; under a key it becomes a memory."""

    key: Key | None = None
    value: Any = None


class Rejected(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep a held text out for good."""

    why: Why = ""


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a held text."""

    memory: Memory | None


@routes.get("/policy", right=None)
async def get_policy(ask: Ask) -> dict[str, Any]:
    """The rules that every door goes by, as data."""
    return dict(ask.rememora.policy)


@routes.post("/judge", once=False, content=None, reads=True)
async def judge(ask: Ask, body: Text) -> AnyVerdict:
    """What the gate says of a message; nothing is written."""
    return await ask.memory.judge(body.text, origin=_origin(ask, body), insists=body.insists)


@routes.post("/notes", status=201)
async def note(ask: Ask, body: Text) -> Outcome:
    """Judge a message and do what it asks: keep, ask, forget, correct, or hold it apart."""
    return await ask.voice.note(body.text, origin=_origin(ask, body), insists=body.insists)


@routes.get("/attempts")
async def list_attempts(ask: Ask, query: Newest) -> Listed[Attempt]:
    """Tries at keeping something of the user, newest first, with what the gate said of each."""
    return Listed(items=await ask.memory.attempts(limit=query.limit))


@routes.get("/proposals")
async def list_proposals(ask: Ask) -> Listed[Proposal]:
    """The questions that wait for the user's answer."""
    return Listed(items=await ask.memory.proposals())


@routes.post("/proposals/{proposal}/answer")
async def answer_proposal(ask: Ask, proposal: Name, body: Replied) -> Outcome:
    """Answer a question: yes, no, the right value, or which one."""
    return await ask.memory.answer(proposal, body.reply)


@routes.get("/quarantine", right="tenant", content="people")
async def list_quarantine(ask: Ask, query: Held) -> Listed[Quarantined]:
    """Text of the tenant's users that tried to give orders, oldest first."""
    held = await ask.company.quarantined(status=query.status, limit=query.limit, after=query.after)
    return Listed(items=held)


@routes.post("/quarantine/{held}/approve", right="tenant", content="people")
async def approve_quarantined(ask: Ask, held: Name, body: Approved) -> Released:
    """Let a held text go; under a key it becomes a memory."""
    return Released(memory=await ask.company.approve(held, key=body.key, value=body.value))


@routes.post("/quarantine/{held}/reject", right="tenant")
async def reject_quarantined(ask: Ask, held: Name, body: Rejected) -> None:
    """Keep a held text out for good."""
    await ask.company.reject(held, why=body.why)


def _origin(ask: Ask, body: Text) -> Origin:
    """Nobody speaks with more trust than their key has."""
    if body.origin is Origin.OPERATOR and "tenant" not in ask.caller.rights:
        return Origin.USER_SAID
    return body.origin
