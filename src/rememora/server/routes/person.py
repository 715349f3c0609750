"""The person in control: profile, export of everything held, and erasure with its receipt."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from rememora.domain.audit import AuditEntry
from rememora.domain.receipt import Receipt, ReceiptReport
from rememora.knowledge.export import Imported
from rememora.knowledge.profile import Seeded
from rememora.server.auth import Ask
from rememora.server.route import Routes
from rememora.server.routes.memories import Prefix
from rememora.server.words import Limit, Listed, Name, Prose

routes = Routes("person")


class Seed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base profile, under its own names or those of an onboarding form."""

    profile: dict[str, Any]
    ref: Literal["onboarding", "profile"] = "onboarding"


class Erase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be gone: exactly one of a memory, a topic, a conversation, or the whole person."""

    memory: Name | None = None
    topic: Prefix | None = None
    conversation: Name | None = None
    person: bool = False
    history: bool = True


class Earlier(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of the acts: those before a position of the chain."""

    before: Annotated[int, Meta(ge=1, le=2**62)] | None = None
    limit: Limit = 50


class Check(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A receipt to check, and text that is suspected to be left."""

    receipt: Receipt
    suspects: Annotated[list[Prose], Meta(max_length=100)] = []


@routes.get("/profile")
async def get_profile(ask: Ask) -> dict[str, Any]:
    """What is known of the person and their company from the profile, by key."""
    found = await ask.memory.memories(limit=1000, source="profile_seed")
    return {each.key: each.value for each in found.items}


@routes.put("/profile")
async def seed_profile(ask: Ask, body: Seed) -> Seeded:
    """Write the base profile; twice changes nothing. `left` names the fields that the caller may not change."""
    return await ask.memory.seed_profile(body.profile, ref=body.ref)


@routes.get("/acts")
async def list_acts(ask: Ask, query: Earlier) -> Listed[AuditEntry]:
    """What was done to the user's memory, newest first."""
    return Listed(items=await ask.memory.acts(limit=query.limit, before=query.before))


@routes.get("/export")
async def export_person(ask: Ask) -> dict[str, Any]:
    """All that is held about the user, as JSON."""
    return await ask.memory.export()


@routes.post("/import")
async def import_person(ask: Ask, body: dict[str, Any]) -> Imported:
    """Take an export in; what is here already is left as it is."""
    return await ask.memory.import_(body)


@routes.post("/erase", once=False, erases=True)
async def erase(ask: Ask, body: Erase) -> Receipt:
    """Remove for good; the receipt says how much, and nothing of what."""
    return await ask.memory.erase(
        memory=body.memory,
        topic=body.topic,
        conversation=body.conversation,
        person=body.person,
        history=body.history,
    )


@routes.post("/erase/verify", right="tenant", once=False)
async def verify_receipt(ask: Ask, body: Check) -> ReceiptReport:
    """Check a receipt, and look through the store's files for what it stands for."""
    return await ask.company.verify_receipt(body.receipt, suspects=body.suspects)
