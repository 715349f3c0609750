"""What is known: memories kept, looked through, corrected, forgotten, suppressed, restored and explained."""

from __future__ import annotations

from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta

from rememora.domain.audit import AuditEntry
from rememora.domain.memory import About, Memory, Outcome, Reach, Source, Status, Wanted, edition_of
from rememora.domain.message import Message, Page
from rememora.domain.verdict import Ask as AskFirst
from rememora.domain.verdict import Origin, Quarantine, Refuse
from rememora.errors import MemoryRefused
from rememora.server.auth import Ask
from rememora.server.route import Answer, Routes
from rememora.server.words import Cursor, Limit, Listed, Moment, Name

routes = Routes("memories")
SEGMENT = "[a-z0-9_][a-z0-9_-]*"
Key = Annotated[str, Meta(min_length=3, max_length=255, pattern=rf"^{SEGMENT}(\.{SEGMENT})+$")]
Prefix = Annotated[str, Meta(min_length=1, max_length=255, pattern=rf"^{SEGMENT}(\.{SEGMENT})*$")]
Why = Annotated[str, Meta(max_length=500, pattern=r"^[^\x00]*$")]


class NewMemory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to be kept, if the gate lets it."""

    key: Key
    value: Any
    category: Name | None = None
    scope: Reach | None = None
    confidence: Annotated[float, Meta(ge=0, le=1)] = 1.0
    source_ref: Name | None = None
    conversation: Name | None = None
    insists: bool = False


class Narrowed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which memories; active ones unless another status is asked for."""

    limit: Limit = 50
    after: Cursor | None = None
    category: Name | None = None
    scope: Reach | None = None
    source: Source | None = None
    status: Status = "active"
    prefix: Prefix | None = None
    conversation: Name | None = None
    suppressed: bool | None = None
    as_of: Moment | None = None


