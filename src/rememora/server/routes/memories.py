"""Memories: keep, list, correct, forget, suppress, restore and explain them."""

from __future__ import annotations

from typing import Annotated, Any, cast

import msgspec
from msgspec import Meta

from rememora.dashboard.dependencies import draw
from rememora.dashboard.words import language_of
from rememora.domain.audit import AuditEntry
from rememora.domain.explanation import Explanation as Explained
from rememora.domain.memory import (
    DraftOptions,
    Memory,
    MemoryFilterOptions,
    Outcome,
    Reach,
    Source,
    Status,
    TimelineValue,
    edition_of,
)
from rememora.domain.message import Message, Page
from rememora.domain.verdict import Ask as AskFirst
from rememora.domain.verdict import Origin, Quarantine, Refuse
from rememora.errors import MemoryRefused
from rememora.server.auth import ApiRequest
from rememora.server.routing import RouteAnswer, Routes
from rememora.server.words import Cursor, ItemList, Limit, Moment, Name

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


class MemoryQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Filter on memories; active ones unless another status is asked for."""

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


class Correction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right value in place of a wrong one."""

    value: Any
    why: Why = "corrected"


class TargetedCorrection(Correction, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right value of something named by id, key, topic, category or words."""

    target: Name


class MemoryTarget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Target, by id, key, topic, category or words; `all` for everything."""

    target: Name
    why: Why = ""


class ChangeReason(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reason for the change."""

    why: Why = ""


class ExplanationAnswer(Explained, frozen=True, kw_only=True):
    """An explanation of a memory, with what it rests on and what rests on it drawn as SVG."""

    drawing: str
    """The drawing, empty where nothing is tied to the memory; `links` says the same in data."""


def kept(outcome: Outcome) -> RouteAnswer:
    """Answer with what was kept or is asked; what the gate refused or holds apart is a problem with its reason."""
    verdict = outcome.verdict
    if isinstance(verdict, Refuse | Quarantine) and not outcome.memories:
        raise MemoryRefused(verdict.label, verdict.reason, verdict.why.en)
    return RouteAnswer(value=outcome, status=202 if isinstance(verdict, AskFirst) and outcome.proposals else 201)


@routes.get("/memories")
async def list_memories(ask: ApiRequest, query: MemoryQuery) -> Page[Memory]:
    """List memories by key; or those active at a moment (`as_of`)."""
    memory = ask.memory
    if query.as_of is not None:
        return Page(tuple(await memory.memories.as_of(query.as_of)))
    wanted: MemoryFilterOptions = {
        "category": query.category,
        "scope": query.scope,
        "source": query.source,
        "status": query.status,
        "prefix": query.prefix,
        "conversation": query.conversation,
        "suppressed": query.suppressed,
    }
    return await memory.memories.list(limit=query.limit, after=query.after, **wanted)


@routes.post("/memories", status=201, also=(202,), answer=Outcome)
async def remember(ask: ApiRequest, body: NewMemory) -> RouteAnswer:
    """Keep a fact, if the gate lets it: 201 kept, 202 the person is asked first, 422 refused with the reason."""
    about: DraftOptions = {"confidence": body.confidence, "insists": body.insists, "origin": Origin.USER_SAID}
    about.update(_given(body))
    return kept(await ask.memory.remember(body.key, body.value, **about))


@routes.post("/memories/correct")
async def correct(ask: ApiRequest, body: TargetedCorrection) -> Outcome:
    """Put the right value in place of a wrong one; when it is not clear which is meant, a question comes back."""
    return await ask.memory.memories.correct(body.target, body.value, why=body.why)


@routes.post("/memories/forget")
async def forget(ask: ApiRequest, body: MemoryTarget) -> Outcome:
    """Delete softly what is meant; it can be restored."""
    return await ask.memory.forget(body.target, why=body.why)


@routes.post("/memories/suppress")
async def suppress(ask: ApiRequest, body: MemoryTarget) -> Outcome:
    """Keep what is meant, and never mention it."""
    return await ask.memory.memories.suppress(body.target, why=body.why)


@routes.get("/memories/{memory}", answer=Memory)
async def get_memory(ask: ApiRequest, memory: Name) -> RouteAnswer:
    """One memory by its id, or the active one under a key; its `ETag` is for `If-Match`."""
    found = await ask.memory.memories.get(memory)
    return RouteAnswer(value=found, etag=etag_of(found))


@routes.patch("/memories/{memory}")
async def correct_memory(ask: ApiRequest, memory: Name, body: Correction) -> Outcome:
    """Replace this memory's value with the right one; with `If-Match`, only if it has not changed."""
    found = await ask.memory.memories.get(memory)
    return await ask.memory.memories.correct(found.id, body.value, why=body.why, seen=_seen(ask))


@routes.delete("/memories/{memory}")
async def forget_memory(ask: ApiRequest, memory: Name) -> Outcome:
    """Forget this memory so that it can be restored; with `If-Match`, only if it has not changed."""
    found = await ask.memory.memories.get(memory)
    return await ask.memory.forget(found.id, seen=_seen(ask))


@routes.post("/memories/{memory}/suppress")
async def suppress_memory(ask: ApiRequest, memory: Name, body: ChangeReason) -> Outcome:
    """Keep this memory, and never mention it; with `If-Match`, only if it has not changed."""
    found = await ask.memory.memories.get(memory)
    return await ask.memory.memories.suppress(found.id, why=body.why, seen=_seen(ask))


@routes.post("/memories/{memory}/restore")
async def restore_memory(ask: ApiRequest, memory: Name, body: ChangeReason) -> Memory:
    """Let a forgotten, replaced or suppressed memory be known and mentioned again; `If-Match` as elsewhere."""
    return await ask.memory.memories.restore(memory, why=body.why, seen=_seen(ask))


@routes.get("/memories/{memory}/history")
async def get_memory_history(ask: ApiRequest, memory: Name) -> ItemList[AuditEntry]:
    """All that happened to one memory, oldest first."""
    owner = ask.memory
    return ItemList(items=await owner.memories.history((await owner.memories.get(memory)).id))


@routes.get("/memories/{memory}/sources")
async def get_memory_sources(ask: ApiRequest, memory: Name) -> ItemList[Message]:
    """List the messages that a memory was learned from and the answers that stated it, oldest first."""
    owner = ask.memory
    return ItemList(items=await owner.memories.sources((await owner.memories.get(memory)).id))


@routes.get("/memories/{memory}/explain")
async def explain_memory(ask: ApiRequest, memory: Name) -> ExplanationAnswer:
    """Explain a memory: the values it has had, what it rests on, what rests on it, its history, and a drawing."""
    explained = await ask.memory.memories.explain(memory)
    drawing = draw(explained, language_of(ask.headers.get("accept-language", "")))
    return ExplanationAnswer(**msgspec.structs.asdict(explained), drawing=str(drawing))


@routes.get("/memories/{memory}/timeline")
async def get_memory_timeline(ask: ApiRequest, memory: Name) -> ItemList[TimelineValue]:
    """Every value that a memory has had, with when it was said and held, oldest first."""
    return ItemList(items=await ask.memory.memories.timeline(memory))


@routes.post("/memories/{memory}/confirm")
async def confirm_memory(ask: ApiRequest, memory: Name) -> Memory:
    """Say that a memory in doubt still holds."""
    return await ask.memory.memories.confirm(memory)


def etag_of(memory: Memory) -> str:
    """Return the ETag of a memory, which changes whenever anything about it does."""
    return f'"{edition_of(memory)}"'


def _seen(ask: ApiRequest) -> frozenset[str] | None:
    """The editions that the caller saw (`If-Match`); None where any will do."""
    wanted = ask.headers.get("if-match")
    if wanted is None or wanted.strip() == "*":
        return None
    return frozenset(text.strip().strip('"') for text in wanted.split(","))


def _given(body: NewMemory) -> DraftOptions:
    """The fields that were given; an absent one leaves the choice to the policy."""
    named = {field: getattr(body, field) for field in ("category", "scope", "source_ref", "conversation")}
    return cast("DraftOptions", {field: value for field, value in named.items() if value is not None})
