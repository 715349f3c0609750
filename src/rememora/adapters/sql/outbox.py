"""The outbox in SQL: a tenant's view, and the operator's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from rememora.adapters.sql.columns import from_json, of_person, to_micros, to_moment
from rememora.adapters.sql.transaction import Repository, Row
from rememora.domain.event import Event
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.outbox import DeliveryState, Parked, Place, Subscribed, SubscriberState

_EVENT_COLUMNS = 10


class SqlOutbox(Repository):
    """Queue of a tenant's events, in SQL."""

    def add(self, scope: Scope, event: Event) -> Event:
        return self.add_all(scope, [event])[0]

    def add_all(self, scope: Scope, events: Sequence[Event]) -> list[Event]:
        if not events:
            return []
        at = to_micros(events[0].occurred_at)
        row = self._tx.one("next_position", {"tenant": scope.tenant, "at": at, "places": len(events)})
        assert row is not None
        first = int(row[0]) - len(events) + 1
        return [self._put(scope, event, position) for position, event in enumerate(events, first)]

    def _put(self, scope: Scope, event: Event, position: int) -> Event:
        placed = msgspec.structs.replace(event, tenant=scope.tenant, position=position)
        self._tx.send(
            "add_event",
            {
                "tenant": scope.tenant,
                "position": placed.position,
                "id": event.id,
                "type": event.type,
                "user": event.user,
                "conversation": event.conversation or "",
                "payload": msgspec.json.encode(event.payload).decode(),
                "occurred_at": to_micros(event.occurred_at),
                "version": event.version,
                "subject": event.subject or "",
            },
        )
        return placed

    def page(self, scope: Scope, *, after: int, limit: int, types: Sequence[str] | None) -> list[Event]:
        matching: list[Event] = []
        while len(matching) < limit:
            rows = self._tx.all("events_after", {"tenant": scope.tenant, "after": after, "limit": limit})
            events = [_event(row) for row in rows]
            # Filtered here and not in SQL: positions have an index, types have none. Read on until the page is
            # full.
            matching += [event for event in events if types is None or event.type in types]
            if len(rows) < limit:
                break
            after = events[-1].position
        return matching[:limit]

    def newest(self, scope: Scope, *, before: int, limit: int) -> list[Event]:
        params = {"tenant": scope.tenant, "before": before, "limit": limit}
        return [_event(row) for row in self._tx.all("events_before", params)]

    def dead(self, scope: Scope, *, limit: int) -> list[Parked]:
        rows = self._tx.all("dead_letters", {"tenant": scope.tenant, "limit": limit})
        return [_parked(row) for row in rows]

    def deliveries(self, scope: Scope) -> list[DeliveryState]:
        rows = self._tx.all("tenant_deliveries", {"tenant": scope.tenant})
        return [
            DeliveryState(subscriber=name, position=position, newest=newest, waiting=waiting, dead=dead)
            for name, position, newest, waiting, dead in rows
        ]

    def revive(self, scope: Scope, *, subscriber: str | None, at: datetime) -> int:
        letters = {"tenant": scope.tenant, "name": subscriber or "", "at": to_micros(at)}
        return self._tx.run("revive_dead", letters)

    def erase(self, scope: Scope, plan: ErasurePlan) -> int:
        rows = self._tx.all("events_of_user", of_person(scope))
        reached = [position for position, place, payload in rows if _speaks_of(plan, place, from_json(payload))]
        for position in reached:
            self._tx.run("erase_parked", {"tenant": scope.tenant, "position": position})
            self._tx.run("erase_event", {"tenant": scope.tenant, "position": position})
        return len(reached)


