"""Chores in SQL."""

from __future__ import annotations

from datetime import datetime

from rememora.adapters.sql.columns import of_conversation, to_micros, to_moment
from rememora.adapters.sql.episodes import episode_of
from rememora.adapters.sql.erasing import erase_history
from rememora.adapters.sql.transaction import Repository, Row
from rememora.adapters.sql.unread import waiting_of
from rememora.domain.episode import Episode
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.chores import Chore, Kind
from rememora.ports.unread import UnreadMessage


class SqlChores(Repository):
    """Background chores of a conversation, in SQL."""

    def add(self, scope: Scope, kind: Kind, *, due_at: datetime) -> None:
        self._tx.send("add_chore", {**of_conversation(scope), "kind": kind, "due_at": to_micros(due_at)})

    def claim(self, scope: Scope, kind: Kind, *, seen: datetime, until: datetime) -> bool:
        times = {"seen": to_micros(seen), "until": to_micros(until)}
        return self._tx.run("claim_chore", {**of_conversation(scope), "kind": kind, **times}) == 1

    def postpone(self, scope: Scope, kind: Kind, *, due_at: datetime) -> None:
        self._tx.send("postpone_chore", {**of_conversation(scope), "kind": kind, "due_at": to_micros(due_at)})

    def renew(self, scope: Scope, kind: Kind, *, due_at: datetime) -> None:
        self._tx.send("renew_chore", {**of_conversation(scope), "kind": kind, "due_at": to_micros(due_at)})

    def done(self, scope: Scope, kind: Kind) -> int:
        return self._tx.run("finish_chore", {**of_conversation(scope), "kind": kind})

    def remove(self, scope: Scope) -> int:
        return self._tx.run("remove_chores", of_conversation(scope))

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        return erase_history(self._tx, scope, plan, one="remove_chores", every="erase_chores")


class SqlChoreList(Repository):
    """The chores of every tenant, in SQL."""

    def due(self, kind: Kind, *, now: datetime, limit: int) -> list[Chore]:
        params = {"kind": kind, "now": to_micros(now), "limit": limit}
        return [_chore(row) for row in self._tx.all("due_chores", params)]

    def untold(self, *, limit: int) -> list[Episode]:
        rows = self._tx.all("untold_episodes", {"limit": limit})
        return [episode_of(Scope(row[0], row[1]), row[2:]) for row in rows]

    def expired_documents(self, *, now: datetime, limit: int) -> list[tuple[Scope, str]]:
        rows = self._tx.all("outlived_documents", {"now": to_micros(now), "limit": limit})
        return [(Scope(tenant, user), space) for tenant, user, space in rows]

    def unread(self, *, now: datetime, limit: int) -> list[UnreadMessage]:
        return [waiting_of(row) for row in self._tx.all("due_unread", {"now": to_micros(now), "limit": limit})]


def _chore(row: Row) -> Chore:
    tenant, user, conversation, kind, attempts, due_at = row
    return Chore(scope=Scope(tenant, user, conversation), kind=kind, attempts=attempts, due_at=to_moment(due_at))
