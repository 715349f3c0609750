"""The seam of vectors that are searched elsewhere: in an engine, or in files mapped into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Near(msgspec.Struct, frozen=True):
    """An item, and the cosine of its vector with the one that was asked about."""

    key: ItemKey
    cosine: float


class Vectors(Protocol):
    """Where a user's vectors are searched when they are too many to be held in memory.

    It follows the index: what is gone is never among the nearest, and what is new soon is. It raises
    `Unavailable` while it cannot answer, and the search goes on without it.
    """

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        """The user's own and the tenant's shared items whose vectors are closest, best first."""
        ...

    async def erase(self, scope: Scope) -> int:
        """Leave nothing of the user behind in derived copies; returns how many vectors that were.

        The user that stands for all of a tenant takes everybody's with it.
        """
        ...

    async def close(self) -> None: ...
