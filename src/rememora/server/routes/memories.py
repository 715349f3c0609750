"""Memories: save, list, correct, forget, suppress, restore and explain them."""

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
from rememora.errors import InvalidInput, MemoryRefused
from rememora.language.subjects import ME
from rememora.server.auth import ApiRequest
from rememora.server.routing import RouteAnswer, Routes
from rememora.server.words import Cursor, ItemList, Limit, Moment, Name

routes = Routes("memories")
SEGMENT = "[a-z0-9_][a-z0-9_-]*"
Key = Annotated[str, Meta(min_length=3, max_length=255, pattern=rf"^{SEGMENT}(\.{SEGMENT})+$")]
Attribute = Annotated[str, Meta(min_length=1, max_length=255, pattern=rf"^{SEGMENT}$")]
Prefix = Annotated[str, Meta(min_length=1, max_length=255, pattern=rf"^{SEGMENT}(\.{SEGMENT})*$")]
OPTIONAL = ("category", "scope", "source_ref", "conversation", "subject", "attribute")
"""Fields of a new memory that the policy, or its key, completes."""
Why = Annotated[str, Meta(max_length=500, pattern=r"^[^\x00]*$")]


class NewMemory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact to save, if the gate allows it."""

    key: Key
    value: Any
    category: Name | None = None
    scope: Reach | None = None
    confidence: Annotated[float, Meta(ge=0, le=1)] = 1.0
    source_ref: Name | None = None
    conversation: Name | None = None
    insists: bool = False
    subject: Name | None = None
    attribute: Attribute | None = None


class MemoryQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Filter on memories; by default active ones."""

    limit: Limit = 50
    after: Cursor | None = None
    category: Name | None = None
    scope: Reach | None = None
    source: Source | None = None
    status: Status = "active"
    prefix: Prefix | None = None
    conversation: Name | None = None
    suppressed: bool | None = None
    subject: Name | None = None
    attribute: Attribute | None = None
    as_of: Moment | None = None


class TimelineQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A subject, by default the person, and one of its attributes, which is needed."""

    subject: Name = ME
    attribute: Attribute | None = None


class Correction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The correct value that replaces a wrong one."""

    value: Any
    why: Why = "corrected"


