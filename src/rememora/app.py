"""The way in: `Rememora`, which opens a store and gives out handles to one user or one tenant of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from rememora import moving, wiring
from rememora.context.count import Counter
from rememora.context.render import render
from rememora.domain.audit import ChainReport
from rememora.domain.context import ContextPack, Form, Placement
from rememora.domain.ids import new_id
from rememora.domain.integrity import Integrity
from rememora.domain.login import Invitation, Login, SignInAttempt
from rememora.domain.modules import Module
from rememora.domain.rights import ADMIN, SUPPORT_UNMASKED, USER, Actor, Rights
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import EVERY_TENANT, Caller, Confirmation
from rememora.domain.transfer import Transferred
from rememora.errors import InvalidInput, KeyRejected, RightMissing
from rememora.events import consume, outbox
from rememora.events.drain import Drain, Work
from rememora.events.relay import Listener, relay
from rememora.handles.operator import Operator
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory
from rememora.knowledge import audit, keep
from rememora.knowledge.passwords import change_password
from rememora.language import count_tokens
from rememora.ports.outside import Clock, Embedder, Model, Reranker
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.tenancy import keys, links, logins
from rememora.wiring import Overrides, Parts

HOW_TO_OPEN = (
    "`async with Rememora.open() as rememora:`, or `rememora = await Rememora.open()`; plain code has SyncRememora"
)


class Rememora:
    """The memory of many tenants; open it once per process."""

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
        clock: Clock = wiring.utc_now,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        model: Model | None = None,
        responder: Responder | None = None,
        counter: Counter = count_tokens,
        background: bool = True,
    ) -> Opening:
        """Open a store: `async with Rememora.open() as rememora:` or `rememora = await Rememora.open()`.

        `url` is a folder or `:memory:`; without it the settings say where. A `model` writes better summaries than
        the extractive ones; a `reranker` has its say in the order of what is recalled. With `background=False`
        no loop runs in this process, and `rememora work` or `settle()` does what writes leave to be done.
        """
        outside = Overrides(
            clock=clock,
            embedder=embedder,
            reranker=reranker,
            model=model,
            responder=responder,
            counter=counter,
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
        """Accept the present signing key for chains that another key signed; an operator's act.

        An entry in each chain records it. Without a key a new one is made. Returns the tenants concerned.
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
        """An operator's act: carry a whole store into an empty one, on the same engine or another.

        What was broken off goes on where it ended. Both stores are compared at the end, row for row; with
        `verify_only` nothing else is done.
        """
        here, there = _settled(settings, source), _settled(settings, target)
        return await moving.transfer(here, there, verify_only=verify_only, progress=progress)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    @property
    def policy(self) -> Mapping[str, Any]:
        """Return the memory policy: the rules that every interface follows, as data."""
        return self._parts.desk.policy.document

    def render(self, pack: ContextPack, form: Form, *, placement: Placement = "instructions") -> Any:
        """A context as a model gets it: for OpenAI Responses or Chat, Anthropic, LangChain, or as text."""
        return render(pack, form, placement=placement)

    def user(
        self, user: str, *, tenant: str, rights: Rights = USER, acting: str | None = None, reason: str = ""
    ) -> UserMemory:
        """The only way in: one user of one tenant; `rights` are what they may do beyond their own memory.

        `acting` is somebody else who acts for this person: their name goes on record with all they do, and they
        look through what is known only with the right to, for a `reason` that goes on record too.
        """
        if user == SHARED:
            raise InvalidInput("user", f"{SHARED!r} is reserved for all users of a tenant")
        scope = Scope(tenant, user)
        return UserMemory(self._parts, scope, actor=Actor(user if acting is None else acting, rights, reason))

    def tenant(
        self, tenant: str, *, acting: str, rights: Rights = ADMIN, modules: Collection[str] | None = None
    ) -> Tenant:
        """Return the handle of a tenant; `acting` is recorded as the actor, `modules` limits its tasks."""
        return Tenant(self._parts, Scope(tenant, acting), rights=rights, modules=modules)

    def operator(self, *, acting: str) -> Operator:
        """Return the handle across tenants; `acting` is recorded as the actor."""
        return Operator(self._parts, acting)

    async def admit(self, credential: str) -> Caller:
        """Return the owner of a key or a signed link; refused when it is not valid."""
        admit = links.admit if credential.startswith(links.PREFIX) else keys.admit
        return await admit(self._parts.store, credential, clock=self._parts.clock)

    async def admit_link(self, token: str) -> Caller:
        """Admit a signed link to its page; an API key is refused, because addresses are logged and shared."""
        if not token.startswith(links.PREFIX):
            raise KeyRejected
        return await links.admit(self._parts.store, token, clock=self._parts.clock)

    async def sign_in(self, name: str, password: str, *, address: str = "") -> str:
        """The token of a session at the pages; too many wrong ones for a name or from an address are refused."""
        parts, tried = self._parts, SignInAttempt(name=name, password=password, address=address)
        return await logins.sign_in(
            parts.store, parts.passwords, tried, settings=parts.settings.access, clock=parts.clock
        )

    async def admit_session(self, token: str) -> Caller:
        """Return who is signed in; refuse a session that was idle for too long."""
        parts = self._parts
        return await logins.admit(parts.store, token, settings=parts.settings.access, clock=parts.clock)

    async def change_password(self, token: str, *, old: str, new: str, address: str = "") -> str:
        """Give the account of a session another password; its sessions end, and a new one's token is returned."""
        parts, caller = self._parts, await self.admit_session(token)
        tried = SignInAttempt(name=caller.key, password=old, address=address)
        return await change_password(parts.desk, parts.passwords, token, tried=tried, new=new, acting=caller.name)

    async def sign_out(self, token: str) -> None:
        """End a session."""
        await logins.sign_out(self._parts.store, token)

    async def invitation(self, token: str) -> Invitation:
        """Return the account that an invitation opens; refuse one that is wrong, late or used."""
        return await logins.invitation_of(self._parts.store, token, clock=self._parts.clock)

    async def accept_invitation(self, token: str, *, name: str, password: str) -> Login:
        """Open the account that an invitation is for."""
        parts = self._parts
        return await logins.accept(
            parts.store, parts.passwords, token, name=name, password=password, clock=parts.clock
        )

    async def break_glass(self, token: str, *, tenant: str, reason: str) -> None:
        """Let support see personal data of a tenant for a while, under a reason that goes on record."""
        parts, caller = self._parts, await self.admit_session(token)
        if caller.role != "support" or caller.tenant not in (EVERY_TENANT, tenant):
            raise RightMissing("assist")
        actor = Actor(caller.name, SUPPORT_UNMASKED)
        await keep.look_at_people(parts.desk, Scope(tenant, caller.name), actor=actor, reason=reason)
        await logins.break_glass(
            parts.store, token, tenant=tenant, reason=reason, settings=parts.settings.access, clock=parts.clock
        )

    async def ask_to_confirm(self, scope: Scope, act: bytes) -> Confirmation:
        """A token with which the scope's user confirms one act, given by its fingerprint, within minutes."""
        return await links.ask_to_confirm(self._parts.store, scope, act, clock=self._parts.clock)

    async def confirm(self, scope: Scope, token: str, act: bytes) -> None:
        """Use a confirmation up, or refuse it."""
        await links.confirm(self._parts.store, scope, token, act, clock=self._parts.clock)

    async def once(
        self, scope: Scope, key: str, *, fingerprint: bytes, act: Callable[[], Awaitable[tuple[int, bytes]]]
    ) -> tuple[int, bytes, bool]:
        """Return status and body of the one answer to a key, and whether it is a repetition.

        The writes of `act` happen once, however often it runs under the key, even if a process dies meanwhile.
        """
        return await self._parts.repeats.once(scope, key, fingerprint=fingerprint, act=act)

    async def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """An operator's act: check the chain of every tenant."""
        return await audit.verify_all(self._parts.store, acting=acting, signer=self._parts.desk.signer)

    async def check_signing_key(self) -> None:
        """Raise `SigningKeyChanged` where another key than the one that is here signed the audit chain."""
        await audit.check_key(self._parts.store, acting="operator", signer=self._parts.desk.signer)

    async def check_integrity(self) -> Integrity:
        """An operator's act: look through all that is stored for damage; it reads every page and every row."""
        return await self._parts.store.integrity()

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
        listener = wiring.open_webhook(self._parts, url, secret=secret)
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
        parts, stream = self._parts, wiring.open_stream(self._parts)
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
        parts, stream = self._parts, wiring.open_stream(self._parts)
        subscriber = await consume.join(
            stream, group, listener, types=types, from_start=from_start, schema=self._schema(schema)
        )
        reader = consume.Consumer(
            stream,
            subscriber,
            name=consumer or new_id(),
            settings=parts.settings.events,
            clock=parts.clock,
        )
        parts.worker.add(f"consume-{group}-{reader.name}", reader.step, settling=reader.settle)

    def _schema(self, wanted: int | None) -> int:
        return self._parts.settings.events.schema_version if wanted is None else wanted

    async def replay(self, name: str, *, tenant: str, after: int = 0) -> None:
        """Have a subscriber hear a tenant's events again, from after a position on; dead letters too."""
        await outbox.replay(self._parts.store, name, tenant=tenant, after=after)
        self._parts.worker.nudge()

    async def add_module(self, module: Module) -> None:
        """Know one more module that work can be handed to, and the forms of what it takes."""
        self._parts.modules.add(module)

    async def serve_module(self, name: str, work: Work) -> None:
        """Have `work` do what is handed to a module, by every user of every tenant; others may serve it too."""
        parts = self._parts
        settings = parts.settings.tasks
        drain = Drain(store=parts.store, module=name, work=work, settings=settings, clock=parts.clock)
        for place in range(settings.at_once):
            parts.worker.add(f"tasks-{name}-{place}", drain.step)

    async def index_lag(self, *, most: int | None = None) -> int:
        """Count the items found by words only, until they have their vector; with `most`, up to that number."""
        return await self._parts.store.index(lambda keeper: keeper.lag(most=most), reading=True)

    async def ask_engines(self) -> dict[str, str]:
        """Check each configured engine other than the store; an empty text where it answers, else the fault."""
        return await wiring.ask_engines(self._parts)

    async def warm(self) -> None:
        """Load now what the first search or turn would have to wait for: the embedder, the gate, the stemmers."""
        await self._parts.turns.gatherer.ready()

    async def settle(self) -> None:
        """Return when all background work is done; what waits for a later retry is left to it."""
        await self._parts.turns.settle()
        await self._parts.worker.settle()

    async def close(self) -> None:
        """Stop the loops, finish what was submitted, close the store."""
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
    """A store about to be opened: enter it with `async with`, or await it and close it yourself."""

    def __init__(self, settings: Settings, outside: Overrides, *, background: bool) -> None:
        self._settings = settings
        self._outside = outside
        self._background = background
        self._opened: Rememora | None = None

    async def open(self) -> Rememora:
        """Open the engines, and start the loops where they run in this process."""
        parts = await wiring.open_parts(self._settings, self._outside)
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
        wanted = self._settings.events
        if self._settings.redis.events:
            await opened.relay_to_redis()
        if wanted.webhook_url:
            # Nobody is there to decide: what was missed is said in the log, and what is left is sent.
            await opened.webhook("webhook", wanted.webhook_url, secret=wanted.webhook_secret, resume=True)
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
    """The settings to open with; a URL that is named beats the one they hold."""
    if settings is None:
        return Settings.load({} if url is None else {"store.url": url})
    if url is None:
        return settings
    return msgspec.structs.replace(settings, store=msgspec.structs.replace(settings.store, url=url))
