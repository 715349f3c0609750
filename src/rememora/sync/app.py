"""`Rememora` without `await`; `make sync` writes this file from `app.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from rememora import app
from rememora import app as wrapped
from rememora.context.count import Counter
from rememora.domain.context import ContextPack, Form, Placement
from rememora.domain.rights import ADMIN, USER, Rights
from rememora.domain.scope import Scope
from rememora.domain.transfer import Transferred
from rememora.handles.deprecated import OldStoreVerbs
from rememora.language import count_tokens
from rememora.portal import Portal
from rememora.ports.outside import Clock, Embedder, Model, Reranker
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.sync.opened.credentials import SyncStoreCredentials
from rememora.sync.opened.events import SyncStoreEvents
from rememora.sync.opened.health import SyncStoreHealth
from rememora.sync.opened.modules import SyncStoreModules
from rememora.sync.opened.sessions import SyncStoreSessions
from rememora.sync.operator import SyncOperator
from rememora.sync.tenant import SyncTenant
from rememora.sync.user import SyncUserMemory
from rememora.wiring.parts import utc_now


class SyncRememora(OldStoreVerbs):
    """The memory of many tenants; open it once per process."""

    def __init__(self, portal: Portal, inner: wrapped.Rememora) -> None:
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
        clock: Clock = utc_now,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
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
                reranker=reranker,
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
        """Recompute every vector of a store while it is in use, then switch to the new ones; returns how many."""
        return asyncio.run(app.Rememora.reembed(url=url, settings=settings, embedder=embedder, progress=progress))

    @staticmethod
    def rekey(
        url: str | None = None, *, settings: Settings | None = None, acting: str, why: str = ""
    ) -> list[str]:
        """Accept the present signing key for chains that another key signed; an operator's act.

        An entry in each chain records it. Without a key a new one is made. Returns the tenants concerned."""
        return asyncio.run(app.Rememora.rekey(url=url, settings=settings, acting=acting, why=why))

    @staticmethod
    def transfer(
        source: str,
        target: str,
        *,
        settings: Settings | None = None,
        verify_only: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Transferred:
        """An operator's act: carry a whole store into an empty one, on the same engine or another.

        What was broken off goes on where it ended. Both stores are compared at the end, row for row; with
        `verify_only` nothing else is done."""
        return asyncio.run(
            app.Rememora.transfer(
                source=source, target=target, settings=settings, verify_only=verify_only, progress=progress
            )
        )

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._inner.settings

    @property
    def policy(self) -> Mapping[str, Any]:
        """Return the memory policy: the rules that every interface follows, as data."""
        return self._inner.policy

    def render(self, pack: ContextPack, form: Form, *, placement: Placement = "instructions") -> Any:
        """A context as a model gets it: for OpenAI Responses or Chat, Anthropic, LangChain, or as text."""
        return self._inner.render(pack, form, placement=placement)

    def user(
        self,
        user: str,
        *,
        tenant: str,
        agent: str | None = None,
        rights: Rights = USER,
        acting: str | None = None,
        reason: str = "",
    ) -> SyncUserMemory:
        """The only way in: one user of one tenant; `rights` are what they may do beyond their own memory.

        With `agent` it is the memory that this agent keeps of the user, apart from those of other agents and from
        the one without an agent; the tenant's shared memory is read by all of them.
        `acting` is somebody else who acts for this person: their name goes on record with all they do, and they
        look through what is known only with the right to, for a `reason` that goes on record too."""
        return SyncUserMemory(
            self._portal,
            self._inner.user(user, tenant=tenant, agent=agent, rights=rights, acting=acting, reason=reason),
        )

    def tenant(
        self, tenant: str, *, acting: str, rights: Rights = ADMIN, modules: Collection[str] | None = None
    ) -> SyncTenant:
        """Return the handle of a tenant; `acting` is recorded as the actor, `modules` limits its tasks."""
        return SyncTenant(self._portal, self._inner.tenant(tenant, acting=acting, rights=rights, modules=modules))

    def operator(self, *, acting: str) -> SyncOperator:
        """Return the handle across tenants; `acting` is recorded as the actor."""
        return SyncOperator(self._portal, self._inner.operator(acting=acting))

    @property
    def events(self) -> SyncStoreEvents:
        """Subscribers of every tenant's events: subscribe, webhook, relay_to_redis, consume, replay."""
        return SyncStoreEvents(self._portal, self._inner.events)

    @property
    def modules(self) -> SyncStoreModules:
        """Modules that work can be handed to: add, serve."""
        return SyncStoreModules(self._portal, self._inner.modules)

    @property
    def sessions(self) -> SyncStoreSessions:
        """People at the pages: sign_in, sign_out, admit, invitations, passwords."""
        return SyncStoreSessions(self._portal, self._inner.sessions)

    @property
    def credentials(self) -> SyncStoreCredentials:
        """Keys, links and confirmations of callers: admit, admit_link, ask_to_confirm, confirm."""
        return SyncStoreCredentials(self._portal, self._inner.credentials)

    @property
    def health(self) -> SyncStoreHealth:
        """Checks of the store and its engines: verify_audit, check_integrity, index_lag …"""
        return SyncStoreHealth(self._portal, self._inner.health)

    def once(
        self, scope: Scope, key: str, *, fingerprint: bytes, act: Callable[[], Awaitable[tuple[int, bytes]]]
    ) -> tuple[int, bytes, bool]:
        """Return status and body of the one answer to a key, and whether it is a repetition.

        The writes of `act` happen once, however often it runs under the key, even if a process dies meanwhile."""
        return self._portal.run(self._inner.once(scope, key, fingerprint=fingerprint, act=act))

    def warm(self) -> None:
        """Load now what the first search or turn would have to wait for: the embedder, the gate, the stemmers."""
        return self._portal.run(self._inner.warm())

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
