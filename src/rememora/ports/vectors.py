"""The seam of vectors: whose are nearest to a question's, in memory, in files, in PostgreSQL or in DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Near(msgspec.Struct, frozen=True):
    """An item, and the cosine of its vector with the one that was asked about."""

    key: ItemKey
    cosine: float


class Vectors(Protocol):
    """Search over a user's vectors: in memory, or in an engine when they are too many for that.

    It follows the index: what is gone is never among the nearest, and what is new soon is. It raises
    `Unavailable` while it cannot answer, and the search goes on without it.
    """

    def has(self, scope: Scope) -> bool:
        """Check whether an index of the user exists, so that no other engine need load their vectors."""
        ...

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        """The user's own and the tenant's shared items whose vectors are closest, best first."""
        ...

    async def erase(self, scope: Scope) -> int:
        """Erase a user's vectors from derived copies; returns how many there were.

        The user that represents a whole tenant takes everybody's with it.
        """
        ...

    async def close(self) -> None: ...


def check_length(vector: NDArray[np.float32], dimension: int) -> None:
    """Refuse a question's vector that is not of the model that made the index."""
    if vector.shape != (dimension,):
        raise InvalidInput("vector", f"must have {dimension} numbers, not {vector.shape}")
