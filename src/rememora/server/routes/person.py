"""A person's own data: profile, export of everything, and erasure with its receipt."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rememora.domain.audit import AuditEntry
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.knowledge.export import Imported
from rememora.knowledge.profile import Seeded
from rememora.server.auth import ApiRequest
from rememora.server.routes.memories import Prefix
from rememora.server.routing import Routes
from rememora.server.words import ItemList, Limit, Name, Prose

routes = Routes("person")


class ProfileSeed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base profile, with our field names or those of an onboarding form."""

    profile: dict[str, Any]
    ref: Literal["onboarding", "profile"] = "onboarding"


class ErasureRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Target of an erasure: exactly one of a memory, a topic, a conversation, or the whole person."""

    memory: Name | None = None
    topic: Prefix | None = None
    conversation: Name | None = None
    person: bool = False
    history: bool = True


class ActQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Page of changes: those before a position of the chain."""

    before: Annotated[int, Meta(ge=1, le=2**62)] | None = None
    limit: Limit = 50


class ReceiptCheck(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A receipt to verify, and more text to search for."""

    receipt: Receipt
    suspects: Annotated[list[Prose], Meta(max_length=100)] = []


@routes.get("/profile")
async def get_profile(ask: ApiRequest) -> dict[str, Any]:
    """Return the profile of the person and their company, by key."""
    page = await ask.memory.memories.list(limit=1000, source="profile_seed")
    return {item.key: item.value for item in page.items}


@routes.put("/profile")
async def seed_profile(ask: ApiRequest, body: ProfileSeed) -> Seeded:
    """Write the base profile; repeating it changes nothing. `left` names fields that the caller may not change."""
    return await ask.memory.profile.seed(body.profile, ref=body.ref)


@routes.get("/acts")
async def list_acts(ask: ApiRequest, query: ActQuery) -> ItemList[AuditEntry]:
    """List changes to the user's memory, newest first."""
    return ItemList(items=await ask.memory.audit.list(limit=query.limit, before=query.before))


@routes.get("/export")
async def export_person(ask: ApiRequest) -> dict[str, Any]:
    """Export everything that is stored about the user, as JSON."""
    return await ask.memory.archive.export()


@routes.post("/import")
async def import_person(ask: ApiRequest, body: dict[str, Any]) -> Imported:
    """Import an export; existing items stay as they are."""
    return await ask.memory.archive.load(body)


@routes.post("/erase", once=False, erases=True)
async def erase(ask: ApiRequest, body: ErasureRequest) -> Receipt:
    """Erase permanently; the receipt has counts, and no content."""
    return await ask.memory.erase(
        memory=body.memory,
        topic=body.topic,
        conversation=body.conversation,
        person=body.person,
        history=body.history,
    )


@routes.post("/erase/verify", right="tenant", once=False)
async def verify_receipt(ask: ApiRequest, body: ReceiptCheck) -> ReceiptReport:
    """Verify a receipt, and search the store's files for the erased content."""
    return await ask.company.audit.verify_receipt(body.receipt, suspects=body.suspects)
