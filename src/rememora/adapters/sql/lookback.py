"""The gate's decisions and memories, in SQL, read without content."""

from __future__ import annotations

from rememora.adapters.sql.columns import to_moment
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.quality import JudgedAttempt, KeptMemory
from rememora.domain.scope import Scope
from rememora.ports.quality import START


class SqlLookback:
    """A tenant's attempts and memories, for all users."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def judged(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[JudgedAttempt]:
        rows = self._tx.all("judged_after", _from(scope, after, limit))
        return [
            JudgedAttempt(place=(user, id), at=to_moment(at), verdict=verdict, reason=reason, source=source)
            for user, id, at, verdict, reason, source in rows
        ]

    def known(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[KeptMemory]:
        rows = self._tx.all("known_after", _from(scope, after, limit))
        return [
            KeptMemory(
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
