"""What the gate decided and keeps, in SQL, read without its content."""

from __future__ import annotations

from rememora.adapters.sql.columns import to_moment
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.quality import Judged, Known
from rememora.domain.scope import Scope
from rememora.ports.quality import START


class SqlLookback:
    """A tenant's attempts and memories, whoever they are for."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def judged(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[Judged]:
        rows = self._tx.all("judged_after", _from(scope, after, limit))
        return [
            Judged(place=(user, id), at=to_moment(at), verdict=verdict, reason=reason, source=source)
            for user, id, at, verdict, reason, source in rows
        ]

    def known(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[Known]:
        rows = self._tx.all("known_after", _from(scope, after, limit))
        return [
            Known(
                place=(owner, id),
                at=to_moment(at),
                category=category,
                status=status,
                source=source,
                corrects=supersedes is not None,
            )
            for owner, id, at, category, status, source, supersedes in rows
        ]


def _from(scope: Scope, after: tuple[str, str], limit: int) -> dict[str, object]:
    return {"tenant": scope.tenant, "whose": after[0], "id": after[1], "limit": limit}
