"""`StoreEvents` without `await`; `make sync` writes this file from `handles/opened/events.py`."""

from __future__ import annotations

from collections.abc import Iterable

from rememora.events.relay import Listener
from rememora.handles.opened import events as wrapped
from rememora.portal import Portal


class SyncStoreEvents:
    """The subscribers of every tenant's events."""

    def __init__(self, portal: Portal, inner: wrapped.StoreEvents) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def subscribe(
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
        One that was away for `events.stale_days` and missed something gets `EventsMissed`, unless it resumes."""
        return self._portal.run(
            self._inner.subscribe(name, listener, types=types, from_start=from_start, resume=resume, schema=schema)
        )

    def webhook(
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
        return self._portal.run(
            self._inner.webhook(
                name, url, secret=secret, types=types, from_start=from_start, resume=resume, schema=schema
            )
        )

    def relay_to_redis(
        self,
        name: str = "redis",
        *,
        types: Iterable[str] | None = None,
        from_start: bool = False,
        resume: bool = False,
        schema: int | None = None,
    ) -> None:
        """Have every tenant's events added to the stream in Redis, with the subscribers' guarantees."""
        return self._portal.run(
            self._inner.relay_to_redis(name, types=types, from_start=from_start, resume=resume, schema=schema)
        )

    def consume(
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
        return self._portal.run(
            self._inner.consume(
                group, listener, consumer=consumer, types=types, from_start=from_start, schema=schema
            )
        )

    def replay(self, name: str, *, tenant: str, after: int = 0) -> None:
        """Have a subscriber hear a tenant's events again, from after a position on; dead letters too."""
        return self._portal.run(self._inner.replay(name, tenant=tenant, after=after))
