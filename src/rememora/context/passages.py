"""The layers of passages: from other conversations, and from this one before its newest messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import msgspec

from rememora.context.find import Finder
from rememora.context.gather import PackRequest, Source
from rememora.context.notes import OutdatedWords, mark_retold, message_notes, outdated
from rememora.domain.context import Item, Section
from rememora.domain.hit import LIMIT, Hit, Kind, SearchRequest
from rememora.domain.message import Role
from rememora.domain.scope import Scope
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import RecallSettings

KINDS: frozenset[Kind] = frozenset({"message", "episode", "summary"})
# Shown beside a passage, so that the model and a person see why it was chosen.
REASONS: dict[Section, str] = {
    "past": "said earlier in this conversation, close to the question",
    "related": "said in another conversation, close to the question",
}
LOOKED_AT = 4
"""Number of hits per requested passage: no conversation provides more than half of them."""
LEAST_LOOKED_AT = 12
TOKENS_EACH = 20
"""Tokens of a short passage, which limits how many hits a budget needs."""
SMALL_BUDGET = 400
MOST_IN_SMALL = 3


class Passages:
    """Finds passages; those of this conversation and those of the others come from one search."""

    def __init__(self, store: Store, finder: Finder, *, recall: RecallSettings, related: int = 0) -> None:
        self._store = store
        self._finder = finder
        self._recall = recall
        self._related = related

    async def find(
        self, request: PackRequest, *, this_conversation: bool, other_conversations: bool
    ) -> list[Item]:
        """Return passages of this conversation and of others, best first."""
        this_conversation = this_conversation and request.scope.conversation is not None
        if not (this_conversation or other_conversations):
            return []
        # One search serves both layers; each takes its share of the hits afterwards.
        most = self._most(request)
        search = SearchRequest(
            query=request.query,
            limit=_looked_at(request.budget, max(most.values()) if all(most.values()) else 0),
            kinds=KINDS if other_conversations else frozenset({"message"}),
            min_similarity=self._recall.min_similarity,
            conversation=None if other_conversations else request.scope.conversation,
            exclude_conversation=None if this_conversation else request.scope.conversation,
        )
        hits = await self._finder.find(request, search)
        return await self._store.read(request.scope, lambda work: _passages(work, request, hits, most))

    def _most(self, request: PackRequest) -> dict[Section, int]:
        """Return the maximum number of passages per section; 0 for any number."""
        usual = self._recall.limit or (MOST_IN_SMALL if request.budget < SMALL_BUDGET else 0)
        limits = [limit for limit in (self._related, self._recall.limit) if limit]
        return {"past": usual, "related": min(limits) if limits else usual}


def related(passages: Passages, *, with_past: bool) -> Source:
    """Return passages of other conversations, and of this one if its layer leaves them to this search."""

    async def read_related(request: PackRequest) -> list[Item]:
        return await passages.find(
            request, this_conversation=with_past and _requested("past", request), other_conversations=True
        )

    return read_related


def past(passages: Passages, *, alone: bool) -> Source:
    """Return passages of this conversation; empty if the other layer finds them in its own search."""

    async def read_past(request: PackRequest) -> list[Item]:
        searches = alone or not _requested("related", request)
        return await passages.find(request, this_conversation=True, other_conversations=False) if searches else []

    return read_past


def spread(hits: Iterable[Hit], *, limit: int) -> list[Hit]:
    """Return the best hits without repetitions; if they are limited, about half from one conversation at most."""
    kept: list[Hit] = []
    said: set[str] = set()
    # One long conversation about the topic would crowd all others out.
    most = limit // 2 + 1
    for hit in hits:
        crowded = limit and sum(other.conversation == hit.conversation for other in kept) >= most
        if not crowded and hit.content not in said:
            kept.append(hit)
            said.add(hit.content)
        if limit and len(kept) == limit:
            break
    return kept


def _requested(layer: str, request: PackRequest) -> bool:
    return request.only is None or layer in request.only


def _looked_at(budget: int, limit: int) -> int:
    held = max(LEAST_LOOKED_AT, budget // TOKENS_EACH)
    return min(LIMIT, held, limit * LOOKED_AT or held)


def _passages(work: UnitOfWork, request: PackRequest, hits: Sequence[Hit], most: dict[Section, int]) -> list[Item]:
    mine = [hit for hit in hits if _is_of(request.scope, hit)]
    current = _before(work, request, [hit for hit in mine if hit.kind == "message"])
    # One conversation that fits well must not take all the places of the others.
    others = spread((hit for hit in hits if not _is_of(request.scope, hit)), limit=most["related"])
    current = current[: most["past"] or None]
    said = {hit.id: hit.conversation for hit in (*current, *others) if hit.role == "user" and hit.conversation}
    notes = message_notes(work, request.scope, said)
    # Messages carry notes of their own; what was made of several needs to be told which of its values are past.
    past = outdated(work, request.scope) if any(hit.kind != "message" for hit in others) else []
    others = [_with_marks(hit, past) for hit in others]
    return [_passage(hit, "past", notes.get(hit.id, "")) for hit in current] + [
        _passage(hit, "related", notes.get(hit.id, "")) for hit in others
    ]


def _with_marks(hit: Hit, past: Sequence[OutdatedWords]) -> Hit:
    """Return an episode or a summary with its outdated lines marked; messages have notes of their own."""
    if hit.kind == "message":
        return hit
    return msgspec.structs.replace(hit, content=mark_retold(hit.content, past))


def _is_of(scope: Scope, hit: Hit) -> bool:
    return hit.conversation is not None and hit.conversation == scope.conversation


def _before(work: UnitOfWork, request: PackRequest, hits: Sequence[Hit]) -> list[Hit]:
    """Keep messages from before the one being answered, which is not evidence for itself."""
    others = [hit for hit in hits if hit.content.strip() != request.query.strip()]
    if request.before is None or not others:
        return others
    messages = work.messages.with_ids(request.scope, [hit.id for hit in others])
    return [hit for hit in others if hit.id in messages and messages[hit.id].seq < request.before]


def _passage(hit: Hit, section: Section, note: str) -> Item:
    # Only a message was said by somebody; summaries and episodes are the assistant's.
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
        note=note,
    )
