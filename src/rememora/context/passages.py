"""The layers of passages: what was said in other conversations, and in this one before its newest messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from rememora.context.find import Finder
from rememora.context.gather import Ask, Source
from rememora.domain.context import Item, Section
from rememora.domain.hit import LIMIT, Asked, Hit, Kind
from rememora.domain.message import Role
from rememora.domain.scope import Scope
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Recall

KINDS: frozenset[Kind] = frozenset({"message", "episode", "summary"})
REASONS: dict[Section, str] = {
    "past": "said earlier in this conversation, close to the question",
    "related": "said in another conversation, close to the question",
}
LOOKED_AT = 4
"""How many hits are looked at for each passage wanted: no conversation gives more than half of them."""
LEAST_LOOKED_AT = 12
TOKENS_EACH = 40
"""Tokens of a short passage with its date: the budget need not be filled with more hits than it holds of these."""
SMALL_BUDGET = 400
MOST_IN_SMALL = 3


class Passages:
    """Finds passages; those of this conversation and those of the others come of one search."""

    def __init__(self, store: Store, finder: Finder, *, recall: Recall, related: int = 0) -> None:
        self._store = store
        self._finder = finder
        self._recall = recall
        self._related = related

    async def find(self, ask: Ask, *, here: bool, elsewhere: bool) -> list[Item]:
        """Passages of this conversation and of others, best first."""
        here = here and ask.scope.conversation is not None
        if not (here or elsewhere):
            return []
        most = self._most(ask)
        asked = Asked(
            query=ask.query,
            limit=_looked_at(ask.budget, max(most.values()) if all(most.values()) else 0),
            kinds=KINDS if elsewhere else frozenset({"message"}),
            min_similarity=self._recall.min_similarity,
            conversation=None if elsewhere else ask.scope.conversation,
            exclude_conversation=None if here else ask.scope.conversation,
        )
        found = await self._finder.find(ask, asked)
        return await self._store.read(ask.scope, lambda work: _passages(work, ask, found, most))

    def _most(self, ask: Ask) -> dict[Section, int]:
        """How many passages of each section there may be; 0 for any number."""
        usual = self._recall.limit or (MOST_IN_SMALL if ask.budget < SMALL_BUDGET else 0)
        limits = [limit for limit in (self._related, self._recall.limit) if limit]
        return {"past": usual, "related": min(limits) if limits else usual}


def related(passages: Passages, *, with_past: bool) -> Source:
    """Passages of the user's other conversations, and of this one where its layer leaves them to this search."""

    async def read_related(ask: Ask) -> list[Item]:
        return await passages.find(ask, here=with_past and _asked("past", ask), elsewhere=True)

    return read_related


def past(passages: Passages, *, alone: bool) -> Source:
    """Passages of this conversation; nothing where the layer of the others finds them in its own search."""

    async def read_past(ask: Ask) -> list[Item]:
        searches = alone or not _asked("related", ask)
        return await passages.find(ask, here=True, elsewhere=False) if searches else []

    return read_past


def spread(hits: Iterable[Hit], *, limit: int) -> list[Hit]:
    """The best hits, none said twice; where they are limited, hardly more than half from one conversation."""
    kept: list[Hit] = []
    said: set[str] = set()
    most = limit // 2 + 1
    for hit in hits:
        crowded = limit and sum(other.conversation == hit.conversation for other in kept) >= most
        if not crowded and hit.content not in said:
            kept.append(hit)
            said.add(hit.content)
        if limit and len(kept) == limit:
            break
    return kept


def _asked(layer: str, ask: Ask) -> bool:
    return ask.only is None or layer in ask.only


def _looked_at(budget: int, limit: int) -> int:
    held = max(LEAST_LOOKED_AT, budget // TOKENS_EACH)
    return min(LIMIT, held, limit * LOOKED_AT or held)


def _passages(work: UnitOfWork, ask: Ask, found: Sequence[Hit], most: dict[Section, int]) -> list[Item]:
    own = [hit for hit in found if _is_of(ask.scope, hit)]
    here = _before(work, ask, [hit for hit in own if hit.kind == "message"])
    others = spread((hit for hit in found if not _is_of(ask.scope, hit)), limit=most["related"])
    return [_passage(hit, "past") for hit in here[: most["past"] or None]] + [
        _passage(hit, "related") for hit in others
    ]


def _is_of(scope: Scope, hit: Hit) -> bool:
    return hit.conversation is not None and hit.conversation == scope.conversation


def _before(work: UnitOfWork, ask: Ask, hits: Sequence[Hit]) -> list[Hit]:
    """Messages of this conversation from before the one being answered, which is not evidence for itself."""
    others = [hit for hit in hits if hit.content.strip() != ask.query.strip()]
    if ask.before is None or not others:
        return others
    found = work.messages.with_ids(ask.scope, [hit.id for hit in others])
    return [hit for hit in others if hit.id in found and found[hit.id].seq < ask.before]


def _passage(hit: Hit, section: Section) -> Item:
    role = cast("Role | None", hit.role or None) if hit.kind == "message" else None
    return Item(
        section=section,
        text=hit.content,
        kind=hit.kind,
        id=hit.id,
        origin="user_said" if role == "user" else role or "assistant",
        reason=REASONS[section],
        score=hit.score,
        parts=hit.parts,
        role=role,
        conversation=hit.conversation,
        at=hit.created_at,
    )