class TargetedCorrection(Correction, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The correct value of a memory, which is given by id, key, topic, category or words."""

    target: Name


class MemoryTarget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Target, by id, key, topic, category or words; `all` for everything."""

    target: Name
    why: Why = ""


class ChangeReason(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reason for the change."""

    why: Why = ""


class ExplanationAnswer(Explained, frozen=True, kw_only=True):
    """An explanation of a memory, with its dependencies drawn as SVG."""

    drawing: str
    """The drawing; empty if the memory has no dependencies. `links` has the same as data."""


def kept(outcome: Outcome) -> RouteAnswer:
    """Answer with what was saved or is asked; a refused or quarantined draft is a problem with its reason."""
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
    options: MemoryFilterOptions = {
        "category": query.category,
        "scope": query.scope,
        "source": query.source,
        "status": query.status,
        "prefix": query.prefix,
        "conversation": query.conversation,
        "suppressed": query.suppressed,
        "subject": query.subject,
        "attribute": query.attribute,
    }
    return await memory.memories.list(limit=query.limit, after=query.after, **options)


@routes.post("/memories", status=201, also=(202,), answer=Outcome)
async def remember(ask: ApiRequest, body: NewMemory) -> RouteAnswer:
    """Save a fact if the gate allows it: 201 saved, 202 the person is asked first, 422 refused with the reason."""
    about: DraftOptions = {"confidence": body.confidence, "insists": body.insists, "origin": Origin.USER_SAID}
    about.update(_given(body))
    return kept(await ask.memory.remember(body.key, body.value, **about))


@routes.post("/memories/correct")
async def correct(ask: ApiRequest, body: TargetedCorrection) -> Outcome:
    """Replace a wrong value with the correct one; returns a question if it is unclear which memory is meant."""
    return await ask.memory.memories.correct(body.target, body.value, why=body.why)


@routes.post("/memories/forget")
async def forget(ask: ApiRequest, body: MemoryTarget) -> Outcome:
    """Forget the target so that it can be restored."""
    return await ask.memory.forget(body.target, why=body.why)


@routes.post("/memories/suppress")
async def suppress(ask: ApiRequest, body: MemoryTarget) -> Outcome:
    """Keep the target, but never mention it."""
    return await ask.memory.memories.suppress(body.target, why=body.why)


@routes.get("/memories/{memory}", answer=Memory)
async def get_memory(ask: ApiRequest, memory: Name) -> RouteAnswer:
    """Return one memory by its id, or the active one under a key; its `ETag` is for `If-Match`."""
    current = await ask.memory.memories.get(memory)
    return RouteAnswer(value=current, etag=etag_of(current))


@routes.patch("/memories/{memory}")
async def correct_memory(ask: ApiRequest, memory: Name, body: Correction) -> Outcome:
    """Replace this memory's value with the correct one; with `If-Match`, only if it has not changed."""
    current = await ask.memory.memories.get(memory)
    return await ask.memory.memories.correct(current.id, body.value, why=body.why, seen=_seen(ask))


@routes.delete("/memories/{memory}")
async def forget_memory(ask: ApiRequest, memory: Name) -> Outcome:
    """Forget this memory so that it can be restored; with `If-Match`, only if it has not changed."""
    current = await ask.memory.memories.get(memory)
    return await ask.memory.forget(current.id, seen=_seen(ask))


@routes.post("/memories/{memory}/suppress")
async def suppress_memory(ask: ApiRequest, memory: Name, body: ChangeReason) -> Outcome:
    """Keep this memory, but never mention it; with `If-Match`, only if it has not changed."""
    current = await ask.memory.memories.get(memory)
    return await ask.memory.memories.suppress(current.id, why=body.why, seen=_seen(ask))


@routes.post("/memories/{memory}/restore")
async def restore_memory(ask: ApiRequest, memory: Name, body: ChangeReason) -> Memory:
    """Restore a forgotten, replaced or suppressed memory; with `If-Match`, only if it has not changed."""
    return await ask.memory.memories.restore(memory, why=body.why, seen=_seen(ask))


@routes.get("/memories/{memory}/history")
async def get_memory_history(ask: ApiRequest, memory: Name) -> ItemList[AuditEntry]:
    """List everything that happened to one memory, oldest first."""
    owner = ask.memory
    return ItemList(items=await owner.memories.history((await owner.memories.get(memory)).id))


@routes.get("/memories/{memory}/sources")
async def get_memory_sources(ask: ApiRequest, memory: Name) -> ItemList[Message]:
    """List the messages that a memory was learned from and the answers that stated it, oldest first."""
    owner = ask.memory
    return ItemList(items=await owner.memories.sources((await owner.memories.get(memory)).id))


@routes.get("/memories/{memory}/explain")
async def explain_memory(ask: ApiRequest, memory: Name) -> ExplanationAnswer:
    """Explain a memory: its values, what it is based on, its dependents, its history, and a drawing."""
    explained = await ask.memory.memories.explain(memory)
    drawing = draw(explained, language_of(ask.headers.get("accept-language", "")))
    return ExplanationAnswer(**msgspec.structs.asdict(explained), drawing=str(drawing))


@routes.get("/memories/{memory}/timeline")
async def get_memory_timeline(ask: ApiRequest, memory: Name) -> ItemList[TimelineValue]:
    """List every value that a memory has had, with its dates, oldest first."""
    return ItemList(items=await ask.memory.memories.timeline(memory))


@routes.get("/timeline")
async def get_timeline(ask: ApiRequest, query: TimelineQuery) -> ItemList[TimelineValue]:
    """List every value that an attribute of a subject has had, with its dates, oldest first."""
    memories = ask.memory.memories
    if query.attribute is None:
        raise InvalidInput("attribute", "is needed, as in `price`")
    return ItemList(items=await memories.timeline(query.subject, query.attribute))


@routes.post("/memories/{memory}/confirm")
async def confirm_memory(ask: ApiRequest, memory: Name) -> Memory:
    """Confirm that a memory in doubt still holds."""
    return await ask.memory.memories.confirm(memory)


def etag_of(memory: Memory) -> str:
    """Return the ETag of a memory, which changes whenever anything about it does."""
    return f'"{edition_of(memory)}"'


def _seen(ask: ApiRequest) -> frozenset[str] | None:
    """Return the editions that the caller saw (`If-Match`); None if any is accepted."""
    etags = ask.headers.get("if-match")
    if etags is None or etags.strip() == "*":
        return None
    return frozenset(text.strip().strip('"') for text in etags.split(","))


def _given(body: NewMemory) -> DraftOptions:
    """Return the fields that were given; for an absent one the policy decides."""
    named = {field: getattr(body, field) for field in OPTIONAL}
    return cast("DraftOptions", {field: value for field, value in named.items() if value is not None})
