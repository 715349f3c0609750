"""The layer across conversations: what was said elsewhere that speaks to the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rememora.context.find import Finder
from rememora.context.gather import Ask, Source
from rememora.domain.context import Item
from rememora.domain.hit import Asked, Hit, Kind
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.store import Store, UnitOfWork

KINDS: frozenset[Kind] = frozenset({"message", "episode", "summary"})
LOOKED_AT = 4
"""How many hits are looked at for each passage wanted: no conversation gives more than half of them."""


def related(store: Store, finder: Finder, *, limit: int) -> Source:
    """At most `limit` passages of the user's other conversations, best first."""

    async def read_related(ask: Ask) -> list[Item]:
        asked = Asked(
            query=ask.query,
            limit=min(100, limit * LOOKED_AT),
            kinds=KINDS,
            exclude_conversation=ask.scope.conversation,
        )
        found = await finder.find(ask, asked)
        return await store.read(ask.scope, lambda work: _passages(work, ask.scope, found, limit))

    return read_related


def spread(hits: Iterable[Hit], *, limit: int) -> list[Hit]:
    """The best hits, hardly more than half of them from one conversation, none said twice."""
    kept: list[Hit] = []
    most = limit // 2 + 1
    for hit in hits:
        same = [other for other in kept if other.conversation == hit.conversation]
        if len(same) < most and all(other.content != hit.content for other in kept):
            kept.append(hit)
        if len(kept) == limit:
            break
    return kept


def _passages(work: UnitOfWork, scope: Scope, found: Sequence[Hit], limit: int) -> list[Item]:
    return [_passage(hit, _spoken(work, scope, hit)) for hit in spread(found, limit=limit)]


def _spoken(work: UnitOfWork, scope: Scope, hit: Hit) -> Message | None:
    if hit.kind != "message" or hit.conversation is None:
        return None
    return work.messages.with_ids(scope.within(hit.conversation), [hit.id]).get(hit.id)


def _passage(hit: Hit, message: Message | None) -> Item:
    role = None if message is None else message.role
    return Item(
        section="related",
        text=hit.content,
        kind=hit.kind,
        id=hit.id,
        origin="user_said" if role == "user" else role or "assistant",
        reason="said in another conversation, close to the question",
        score=hit.score,
        parts=hit.parts,
        role=role,
        conversation=hit.conversation,
        at=hit.created_at,
    )
