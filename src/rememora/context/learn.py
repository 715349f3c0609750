"""What a turn leaves behind once it is answered: the things that were mentioned, counted."""

from __future__ import annotations

from datetime import datetime

from rememora.domain.entity import Mention
from rememora.domain.scope import Scope
from rememora.knowledge.entities import count_mention, types_of
from rememora.knowledge.mentions import mentions
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Entities


async def learn(store: Store, scope: Scope, text: str, *, settings: Entities, now: datetime) -> int:
    """Count what a text mentions, in one transaction; returns how many things that were."""
    known = types_of(settings)
    found = [
        Mention(
            type=each.type,
            key=each.key,
            value=each.value,
            confidence=each.confidence,
            conversation=scope.conversation,
        )
        for each in mentions(text)
        if each.type in known
    ]

    def count(work: UnitOfWork) -> int:
        for each in found:
            count_mention(work, scope, each, at=now, cap=settings.max_per_user)
        return len(found)

    return await store.write(scope, count) if found else 0