class Right(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right value in place of a wrong one."""

    value: Any
    why: Why = "corrected"


class RightOf(Right, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right value of something named by id, key, topic, category or words."""

    target: Name


class Meant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is meant, by id, key, topic, category or words; `all` for everything."""

    target: Name
    why: Why = ""


class Reason(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why it is done."""

    why: Why = ""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Where a memory comes from: itself, what it took the place of, and all that happened to it."""

    memory: Memory
    supersedes: Memory | None
    history: list[AuditEntry]


def kept(outcome: Outcome) -> Answer:
    """Answer with what was kept or is asked; what the gate refused or holds apart is a problem with its reason."""
    verdict = outcome.verdict
    if isinstance(verdict, Refuse | Quarantine) and not outcome.memories:
        raise MemoryRefused(verdict.label, verdict.reason, verdict.why.en)
    return Answer(value=outcome, status=202 if isinstance(verdict, AskFirst) and outcome.proposals else 201)


@routes.get("/memories")
async def list_memories(ask: Ask, query: Narrowed) -> Page[Memory]:
    """What is known, by key; or what was known at a moment (`as_of`)."""
    memory = ask.memory
    if query.as_of is not None:
        return Page(tuple(await memory.as_of(query.as_of)))
    wanted: Wanted = {
        "category": query.category,
        "scope": query.scope,
        "source": query.source,
        "status": query.status,
        "prefix": query.prefix,
        "conversation": query.conversation,
        "suppressed": query.suppressed,
    }
    return await memory.memories(limit=query.limit, after=query.after, **wanted)


@routes.post("/memories", status=201, also=(202,), answer=Outcome)
async def remember(ask: Ask, body: NewMemory) -> Answer:
    """Keep a fact, if the gate lets it: 201 kept, 202 the person is asked first, 422 refused with the reason."""
    about: About = {"confidence": body.confidence, "insists": body.insists, "origin": Origin.USER_SAID}
    about.update(_given(body))
    return kept(await ask.memory.remember(body.key, body.value, **about))


@routes.post("/memories/correct")
async def correct(ask: Ask, body: RightOf) -> Outcome:
    """Put the right value in place of a wrong one; when it is not clear which is meant, a question comes back."""
    return await ask.memory.correct(body.target, body.value, why=body.why)


@routes.post("/memories/forget")
async def forget(ask: Ask, body: Meant) -> Outcome:
    """Delete softly what is meant; it can be restored."""
    return await ask.memory.forget(body.target, why=body.why)


@routes.post("/memories/suppress")
async def suppress(ask: Ask, body: Meant) -> Outcome:
    """Keep what is meant, and never mention it."""
    return await ask.memory.suppress(body.target, why=body.why)


@routes.get("/memories/{memory}", answer=Memory)
async def get_memory(ask: Ask, memory: Name) -> Answer:
    """One memory by its id, or the active one under a key; its `ETag` is for `If-Match`."""
    found = await ask.memory.memory(memory)
    return Answer(value=found, etag=etag_of(found))


@routes.patch("/memories/{memory}")
async def correct_memory(ask: Ask, memory: Name, body: Right) -> Outcome:
    """Put the right value in place of this memory's; with `If-Match`, only if it stands as it was seen."""
    found = await ask.memory.memory(memory)
    return await ask.memory.correct(found.id, body.value, why=body.why, seen=_seen(ask))


@routes.delete("/memories/{memory}")
async def forget_memory(ask: Ask, memory: Name) -> Outcome:
    """Delete this memory softly; with `If-Match`, only if it stands as it was seen."""
    found = await ask.memory.memory(memory)
    return await ask.memory.forget(found.id, seen=_seen(ask))


@routes.post("/memories/{memory}/suppress")
async def suppress_memory(ask: Ask, memory: Name, body: Reason) -> Outcome:
    """Keep this memory, and never mention it; with `If-Match`, only if it stands as it was seen."""
    found = await ask.memory.memory(memory)
    return await ask.memory.suppress(found.id, why=body.why, seen=_seen(ask))


@routes.post("/memories/{memory}/restore")
async def restore_memory(ask: Ask, memory: Name, body: Reason) -> Memory:
    """Let a forgotten, replaced or suppressed memory be known and mentioned again; `If-Match` as elsewhere."""
    return await ask.memory.restore(memory, why=body.why, seen=_seen(ask))


@routes.get("/memories/{memory}/history")
async def get_memory_history(ask: Ask, memory: Name) -> Listed[AuditEntry]:
    """All that happened to one memory, oldest first."""
    owner = ask.memory
    return Listed(items=await owner.history((await owner.memory(memory)).id))


@routes.get("/memories/{memory}/sources")
async def get_memory_sources(ask: Ask, memory: Name) -> Listed[Message]:
    """Messages that a memory was learned from and answers that told it, oldest first."""
    owner = ask.memory
    return Listed(items=await owner.sources((await owner.memory(memory)).id))


@routes.get("/memories/{memory}/explain")
async def explain_memory(ask: Ask, memory: Name) -> Explanation:
    """Where a memory comes from, and what it took the place of."""
    owner = ask.memory
    found = await owner.memory(memory)
    earlier = None if found.supersedes is None else await owner.memory(found.supersedes)
    return Explanation(memory=found, supersedes=earlier, history=await owner.history(found.id))


def etag_of(memory: Memory) -> str:
    """What changes whenever anything of a memory does, as a header tells it."""
    return f'"{edition_of(memory)}"'


def _seen(ask: Ask) -> frozenset[str] | None:
    """The editions that the caller saw (`If-Match`); None where any will do."""
    wanted = ask.headers.get("if-match")
    if wanted is None or wanted.strip() == "*":
        return None
    return frozenset(each.strip().strip('"') for each in wanted.split(","))


def _given(body: NewMemory) -> About:
    """The fields that were given; an absent one leaves the choice to the policy."""
    named = {field: getattr(body, field) for field in ("category", "scope", "source_ref", "conversation")}
    return cast("About", {field: value for field, value in named.items() if value is not None})
