"""How what hangs on conversations is erased: one conversation's, or all of a person's."""

from __future__ import annotations

from rememora.adapters.sql.columns import of_person
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.receipt import Doomed
from rememora.domain.scope import Scope


def erase_history(tx: Transaction, scope: Scope, doomed: Doomed, *, one: str, every: str) -> int:
    """Run the query that reaches as far as the erasure; nothing where history is to stay."""
    if not doomed.history:
        return 0
    if doomed.person:
        return tx.run(every, of_person(scope))
    return tx.run(one, {**of_person(scope), "conversation": doomed.conversation})