class SqlRelay(Repository):
    """The operator's view: every tenant's events, for one subscriber."""

    def subscribe(self, name: str, *, from_start: bool, at: datetime) -> None:
        new = self._tx.run("add_subscriber", {"name": name, "at": to_micros(at)}) == 1
        if new and not from_start:
            self._tx.run("start_from_now", {"name": name})

    def subscribers(self) -> list[Subscribed]:
        return [
            Subscribed(
                name=name,
                seen_at=to_moment(seen_at),
                missed=missed,
                relayed_until=to_moment(until) if owner is not None else None,
            )
            for name, seen_at, missed, owner, until in self._tx.all("subscribers", {})
        ]

    def standing(self, name: str) -> SubscriberState | None:
        row = self._tx.one("subscriber_standing", {"name": name})
        return None if row is None else SubscriberState(seen_at=to_moment(row[0]), missed=row[1])

    def see(self, name: str, *, at: datetime) -> None:
        self._tx.run("see_subscriber", {"name": name, "at": to_micros(at)})

    def rewind(self, name: str, *, tenant: str, position: int) -> bool:
        if self._tx.run("revoke_lease", {"name": name}) == 0:
            return False
        place = {"tenant": tenant, "name": name, "position": position}
        self._tx.run("unpark_after", place)
        self._tx.run("set_cursor", place)
        return True

    def claim(self, name: str, *, owner: str, now: datetime, until: datetime) -> bool:
        lease = {"name": name, "owner": owner, "now": to_micros(now), "until": to_micros(until)}
        return self._tx.run("claim_subscriber", lease) == 1

    def renew(self, name: str, *, owner: str, until: datetime) -> bool:
        lease = {"name": name, "owner": owner, "until": to_micros(until)}
        return self._tx.run("renew_subscriber", lease) == 1

    def release(self, name: str, *, owner: str) -> None:
        self._tx.run("release_subscriber", {"name": name, "owner": owner})

    def unheard(self, name: str, *, limit: int) -> list[Event]:
        waiting = self._tx.all("unheard_tenants", {"name": name, "limit": limit})
        # An even share for each, so that nobody waits for another tenant's flood to end.
        share = -(-limit // max(len(waiting), 1))
        events: list[Event] = []
        for tenant, heard in waiting:
            rows = self._tx.all("events_after", {"tenant": tenant, "after": heard, "limit": share})
            events += [_event(row) for row in rows]
        return events[:limit]

    def delivered_before(self, *, before: datetime, away: datetime, limit: int) -> list[Place]:
        moments = {"before": to_micros(before), "away": to_micros(away)}
        rows = self._tx.all("outlived_events", {**moments, "limit": limit})
        return [(row[0], row[1]) for row in rows]

    def prune(self, places: Sequence[Place], *, away: datetime) -> int:
        return sum(self._prune({"tenant": tenant, "position": position}, away) for tenant, position in places)

    def _prune(self, place: Mapping[str, object], away: datetime) -> int:
        self._tx.run("note_missed", {**place, "away": to_micros(away)})
        self._tx.run("erase_parked", place)
        return self._tx.run("erase_event", place)

    def due(self, name: str, *, now: datetime, limit: int) -> list[Parked]:
        params = {"name": name, "now": to_micros(now), "limit": limit}
        return [_parked(row) for row in self._tx.all("due_events", params)]

    def parked_streams(self, name: str) -> set[tuple[str, str, str]]:
        return {(row[0], row[1], row[2]) for row in self._tx.all("parked_streams", {"name": name})}

    def park(self, parked: Parked) -> None:
        event = parked.event
        self._tx.run(
            "park_event",
            {
                "tenant": event.tenant,
                "name": parked.subscriber,
                "position": event.position,
                "user": event.user,
                "conversation": event.conversation or "",
                "attempts": parked.attempts,
                "retry_at": to_micros(parked.retry_at),
                "dead": int(parked.dead),
                "error": parked.error,
            },
        )

    def unpark(self, name: str, event: Event) -> None:
        params = {"tenant": event.tenant, "name": name, "position": event.position}
        self._tx.run("unpark_event", params)

    def advance(self, name: str, *, tenant: str, position: int) -> None:
        self._tx.run("advance_cursor", {"tenant": tenant, "name": name, "position": position})

    def lag(self, name: str) -> int:
        return self._number("unheard_count", {"name": name})


def _speaks_of(plan: ErasurePlan, conversation: str, payload: Mapping[str, object]) -> bool:
    if plan.person or (plan.conversation is not None and conversation == plan.conversation):
        return True
    return payload.get("memory") in plan.memories or payload.get("key") in plan.keys


def _event(row: Row) -> Event:
    tenant, position, id, type, user, conversation, payload, occurred_at, version, subject = row
    return Event(
        id=id,
        type=type,
        tenant=tenant,
        user=user,
        conversation=conversation or None,
        occurred_at=to_moment(occurred_at),
        position=position,
        version=version,
        subject=subject or None,
        payload=from_json(payload),
    )


def _parked(row: Row) -> Parked:
    subscriber, attempts, retry_at, dead, error = row[_EVENT_COLUMNS:]
    return Parked(
        subscriber=subscriber,
        event=_event(row[:_EVENT_COLUMNS]),
        attempts=attempts,
        retry_at=to_moment(retry_at),
        dead=bool(dead),
        error=error,
    )
