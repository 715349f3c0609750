"""Port of vectors: nearest-neighbour search in memory, in files, in PostgreSQL or in DuckDB."""

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
    """An item, and the cosine of its vector with the query's."""

    key: ItemKey
    cosine: float


class Vectors(Protocol):
    """Search over a user's vectors: in memory, or in an engine if there are too many.

    It follows the index: removed items are never among the nearest, and new items soon are. It raises
    `Unavailable` while it cannot answer, and the search continues without it.
    """

    def has(self, scope: Scope) -> bool:
        """Return whether an index of the user exists, so that no other engine has to load their vectors."""

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        """Return the user's own and the tenant's shared items with the closest vectors, best first."""

    async def erase(self, scope: Scope) -> int:
        """Erase a user's vectors from derived copies; returns how many there were.

        The user that stands for a whole tenant includes the vectors of all its users.
        """

    async def close(self) -> None: ...


def check_length(vector: NDArray[np.float32], dimension: int) -> None:
    """Refuse a query vector of a different model than the index."""
    if vector.shape != (dimension,):
        raise InvalidInput("vector", f"must have {dimension} numbers, not {vector.shape}")
