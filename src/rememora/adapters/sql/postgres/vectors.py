"""The nearest vectors of a user, found by PostgreSQL where they are too many to be held in memory.

An index of neighbours filters by tenant only after it has chosen candidates, and starves small users
(measured: 0.15 of 10 found). So a user with few items is compared with each of them; only a large user is looked
up in the index, which goes on until it has enough, in half precision, and its results are sorted exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rememora.adapters.sql.postgres.session import own_statement
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.postgres.types import Vector
from rememora.adapters.sql.store import Database
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.hit import ItemKey
from rememora.domain.scope import SHARED, Scope
from rememora.ports.vectors import Near, check_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT_ROWS: Final = 20_000
"""Number of items up to which an exact comparison is as fast."""

MOST_DIMENSIONS: Final = 4_000
"""The index takes no more numbers in a vector."""

_SPARE = 4
_LEAST_CANDIDATES = 200
_MOST_CANDIDATES = 1_000


class PostgresVectors:
    """Searches the vectors of one model in the table they are stored in: there is no copy that could be stale."""

    def __init__(self, database: Database, *, model: str, dimension: int, exact_rows: int = EXACT_ROWS) -> None:
        self._database = database
        self._model, self._dimension = model, dimension
        self._exact_rows = exact_rows

    def has(self, scope: Scope) -> bool:
        """Return False: memory is faster for few rows, and loading a user finds those with more."""
        return False

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        """The user's own and the tenant's shared items whose vectors are closest, best first."""
        check_length(vector, self._dimension)
        params = {
            "tenant": scope.tenant,
            "user": scope.user,
            "shared": SHARED,
            "model": self._model,
            "vector": Vector(vector.astype("float32").tobytes()),
            "dimension": len(vector),
            "limit": limit,
            "rows": self._exact_rows + 1,
        }
        return await self._database.read(scope.tenant, lambda transaction: self._search(transaction, params))

    async def erase(self, scope: Scope) -> int:
        """Nothing is held apart: the vectors go with their rows."""
        return 0

    async def close(self) -> None:
        """The database is the store's, which closes it."""

    def _search(self, transaction: Transaction, params: dict[str, object]) -> list[Near]:
        assert isinstance(transaction, PostgresTransaction)
        session = transaction.session
        dimension, limit = params["dimension"], params["limit"]
        assert isinstance(dimension, int)
        assert isinstance(limit, int)
        session.send(own_statement("plan_as_asked"), {})
        [[count]] = session.rows(session.ask(own_statement("count_vectors"), params))
        if count <= self._exact_rows or dimension > MOST_DIMENSIONS:
            rows = session.rows(session.ask(own_statement("nearest_of_all"), params))
        else:
            candidates = min(max(limit * _SPARE, _LEAST_CANDIDATES), _MOST_CANDIDATES)
            session.send(own_statement("search_patiently"), {"candidates": str(candidates)})
            arguments = {**params, "candidates": max(candidates, limit)}
            rows = session.rows(session.ask(own_statement("nearest_by_index", dimension=dimension), arguments))
        return [Near(ItemKey(kind, id, conversation), float(cosine)) for kind, id, conversation, cosine in rows]
