"""The layer across conversations: what was said elsewhere that speaks to the question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

from rememora.context.find import Finder
from rememora.context.gather import Ask, Source
from rememora.domain.context import Item
from rememora.domain.hit import Asked, Hit, Kind
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.gate import load_policy
from rememora.gate.normalise import read
from rememora.gate.orders import find_order
from rememora.ports.store import Store, UnitOfWork

KINDS: frozenset[Kind] = frozenset({"message", "episode", "summary"})
LOOKED_AT = 4
"""How many hits are looked at for each passage wanted: a conversation gives way after its best two."""

PER_CONVERSATION = 2
CHARACTERS_READ = 2_000
MARKS_KEPT = 10_000


def related(store: Store, finder: Finder, *, limit: int) -> Source:
    """At most `limit` passages of the user's other conversations, best first."""

    suspicion = Suspicion()

    async def read_related(ask: Ask) -> list[Item]:
        asked = Asked(
            query=ask.query,
            limit=min(100, limit * LOOKED_AT),
            kinds=KINDS,
            exclude_conversation=ask.scope.conversation,
        )
        hits = spread(filter(suspicion.clears, await finder.find(ask, asked)), limit=limit)
        voices = await store.read(ask.scope, lambda work: _voices(work, ask.scope, hits))
        return [_passage(hit, voices.get(hit.id)) for hit in hits]

    return read_related


class Suspicion:
    """Keeps text that gives orders out of other conversations, as the gate keeps it out of knowledge.

    What was found about a text is remembered by its hash: the text itself is not kept here.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[int, bool] = OrderedDict()

    def clears(self, hit: Hit) -> bool:
        """Whether a passage may be told."""
        mark = hash(hit.content)
        if mark not in self._found:
            reading = read(hit.content[:CHARACTERS_READ])
            self._found[mark] = find_order(reading, load_policy()) is None
            if len(self._found) > MARKS_KEPT:
                self._found.popitem(last=False)
        return self._found[mark]


def spread(hits: Iterable[Hit], *, limit: int) -> list[Hit]:
    """The best hits, with at most two of one conversation, none said twice."""
    kept: list[Hit] = []
    for hit in hits:
        same = [other for other in kept if other.conversation == hit.conversation]
        if len(same) < PER_CONVERSATION and all(other.content != hit.content for other in kept):
            kept.append(hit)
        if len(kept) == limit:
            break
    return kept


def _voices(work: UnitOfWork, scope: Scope, hits: Sequence[Hit]) -> Mapping[str, Message]:
    found: dict[str, Message] = {}
    for hit in hits:
        if hit.kind == "message" and hit.conversation is not None:
            found |= work.messages.with_ids(scope.within(hit.conversation), [hit.id])
    return found


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
