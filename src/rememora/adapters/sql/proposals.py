"""Questions to the person, and quarantine, in SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from rememora.adapters.sql.columns import RowDecoder, from_json, of_person, or_none, to_json, to_micros, to_moment
from rememora.adapters.sql.transaction import Repository, Row
from rememora.domain.memory import Proposal, Quarantined
from rememora.domain.question import Asks, questions_of
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.domain.verdict import Origin


class SqlProposals(Repository):
    """Questions that wait for an answer, in SQL."""

    def add(self, scope: Scope, proposal: Proposal) -> None:
        columns = {
            **{name: value for name, value in msgspec.structs.asdict(proposal).items() if name != "questions"},
            **of_person(scope),
            "asks": msgspec.json.encode(proposal.asks).decode(),
            "value": None if proposal.value is None else msgspec.json.encode(proposal.value).decode(),
            "candidates": to_json(proposal.candidates),
            "wish": to_json(proposal.wish),
            "created_at": to_micros(proposal.created_at),
            "expires_at": to_micros(proposal.expires_at),
        }
        self._tx.send("add_proposal", columns)

    def get(self, scope: Scope, id: str) -> Proposal | None:
        return self._find("proposal", {**of_person(scope), "id": id}, lambda row: _proposal(scope, row))

    def all(self, scope: Scope, *, status: str | None) -> list[Proposal]:
        rows = self._tx.all("proposals_of_user", {**of_person(scope), "status": status})
        return [_proposal(scope, row) for row in rows]

    def close(self, scope: Scope, id: str, *, status: str) -> bool:
        return self._tx.run("close_proposal", {**of_person(scope), "id": id, "status": status}) == 1

    def expire(self, scope: Scope, *, now: datetime) -> int:
        return self._tx.run("expire_proposals", {**of_person(scope), "now": to_micros(now)})

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        if plan.person:
            return self._tx.run("erase_proposals", of_person(scope))
        reached = [proposal for proposal in self.all(scope, status=None) if _reaches(plan, proposal)]
        return sum(self._tx.run("erase_proposal", {**of_person(scope), "id": proposal.id}) for proposal in reached)


class SqlQuarantine(Repository):
    """Text kept apart, in SQL."""

    def add(self, scope: Scope, quarantined: Quarantined) -> None:
        columns = {
            **msgspec.structs.asdict(quarantined),
            **of_person(scope),
            "wish": to_json(quarantined.wish),
            "origin": str(quarantined.origin),
            "conversation": quarantined.conversation or "",
            "created_at": to_micros(quarantined.created_at),
            "reviewed_at": None if quarantined.reviewed_at is None else to_micros(quarantined.reviewed_at),
        }
        self._tx.send("add_quarantined", columns)

    def get(self, scope: Scope, id: str) -> Quarantined | None:
        return self._find("quarantined", {"tenant": scope.tenant, "id": id}, lambda row: _held.of(scope, row))

    def page(self, scope: Scope, *, status: str | None, limit: int, after: str) -> list[Quarantined]:
        params = {"tenant": scope.tenant, "status": status, "limit": limit, "after": after}
        return [_held.of(scope, row) for row in self._tx.all("quarantined_of_tenant", params)]

    def of_user(self, scope: Scope) -> list[Quarantined]:
        return [_held.of(scope, row) for row in self._tx.all("quarantined_of_user", of_person(scope))]

    def review(self, scope: Scope, id: str, *, status: str, at: datetime) -> bool:
        word = {"tenant": scope.tenant, "id": id, "status": status, "at": to_micros(at), "by": scope.user}
        return self._tx.run("review_quarantined", word) == 1

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        if plan.person:
            return self._tx.run("erase_quarantine", of_person(scope))
        reached = [proposal for proposal in self.of_user(scope) if _holds(plan, proposal)]
        return sum(
            self._tx.run("erase_quarantined", {**of_person(scope), "id": proposal.id}) for proposal in reached
        )


def _reaches(plan: ErasurePlan, proposal: Proposal) -> bool:
    wish = proposal.wish or {}
    return (
        proposal.key in plan.keys
        or any(id in plan.memories for id in proposal.candidates)
        or (plan.conversation is not None and wish.get("conversation") == plan.conversation)
    )


def _holds(plan: ErasurePlan, quarantined: Quarantined) -> bool:
    wish: dict[str, Any] = quarantined.wish or {}
    in_conversation = plan.conversation is not None and quarantined.conversation == plan.conversation
    return in_conversation or wish.get("key") in plan.keys


def _proposal(scope: Scope, row: Row) -> Proposal:
    id, kind, asks, key, value, candidates, wish, reason, status, created_at, expires_at = row
    form = msgspec.json.decode(asks, type=Asks)
    return Proposal(
        tenant=scope.tenant,
        user=scope.user,
        id=id,
        kind=kind,
        asks=form,
        questions=questions_of(form),
        key=key,
        value=from_json(value) if value else None,
        candidates=tuple(from_json(candidates) or ()),
        wish=from_json(wish) or None,
        reason=reason,
        status=status,
        created_at=to_moment(created_at),
        expires_at=to_moment(expires_at),
    )


# Columns in the order of the queries of what is quarantined.
_held = RowDecoder(
    Quarantined,
    "user id text reason wish origin source_ref conversation status created_at reviewed_at reviewed_by",
    wish=lambda text: from_json(text) or None,
    origin=Origin,
    conversation=or_none,
)
