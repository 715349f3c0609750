"""Erases the rows that belong to conversations: one conversation's, or all of a person's."""

from __future__ import annotations

from rememora.adapters.sql.columns import of_person
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope


def erase_history(tx: Transaction, scope: Scope, plan: ErasurePlan, *, one: str, every: str) -> int:
    """Run the query that reaches as far as the erasure; nothing where history is to stay."""
    if not plan.history:
        return 0
    if plan.person:
        return tx.run(every, of_person(scope))
    return tx.run(one, {**of_person(scope), "conversation": plan.conversation})
