"""`Rememora` without `await`; `make sync` writes this file from `app.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from rememora import app, wiring
from rememora.context.count import Counter
from rememora.domain.audit import ChainReport
from rememora.domain.rights import ADMIN, USER, Rights
from rememora.events.relay import Listener
from rememora.language import count_tokens
from rememora.portal import Portal
from rememora.ports.outside import Clock, Embedder, Model
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.sync.tenant import SyncTenant
from rememora.sync.user import SyncUserMemory


class SyncRememora:
    """The memory of many tenants; open it once per process."""

    def __init__(self, portal: Portal, inner: app.Rememora) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    @classmethod
    def open(
        cls,
        url: str | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock = wiring.utc_now,
        embedder: Embedder | None = None,
        model: Model | None = None,
        responder: Responder | None = None,
        counter: Counter = count_tokens,
        background: bool = True,
    ) -> SyncRememora:
        """Open a store; close it, or use it as a context: `with SyncRememora.open() as rememora:`."""
        portal = Portal()
        try:
            opening = app.Rememora.open(
                url,
                settings=settings,
                clock=clock,
                embedder=embedder,
                model=model,
                responder=responder,
                counter=counter,
                background=background,
            )
            return cls(portal, portal.run(opening.open()))
        except BaseException:
            portal.close()
            raise

    def __enter__(self) -> SyncRememora:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def reembed(
        url: str | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Make every vector of a store anew, as after changing the embedder; returns how many."""
        return asyncio.run(app.Rememora.reembed(url=url, settings=settings, embedder=embedder, progress=progress))

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._inner.settings

    def user(self, user: str, *, tenant: str, rights: Rights = USER) -> SyncUserMemory:
        """The only way in: one user of one tenant; `rights` are what they may do beyond their own memory."""
        return SyncUserMemory(self._portal, self._inner.user(user, tenant=tenant, rights=rights))

    def tenant(self, tenant: str, *, acting: str, rights: Rights = ADMIN) -> SyncTenant:
        """What concerns a whole tenant; `acting` is who does it, for the record."""
        return SyncTenant(self._portal, self._inner.tenant(tenant, acting=acting, rights=rights))

    def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """An operator's act: check the chain of every tenant."""
        return self._portal.run(self._inner.verify_audit(acting=acting))

    def subscribe(
        self, name: str, listener: Listener, *, types: Iterable[str] | None = None, from_start: bool = False
    ) -> None:
        """Have `listener` told of every tenant's events; the name remembers across restarts what it has heard."""
        return self._portal.run(self._inner.subscribe(name, listener, types=types, from_start=from_start))

    def index_lag(self) -> int:
        """Items that are found by words only, until they have their vector."""
        return self._portal.run(self._inner.index_lag())

    def settle(self) -> None:
        """Return when all background work is done; what waits for a later retry is left to it."""
        return self._portal.run(self._inner.settle())

    def close(self) -> None:
        """Stop the loops, finish what was submitted, close the store."""
        if self._portal.closed:
            return
        try:
            self._portal.run(self._inner.close())
        finally:
            self._portal.close()
