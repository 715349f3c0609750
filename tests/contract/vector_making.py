"""Messages with vectors in a store, for the suites of what searches them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tests.contract.making import RUN, spoken

from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.ports.index import Embedded
from rememora.ports.store import Store
from rememora.ports.vectors import Near

DIMENSION = 16
Vector = NDArray[np.float32]


def random_vectors(count: int, seed: int = 0) -> list[Vector]:
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return list(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


async def embed(store: Store, scope: Scope, vectors: Sequence[Vector]) -> None:
    """Give the waiting items their vectors, in order."""
    items = await store.read(scope, lambda work: work.index.waiting(scope, limit=1000))
    embedded = [
        Embedded(key=item.key, number=item.number, vector=vector.tobytes())
        for item, vector in zip(items, vectors, strict=True)
    ]
    await store.write(scope, lambda work: work.index.embed(scope, embedded, run=RUN))


async def put(store: Store, scope: Scope, vectors: Sequence[Vector]) -> list[ItemKey]:
    """Messages in the index, each with its vector."""
    messages = await spoken(store, scope, [f"<{place}>" for place in range(len(vectors))])
    keys = [ItemKey("message", message.id, message.conversation) for message in messages]
    await store.write(scope, lambda work: work.index.put(scope, keys))
    await embed(store, scope, vectors)
    return keys


def keys_of(neighbours: Sequence[Near]) -> list[ItemKey]:
    return [near.key for near in neighbours]
