"""Writes the base profile from sign-up, onboarding and the profile page.

Company fields are shared with the whole tenant. A user without the right to write shared memory fills at most the
fields that are still empty; fields they may not change are left unchanged, and named in the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from rememora.domain.event import MemorySeeded
from rememora.domain.memory import Memory, MemoryDraft, MemoryFilter, Outcome
from rememora.domain.profile import KEYS, Profile, reach_of
from rememora.domain.rights import ADMIN, Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Origin, Save, VerdictReason
from rememora.errors import InvalidInput
from rememora.gate.policy import reason_of
from rememora.knowledge import keep
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter

EVERY = 1_000_000
Ref = Literal["signup", "onboarding", "profile"]
LeftReason = Literal["needs_write_shared", "set_by_admin_system", "not_clear"]


class LeftField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the profile that stayed unchanged, and the reason."""

    field: str
    key: str
    reason: LeftReason
    why: VerdictReason


class Seeded(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a profile: an outcome for each written or judged field, and the unchanged fields."""

    items: tuple[Outcome, ...] = ()
    left: tuple[LeftField, ...] = ()


async def seed(
    knowledge: KnowledgeBase, scope: Scope, profile: Profile | Mapping[str, Any], *, actor: Actor, ref: Ref
) -> Seeded:
    """Save a profile; known values change nothing, a changed field replaces the old one."""
    if ref not in get_args(Ref):
        raise InvalidInput("ref", f"must be one of {', '.join(get_args(Ref))}")
    known = profile if isinstance(profile, Profile) else Profile.of(profile)
    # Placed with every right, because whether a shared field may be filled is only known inside the transaction.
    placing = Actor(actor.id, ADMIN)
    wishes = [keep.place(knowledge.policy, wish, placing) for wish in drafts_of(known, ref)]
    judged = [(wish, keep.weigh(knowledge, wish)) for wish in wishes]
    return await knowledge.write(scope, actor, lambda writer: _seed(writer, judged, ref))


def drafts_of(profile: Profile, ref: str) -> list[MemoryDraft]:
    """Return the drafts that a profile contains."""
    return [
        MemoryDraft(
            key=key,
            value=value,
            scope=reach_of(key),
            source="profile_seed",
            source_ref=ref,
            origin=Origin.USER_SAID,
        )
        for key, value in profile.values().items()
    ]


def plan_field(
    draft: MemoryDraft, verdict: AnyVerdict, current: Memory | None, *, filled: bool, may_share: bool
) -> LeftReason | None:
    """Return why a field stays unchanged; None if it may be written.

    `current` is the memory under its key, and `filled` whether there is or was one that is still stored.
    """
    if current is not None and current.source == "admin_system":
        return "set_by_admin_system"
    if draft.scope != "tenant_shared" or may_share:
        return None
    if filled:
        return "needs_write_shared"
    # A question would be answered by the person, and would then write what others read.
    return None if isinstance(verdict, Save) else "not_clear"


def _seed(writer: KnowledgeWriter, judged: list[tuple[MemoryDraft, AnyVerdict]], ref: str) -> Seeded:
    outcomes: list[Outcome] = []
    left: list[LeftField] = []
    for wish, verdict in judged:
        under = _under(writer, wish)
        current = next((other for other in under if other.status == "active"), None)
        # Seeding twice changes nothing, and what the person has changed since is not undone.
        if _stands(wish, current, under):
            continue
        may_share = writer.actor.rights.write_shared
        reason = plan_field(wish, verdict, current, filled=bool(under), may_share=may_share)
        if reason is None:
            outcomes.append(keep.act(writer, wish, verdict))
        else:
            left.append(
                LeftField(field=_field_of(wish.key), key=wish.key, reason=reason, why=reason_of(f"left.{reason}"))
            )
    changed = tuple(memory.key for outcome in outcomes for memory in outcome.memories)
    if changed:
        unchanged = len(judged) - len(outcomes)
        writer.tell(MemorySeeded(ref=ref, changed=changed, unchanged=unchanged))
    return Seeded(items=tuple(outcomes), left=tuple(left))


def _under(writer: KnowledgeWriter, draft: MemoryDraft) -> list[Memory]:
    """Return every memory under a draft's key, in any status."""
    filters = MemoryFilter(status=None, scope=draft.scope, prefix=draft.key)
    return [
        memory
        for memory in writer.work.memories.page(writer.scope, filters, limit=EVERY)
        if memory.key == draft.key
    ]


def _stands(draft: MemoryDraft, current: Memory | None, under: list[Memory]) -> bool:
    """Return whether the profile says nothing new: it is known, or was seeded and then changed by the person."""
    if current is not None and (keep.adds_nothing(draft, current) or _says_the_same(draft, current)):
        return True
    seeded = (memory for memory in under if memory.source == "profile_seed")
    last = max(seeded, key=lambda other: (other.created_at, other.id), default=None)
    return last is not None and last.value == draft.value


def _says_the_same(draft: MemoryDraft, current: Memory) -> bool:
    return current.source == "admin_system" and current.value == draft.value


def _field_of(key: str) -> str:
    return next(field for field, known in KEYS.items() if known == key)
