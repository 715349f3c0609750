"""The gate: its policy, judging without saving, questions, and the quarantine."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rememora.domain.memory import Attempt, Memory, Outcome, Proposal, Quarantined, Review
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.server.auth import ApiRequest
from rememora.server.routes.memories import Key, Why
from rememora.server.routing import Routes
from rememora.server.words import ItemList, Limit, Name, Prose

routes = Routes("gate")
MayBeOrigin = Annotated[Origin, Meta(description="Who the text comes from.")]


class GateText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message for the gate."""

    text: Prose
    origin: MayBeOrigin = Origin.USER_SAID
    insists: bool = False


class JudgeQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Choice of an explained verdict."""

    explain: Annotated[
        bool, Meta(description="Fill in `words`: the words that spoke for each decision, and what is touched.")
    ] = False


class ProposalAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The person's answer to a question, in their own words."""

    reply: Prose


class QuarantineQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Filter on quarantined texts."""

    status: Review = "held"
    limit: Limit = 50
    after: Annotated[str, Meta(max_length=255)] = ""


class AttemptQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Number of the newest to return."""

    limit: Limit = 50


class QuarantineApproval(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Release a quarantined text; with a key it becomes a memory."""

    key: Key | None = None
    value: Any = None


class QuarantineRejection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reject a quarantined text permanently."""

    why: Why = ""


class QuarantineResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result for a quarantined text."""

    memory: Memory | None


@routes.get("/policy", right=None)
async def get_policy(ask: ApiRequest) -> dict[str, Any]:
    """Return the policy of the gate, as data."""
    return dict(ask.rememora.policy)


@routes.post("/judge", once=False, content=None, reads=True)
async def judge(ask: ApiRequest, query: JudgeQuery, body: GateText) -> AnyVerdict:
    """Judge a message with the gate; nothing is written."""
    return await ask.memory.gate.judge(
        body.text, origin=_origin(ask, body), insists=body.insists, explain=query.explain
    )


@routes.post("/notes", status=201)
async def note(ask: ApiRequest, body: GateText) -> Outcome:
    """Judge a message and do what it asks: save, ask, forget, correct or quarantine."""
    return await ask.voice.gate.note(body.text, origin=_origin(ask, body), insists=body.insists)


@routes.get("/attempts")
async def list_attempts(ask: ApiRequest, query: AttemptQuery) -> ItemList[Attempt]:
    """List the user's attempts to save something, newest first, each with its verdict."""
    return ItemList(items=await ask.memory.gate.attempts(limit=query.limit))


@routes.get("/proposals")
async def list_proposals(ask: ApiRequest) -> ItemList[Proposal]:
    """List the questions that wait for the user's answer."""
    return ItemList(items=await ask.memory.proposals.list())


@routes.post("/proposals/{proposal}/answer")
async def answer_proposal(ask: ApiRequest, proposal: Name, body: ProposalAnswer) -> Outcome:
    """Answer a question: yes, no, the correct value, or a choice."""
    return await ask.memory.proposals.answer(proposal, body.reply)


@routes.get("/quarantine", right="tenant", content="people")
async def list_quarantine(ask: ApiRequest, query: QuarantineQuery) -> ItemList[Quarantined]:
    """List quarantined texts of the tenant's users, oldest first."""
    held = await ask.company.quarantine.list(status=query.status, limit=query.limit, after=query.after)
    return ItemList(items=held)


@routes.post("/quarantine/{held}/approve", right="tenant", content="people")
async def approve_quarantined(ask: ApiRequest, held: Name, body: QuarantineApproval) -> QuarantineResult:
    """Release a quarantined text; with a key it becomes a memory."""
    return QuarantineResult(memory=await ask.company.quarantine.approve(held, key=body.key, value=body.value))


@routes.post("/quarantine/{held}/reject", right="tenant")
async def reject_quarantined(ask: ApiRequest, held: Name, body: QuarantineRejection) -> None:
    """Reject a quarantined text permanently."""
    await ask.company.quarantine.reject(held, why=body.why)


def _origin(ask: ApiRequest, body: GateText) -> Origin:
    """Limit the origin of a text to the trust that the key has."""
    if body.origin is Origin.OPERATOR and "tenant" not in ask.caller.rights:
        return Origin.USER_SAID
    return body.origin
