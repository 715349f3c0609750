"""Missions in SQL: the header as columns, each section as a row, every change one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from rememora.adapters.sql import journal
from rememora.adapters.sql.columns import of_person, to_micros, to_moment
from rememora.adapters.sql.outbox import SqlOutbox
from rememora.adapters.sql.store import Database
from rememora.adapters.sql.transaction import Params, Row, Transaction
from rememora.domain.event import Payload, event_of
from rememora.domain.mission import Due, Mission, MissionChange
from rememora.domain.mission_codec import dump, load
from rememora.domain.mission_limits import Cutoffs
from rememora.domain.scope import Scope
from rememora.errors import Conflict, NotFound
from rememora.ports.outside import Clock

T = TypeVar("T")


class SqlMissions:
    """The mission store over a SQL database."""

    def __init__(
        self, database: Database, *, clock: Clock, after_write: Callable[[], None] = lambda: None
    ) -> None:
        self._database = database
        self._clock = clock
        self._after_write = after_write

    async def create(self, scope: Scope, mission: Mission, *, events: Sequence[Payload] = ()) -> Mission:
        now = self._clock()
        sections = dump(mission)

        def work(tx: Transaction) -> Mission:
            # The backstop: where nobody sweeps, the next mission takes the expired ones of its tenant away.
            for query in ("remove_outlived_sections", "remove_outlived_missions"):
                tx.run(query, {"tenant": scope.tenant, "now": to_micros(now)})
            tx.run("add_mission", _columns(scope, mission))
            tx.many("put_mission_section", _sections(scope, mission.id, sections))
            _tell(tx, mission.scope, events, now)
            return mission

        return await self._write(scope, work)

    async def get(self, scope: Scope, mission_id: str) -> Mission:
        now = self._clock()
        return await self._database.read(scope.tenant, lambda tx: _mission(tx, "mission", scope, mission_id, now))

    async def change(self, scope: Scope, mission_id: str, *, plan: Callable[[Mission], MissionChange[T]]) -> T:
        now = self._clock()

        def work(tx: Transaction) -> T:
            before = _mission(tx, "mission_to_change", scope, mission_id, now)
            step = plan(before)
            if step.mission is not None:
                _write(tx, scope, before, step.mission)
            _tell(tx, before.scope, step.events, now)
            return step.outcome

        return await self._write(scope, work)

    async def delete(self, scope: Scope, mission_id: str, *, events: Sequence[Payload] = ()) -> bool:
        now = self._clock()

        def work(tx: Transaction) -> bool:
            place = _place(scope, mission_id)
            row = tx.one("remove_mission", {**place, "session": scope.conversation})
            if row is None:
                return False
            tx.run("remove_mission_sections", place)
            _tell(tx, Scope(scope.tenant, scope.user, row[0] or None), events, now)
            return True

        return await self._write(scope, work)

    async def erase(self, scope: Scope) -> int:
        whose = {**of_person(scope), "session": scope.conversation}

        def work(tx: Transaction) -> int:
            tx.run("erase_mission_sections", whose)
            return tx.run("erase_missions", whose)

        return await self._write(scope, work)

    async def find_active(self, scope: Scope, *, limit: int = 50) -> list[Mission]:
        now = self._clock()
        params = {**of_person(scope), "session": scope.conversation}
        return await self._database.read(
            scope.tenant, lambda tx: _found(tx, tx.all("active_missions", {**params, **_until(now, limit)}), now)
        )

    async def find_active_everywhere(self, *, limit: int = 50) -> list[Mission]:
        now = self._clock()
        return await self._database.read(
            None, lambda tx: _found(tx, tx.all("active_missions_everywhere", _until(now, limit)), now)
        )

    async def find_expired_everywhere(self, due: Cutoffs, *, limit: int = 200) -> list[Due]:
        params = {
            **_until(due.now, limit),
            "active_before": to_micros(due.active_before),
            "completed_before": to_micros(due.completed_before),
            "closed_before": to_micros(due.closed_before),
        }
        rows = await self._database.read(None, lambda tx: tx.all("due_missions", params))
        return [_due(row) for row in rows]

    async def scrub_everywhere(self) -> None:
        await self._database.scrub(None, rebuild=False)

    async def close(self) -> None:
        """Nothing: the database is the store's, which closes it."""

    async def _write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        result = await self._database.write(scope.tenant, journal.noted(work))
        self._after_write()
        return result


def _mission(tx: Transaction, query: str, scope: Scope, mission_id: str, now: datetime) -> Mission:
    rows = tx.all(query, {**_place(scope, mission_id), "now": to_micros(now)})
    # A mission of another session is reported as absent, like one of another user.
    if not rows or scope.conversation not in (None, rows[0][0] or None):
        raise NotFound("mission", mission_id)
    session, status, revision, created_at, expires_at, closed_at = rows[0][:6]
    head: dict[str, Any] = {
        "id": mission_id,
        "tenant": scope.tenant,
        "user": scope.user,
        "session": session or None,
        "status": status,
        "revision": revision,
        "created_at": to_moment(created_at),
        "expires_at": to_moment(expires_at),
        "closed_at": None if closed_at is None else to_moment(closed_at),
    }
    return load(head, {section: body for *_, section, body in rows})


def _write(tx: Transaction, scope: Scope, before: Mission, after: Mission) -> None:
    closed_at = None if after.closed_at is None else to_micros(after.closed_at)
    mark = {"status": after.status, "closed_at": closed_at, "revision": before.revision}
    if tx.run("mark_mission", {**_place(scope, before.id), **mark}) != 1:
        raise Conflict(f"the mission {before.id} was changed meanwhile")
    for params in _sections(scope, before.id, dump(after, before=before)):
        tx.run("put_mission_section", params)


def _found(tx: Transaction, rows: list[Row], now: datetime) -> list[Mission]:
    return [_mission(tx, "mission", Scope(tenant, user), id, now) for tenant, user, id in rows]


def _tell(tx: Transaction, scope: Scope, events: Sequence[Payload], now: datetime) -> None:
    outbox = SqlOutbox(tx)
    for payload in events:
        outbox.add(scope, event_of(scope, payload, at=now))


def _place(scope: Scope, mission_id: str) -> dict[str, object]:
    return {**of_person(scope), "mission": mission_id}


def _until(now: datetime, limit: int) -> dict[str, object]:
    return {"now": to_micros(now), "limit": limit}


def _sections(scope: Scope, mission_id: str, sections: dict[str, bytes]) -> list[Params]:
    place = _place(scope, mission_id)
    return [{**place, "section": section, "body": body} for section, body in sections.items()]


def _columns(scope: Scope, mission: Mission) -> dict[str, object]:
    return {
        **_place(scope, mission.id),
        "session": mission.session or "",
        "status": mission.status,
        "revision": mission.revision,
        "created_at": to_micros(mission.created_at),
        "expires_at": to_micros(mission.expires_at),
        "closed_at": None if mission.closed_at is None else to_micros(mission.closed_at),
    }


def _due(row: Row) -> Due:
    tenant, user, session, id, status, expired = row
    return Due(scope=Scope(tenant, user, session or None), mission_id=id, status=status, expired=bool(expired))
