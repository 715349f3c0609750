"""Messages that a language model is still to read, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rememora.adapters.sql.columns import of_conversation, of_person, to_micros, to_moment
from rememora.adapters.sql.transaction import Repository, Row
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.unread import UnreadMessage


class SqlUnread(Repository):
    """The messages of a user that wait to be read, in SQL."""

    def add(self, scope: Scope, messages: Sequence[str], *, due_at: datetime) -> None:
        place = {**of_conversation(scope), "due_at": to_micros(due_at)}
        for message in messages:
            self._tx.send("add_unread", {**place, "message": message})

    def claim(self, scope: Scope, message: str, *, seen: datetime, until: datetime) -> bool:
        times = {"seen": to_micros(seen), "until": to_micros(until)}
        return self._tx.run("claim_unread", {**of_conversation(scope), "message": message, **times}) == 1

    def postpone(self, scope: Scope, message: str, *, claimed: datetime, due_at: datetime) -> bool:
        times = {"claimed": to_micros(claimed), "due_at": to_micros(due_at)}
        return self._tx.run("postpone_unread", {**of_conversation(scope), "message": message, **times}) == 1

    def done(self, scope: Scope, message: str, *, claimed: datetime) -> bool:
        held = {"message": message, "claimed": to_micros(claimed)}
        return self._tx.run("finish_unread", {**of_conversation(scope), **held}) == 1

    def remove(self, scope: Scope) -> int:
        return self._tx.run("remove_unread", of_conversation(scope))

    def read_no_further(self, scope: Scope) -> None:
        self._tx.send("erase_unread", of_person(scope))

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        if plan.person:
            # Also where history stays: what is known about the person is not to be learned from it again.
            return self._tx.run("erase_unread", of_person(scope))
        if plan.history and plan.conversation is not None:
            return self.remove(scope.within(plan.conversation))
        return 0


def waiting_of(row: Row) -> UnreadMessage:
    """Read a waiting message from its row."""
    tenant, user, conversation, message, attempts, due_at = row
    return UnreadMessage(
        scope=Scope(tenant, user, conversation), message=message, attempts=attempts, due_at=to_moment(due_at)
    )
