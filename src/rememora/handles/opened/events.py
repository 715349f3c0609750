"""Events of every tenant, delivered to subscribers."""

from __future__ import annotations

from collections.abc import Iterable

from rememora.domain.ids import new_id
from rememora.events import consume, outbox
from rememora.events.relay import Listener, relay
from rememora.wiring import opening
from rememora.wiring.parts import Parts


class StoreEvents:
    """The subscribers of every tenant's events."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def subscribe(
        self,
        name: str,
        listener: Listener,
        *,
        types: Iterable[str] | None = None,
        from_start: bool = False,
        resume: bool = False,
        schema: int | None = None,
    ) -> None:
        """Deliver every tenant's events to `listener`; the name remembers across restarts which ones it received.

        `schema` is the version of the event schema it reads; `events.schema_version` where it asks for none.
        One that was away for `events.stale_days` and missed something gets `EventsMissed`, unless it resumes.
        """
        parts = self._parts
        subscriber = outbox.subscriber_of(name, listener, types, self._schema(schema))
        await outbox.subscribe(parts.store, subscriber, from_start=from_start, resume=resume, clock=parts.clock)
        parts.worker.add(
            f"relay-{name}",
            lambda: relay(parts.store, subscriber, settings=parts.settings.events, clock=parts.clock),
        )

    async def webhook(
        self,
        name: str,
        url: str,
        *,
        secret: str,
        types: Iterable[str] | None = None,
        from_start: bool = False,
        resume: bool = False,
        schema: int | None = None,
    ) -> None:
        """Have every tenant's events sent to a URL, one signed POST each, with the subscribers' guarantees."""
        listener = opening.open_webhook(self._parts, url, secret=secret)
        await self.subscribe(name, listener, types=types, from_start=from_start, resume=resume, schema=schema)

    async def relay_to_redis(
        self,
        name: str = "redis",
        *,
        types: Iterable[str] | None = None,
        from_start: bool = False,
        resume: bool = False,
        schema: int | None = None,
    ) -> None:
        """Have every tenant's events added to the stream in Redis, with the subscribers' guarantees."""
        parts, stream = self._parts, opening.open_stream(self._parts)
        subscriber = outbox.subscriber_of(name, stream, types, self._schema(schema))
        await outbox.subscribe(parts.store, subscriber, from_start=from_start, resume=resume, clock=parts.clock)

        async def step() -> bool:
            if not await stream.ready():
                return False
            return await relay(parts.store, subscriber, settings=parts.settings.events, clock=parts.clock)

        parts.worker.add(f"relay-{name}", step)

    async def consume(
        self,
        group: str,
        listener: Listener,
        *,
        consumer: str | None = None,
        types: Iterable[str] | None = None,
        from_start: bool = False,
        schema: int | None = None,
    ) -> None:
        """Deliver events of the stream to `listener`; consumers of one group share its events."""
        parts, stream = self._parts, opening.open_stream(self._parts)
        subscriber = await consume.join(
            stream, group, listener, types=types, from_start=from_start, schema=self._schema(schema)
        )
        reader = consume.Consumer(
            stream, subscriber, name=consumer or new_id(), settings=parts.settings.events, clock=parts.clock
        )
        parts.worker.add(f"consume-{group}-{reader.name}", reader.step, settling=reader.settle)

    async def replay(self, name: str, *, tenant: str, after: int = 0) -> None:
        """Have a subscriber hear a tenant's events again, from after a position on; dead letters too."""
        await outbox.replay(self._parts.store, name, tenant=tenant, after=after)
        self._parts.worker.nudge()

    def _schema(self, wanted: int | None) -> int:
        return self._parts.settings.events.schema_version if wanted is None else wanted
