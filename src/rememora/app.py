"""The entry point: `Rememora` opens a store and returns handles to one user or one tenant of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Generator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from rememora import moving
from rememora.context.count import Counter
from rememora.context.render import render
from rememora.domain.context import ContextPack, Form, Placement
from rememora.domain.rights import ADMIN, USER, Actor, Rights
from rememora.domain.scope import SHARED, Scope, owner_of
from rememora.domain.transfer import Transferred
from rememora.errors import InvalidInput
from rememora.handles.deprecated import OldStoreVerbs
from rememora.handles.operator import Operator
from rememora.handles.store import StoreCredentials, StoreEvents, StoreHealth, StoreModules, StoreSessions
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory
from rememora.language import count_tokens
from rememora.ports.outside import Clock, Embedder, Model, Reranker
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.wiring.opening import open_parts
from rememora.wiring.parts import Overrides, Parts, utc_now

HOW_TO_OPEN = (
    "`async with Rememora.open() as rememora:`, or `rememora = await Rememora.open()`; plain code has SyncRememora"
)


class Rememora(OldStoreVerbs):
    """A store with the memory of many tenants; open it once per process."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def __repr__(self) -> str:
        return f"Rememora({self._parts.settings.store.url!r})"

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
    ) -> Opening:
        """Open a store: `async with Rememora.open() as rememora:` or `rememora = await Rememora.open()`.

        `url` is a folder or `:memory:`; without it the settings decide. A `model` writes better summaries than
        the extractive ones; a `reranker` contributes to the order of hits. With `background=False`
        no loop runs in this process, and `rememora work` or `settle()` does the background work.
        """
        outside = Overrides(
            clock=clock, embedder=embedder, reranker=reranker, model=model, responder=responder, counter=counter
        )
        return Opening(_settled(settings, url), outside, background=background)

    @staticmethod
    async def reembed(
        url: str | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Recompute every vector of a store while it is in use, then switch to the new ones; returns how many."""
        return await moving.reembed(_settled(settings, url), embedder=embedder, progress=progress)

    @staticmethod
    async def rekey(
        url: str | None = None, *, settings: Settings | None = None, acting: str, why: str = ""
    ) -> list[str]:
        """Accept the current signing key for chains that another key signed; for operators.

        An entry in each chain records it. Without a key, a new one is created. Returns the tenants concerned.
        """
        return await moving.rekey(_settled(settings, url), acting=acting, why=why)

    @staticmethod
    async def transfer(
        source: str,
        target: str,
        *,
        settings: Settings | None = None,
        verify_only: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Transferred:
        """Copy a whole store into an empty one, on the same engine or another; for operators.

        An interrupted copy resumes. Both stores are compared at the end, row for row; with `verify_only`
        nothing else is done.
        """
        origin, there = _settled(settings, source), _settled(settings, target)
        return await moving.transfer(origin, there, verify_only=verify_only, progress=progress)

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self._parts.settings

    @property
    def policy(self) -> Mapping[str, Any]:
        """Return the memory policy: the rules that every interface follows, as data."""
        return self._parts.desk.policy.document

    def render(self, pack: ContextPack, form: Form, *, placement: Placement = "instructions") -> Any:
        """Render a context for a model: OpenAI Responses or Chat, Anthropic, LangChain, or plain text."""
        return render(pack, form, placement=placement)

    def user(
        self,
        user: str,
        *,
        tenant: str,
        agent: str | None = None,
        rights: Rights = USER,
        acting: str | None = None,
        reason: str = "",
    ) -> UserMemory:
        """Return the memory of one user of one tenant; `rights` are what they may do beyond their own memory.

        With `agent` it is the memory that this agent keeps about the user, separate from those of other agents and
        from the one without an agent; all of them can read the tenant's shared memory.
        `acting` is somebody else who acts for this person: their name is recorded with every action, and they may
        read the memory only if they have the right to, for a `reason` that is recorded too.
        """
        if user == SHARED:
            raise InvalidInput("user", f"{SHARED!r} is reserved for all users of a tenant")
        scope = Scope(tenant, owner_of(user, agent))
        return UserMemory(self._parts, scope, actor=Actor(user if acting is None else acting, rights, reason))

    def tenant(
        self, tenant: str, *, acting: str, rights: Rights = ADMIN, modules: Collection[str] | None = None
    ) -> Tenant:
        """Return the handle of a tenant; `acting` is recorded as the actor, `modules` limits its tasks."""
        return Tenant(self._parts, Scope(tenant, acting), rights=rights, modules=modules)

    def operator(self, *, acting: str) -> Operator:
        """Return the handle across tenants; `acting` is recorded as the actor."""
        return Operator(self._parts, acting)

    @property
    def events(self) -> StoreEvents:
        """Subscribers of every tenant's events: subscribe, webhook, relay_to_redis, consume, replay."""
        return StoreEvents(self._parts)

    @property
    def modules(self) -> StoreModules:
        """Modules that work can be handed to: add, serve."""
        return StoreModules(self._parts)

    @property
    def sessions(self) -> StoreSessions:
        """People who use the pages: sign_in, sign_out, admit, invitations, passwords."""
        return StoreSessions(self._parts)

    @property
    def credentials(self) -> StoreCredentials:
        """Keys, links and confirmations of callers: admit, admit_link, ask_to_confirm, confirm."""
        return StoreCredentials(self._parts)

    @property
    def health(self) -> StoreHealth:
        """Checks of the store and its engines: verify_audit, check_integrity, index_lag …"""
        return StoreHealth(self._parts)

    async def once(
        self, scope: Scope, key: str, *, fingerprint: bytes, act: Callable[[], Awaitable[tuple[int, bytes]]]
    ) -> tuple[int, bytes, bool]:
        """Return status and body of the one answer to a key, and whether it is a repetition.

        The writes of `act` happen once, however often it runs under the key, even if a process dies in between.
        """
        return await self._parts.repeats.once(scope, key, fingerprint=fingerprint, act=act)

    async def warm(self) -> None:
        """Load in advance what the first search or turn needs: the embedder, the gate, the stemmers."""
        await self._parts.turns.gatherer.ready()

    async def settle(self) -> None:
        """Wait until all background work is done, except for later retries."""
        await self._parts.turns.settle()
        await self._parts.worker.settle()

    async def close(self) -> None:
        """Stop the loops, finish submitted work, and close the store."""
        await self._parts.turns.close()
        if self._parts.searcher.made is not None:
            await self._parts.searcher.made.close()
        await self._parts.worker.stop()
        await self._parts.tally.flush()
        await self._parts.trends.flush()
        await self._parts.missions.store.close()
        for close in self._parts.closing:
            await close()
        await self._parts.store.close()


class Opening:
    """A store that is about to be opened: use `async with`, or await it and close it yourself."""

    def __init__(self, settings: Settings, outside: Overrides, *, background: bool) -> None:
        self._settings = settings
        self._outside = outside
        self._background = background
        self._opened: Rememora | None = None

    async def open(self) -> Rememora:
        """Open the engines, and start the loops if they run in this process."""
        parts = await open_parts(self._settings, self._outside)
        opened = Rememora(parts)
        try:
            if self._background:
                await self._begin(opened)
        except BaseException:
            await opened.close()
            raise
        self._opened = opened
        return opened

    async def _begin(self, opened: Rememora) -> None:
        events = self._settings.events
        if self._settings.redis.events:
            await opened.events.relay_to_redis()
        if events.webhook_url:
            # Nobody is there to decide: what was missed is said in the log, and what is left is sent.
            await opened.events.webhook("webhook", events.webhook_url, secret=events.webhook_secret, resume=True)
        opened._parts.worker.start()

    if not TYPE_CHECKING:  # A type checker knows that the verbs are not here, and would stop knowing it.

        def __getattr__(self, name: str) -> NoReturn:
            """Raise an error that explains how to enter the store."""
            raise AttributeError(f"not open yet, so no {name!r}: {HOW_TO_OPEN}")

    def __await__(self) -> Generator[Any, None, Rememora]:
        return self.open().__await__()

    async def __aenter__(self) -> Rememora:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        if self._opened is not None:
            await self._opened.close()


def _settled(settings: Settings | None, url: str | None) -> Settings:
    """Return the settings to open with; an explicit URL overrides theirs."""
    if settings is None:
        return Settings.load({} if url is None else {"store.url": url})
    if url is None:
        return settings
    return msgspec.structs.replace(settings, store=msgspec.structs.replace(settings.store, url=url))
