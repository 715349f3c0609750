"""What a turn leaves behind once it is answered: the things that were mentioned, counted."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from rememora.domain.entity import Mention
from rememora.domain.scope import Scope
from rememora.knowledge.entities import count_mention, types_of
from rememora.knowledge.mentions import mentions
from rememora.knowledge.mentions.read import read_mentions
from rememora.ports.outside import Clock, Model
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Entities

logger = logging.getLogger(__name__)


async def learn(
    store: Store, scope: Scope, text: str, *, settings: Entities, clock: Clock, model: Model | None = None
) -> int:
    """Count what a text mentions, in one transaction; returns how many things that were."""
    found = None if model is None else await _read(model, scope, text, settings=settings)
    if found is None:
        found = _by_rules(scope, text, settings=settings)
    counted, now = found, clock()

    def count(work: UnitOfWork) -> int:
        for each in counted:
            count_mention(work, scope, each, at=now, cap=settings.max_per_user)
        return len(counted)

    return await store.write(scope, count) if counted else 0


async def _read(model: Model, scope: Scope, text: str, *, settings: Entities) -> Sequence[Mention] | None:
    """What the model reads; None where it gives no answer that can be used."""
    reading = await read_mentions(model, text, types=types_of(settings), conversation=scope.conversation)
    if reading.malformed:
        logger.warning("a model's mentions were dropped as malformed: %d", reading.malformed)
    return None if reading.failed else reading.mentions


def _by_rules(scope: Scope, text: str, *, settings: Entities) -> Sequence[Mention]:
    known = types_of(settings)
    return [
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
