"""The store and its nouns without `await`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rememora.app import Rememora
from rememora.context.count import Counter
from rememora.domain.context import ContextPack, Form, Placement
from rememora.handles.deprecated import OldStoreVerbs
from rememora.handles.store import StoreCredentials, StoreEvents, StoreHealth, StoreModules, StoreSessions
from rememora.language import count_tokens
from rememora.portal import Portal
from rememora.ports.outside import Clock, Embedder, Model, Reranker
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.sync.shell import Noun, Shell, opens, unopened, verb
from rememora.sync.tenant import SyncOperator, SyncTenant
from rememora.sync.user import SyncUserMemory
from rememora.wiring.parts import utc_now


class SyncStoreCredentials(Shell[StoreCredentials]):
    """The keys, links and confirmations that callers present."""

    admit = verb(StoreCredentials.admit)
    admit_link = verb(StoreCredentials.admit_link)
    ask_to_confirm = verb(StoreCredentials.ask_to_confirm)
    confirm = verb(StoreCredentials.confirm)


class SyncStoreEvents(Shell[StoreEvents]):
    """The subscribers of every tenant's events."""

    subscribe = verb(StoreEvents.subscribe)
    webhook = verb(StoreEvents.webhook)
    relay_to_redis = verb(StoreEvents.relay_to_redis)
    consume = verb(StoreEvents.consume)
    replay = verb(StoreEvents.replay)


class SyncStoreHealth(Shell[StoreHealth]):
    """Checks of the store and its engines."""

    verify_audit = verb(StoreHealth.verify_audit)
    check_signing_key = verb(StoreHealth.check_signing_key)
    check_integrity = verb(StoreHealth.check_integrity)
    index_lag = verb(StoreHealth.index_lag)
    ask_engines = verb(StoreHealth.ask_engines)


class SyncStoreModules(Shell[StoreModules]):
    """The modules of this process: their payload schemas, and the functions that do their work."""

    add = verb(StoreModules.add)
    serve = verb(StoreModules.serve)


class SyncStoreSessions(Shell[StoreSessions]):
    """The sessions and accounts of people who sign in to the pages."""

    sign_in = verb(StoreSessions.sign_in)
    sign_out = verb(StoreSessions.sign_out)
    admit = verb(StoreSessions.admit)
    change_password = verb(StoreSessions.change_password)
    invitation = verb(StoreSessions.invitation)
    accept_invitation = verb(StoreSessions.accept_invitation)
    break_glass = verb(StoreSessions.break_glass)


class SyncRememora(OldStoreVerbs, Shell[Rememora]):
    """A store with the memory of many tenants; open it once per process."""

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
            opening = Rememora.open(
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

    reembed = staticmethod(unopened(Rememora.reembed))
    rekey = staticmethod(unopened(Rememora.rekey))
    transfer = staticmethod(unopened(Rememora.transfer))

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self._inner.settings

    @property
    def policy(self) -> Mapping[str, Any]:
        """Return the memory policy: the rules that every interface follows, as data."""
        return self._inner.policy

    def render(self, pack: ContextPack, form: Form, *, placement: Placement = "instructions") -> Any:
        """Render a context for a model: OpenAI Responses or Chat, Anthropic, LangChain, or plain text."""
        return self._inner.render(pack, form, placement=placement)

    user = opens(Rememora.user, SyncUserMemory)
    tenant = opens(Rememora.tenant, SyncTenant)
    operator = opens(Rememora.operator, SyncOperator)
    events = Noun(SyncStoreEvents)
    modules = Noun(SyncStoreModules)
    sessions = Noun(SyncStoreSessions)
    credentials = Noun(SyncStoreCredentials)
    health = Noun(SyncStoreHealth)
    once = verb(Rememora.once)
    warm = verb(Rememora.warm)
    settle = verb(Rememora.settle)

    def close(self) -> None:
        """Stop the loops, finish submitted work, and close the store."""
        if self._portal.closed:
            return
        try:
            self._portal.run(self._inner.close())
        finally:
            self._portal.close()
