"""Writes the base profile without being asked for: from sign-up, from onboarding, from the profile page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from rememora.domain.event import MemorySeeded
from rememora.domain.memory import MemoryFilter, Outcome, Wish
from rememora.domain.profile import Profile, reach_of
from rememora.domain.rights import ADMIN, Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.errors import InvalidInput
from rememora.knowledge import keep
from rememora.knowledge.desk import Desk, Hand

EVERY = 1_000_000
Ref = Literal["signup", "onboarding", "profile"]


async def seed(
    desk: Desk, scope: Scope, profile: Profile | Mapping[str, Any], *, actor: Actor, ref: Ref
) -> list[Outcome]:
    """Remember a profile; what it says already changes nothing, a changed field takes the old one's place."""
    if ref not in get_args(Ref):
        raise InvalidInput("ref", f"must be one of {', '.join(get_args(Ref))}")
    known = profile if isinstance(profile, Profile) else Profile.of(profile)
    # The form belongs to the host: it may name the company, whoever filled it in.
    filler = Actor(actor.id, ADMIN)
    wishes = [keep.place(desk.policy, wish, filler) for wish in wishes_of(known, ref)]
    judged = [(wish, keep.weigh(desk, wish)) for wish in wishes]
    return await desk.write(scope, filler, lambda hand: _seed(hand, judged, ref))


def wishes_of(profile: Profile, ref: str) -> list[Wish]:
    """What a profile asks to be remembered."""
    return [
        Wish(
            key=key,
            value=value,
            scope=reach_of(key),
            source="profile_seed",
            source_ref=ref,
            origin=Origin.USER_SAID,
        )
        for key, value in profile.values().items()
    ]


def _seed(hand: Hand, judged: list[tuple[Wish, AnyVerdict]], ref: str) -> list[Outcome]:
    fresh = [(wish, verdict) for wish, verdict in judged if not _stands(hand, wish)]
    outcomes = [keep.act(hand, wish, verdict) for wish, verdict in fresh]
    changed = tuple(memory.key for outcome in outcomes for memory in outcome.memories)
    if changed:
        hand.tell(MemorySeeded(ref=ref, changed=changed, unchanged=len(judged) - len(fresh)))
    return outcomes


def _stands(hand: Hand, wish: Wish) -> bool:
    """Whether the profile says nothing new: it is known, or was seeded before and the person changed it since."""
    current = hand.work.memories.active(hand.scope, wish.key, shared=wish.scope == "tenant_shared")
    if current is not None and keep.adds_nothing(wish, current):
        return True
    seeded = MemoryFilter(status=None, scope=wish.scope, source="profile_seed", prefix=wish.key)
    before = [each for each in hand.work.memories.page(hand.scope, seeded, limit=EVERY) if each.key == wish.key]
    last = max(before, key=lambda each: (each.created_at, each.id), default=None)
    return last is not None and last.value == wish.value
