"""Operations on an open store, for every tenant: events, modules, sessions, credentials, health."""

from __future__ import annotations

from collections.abc import Iterable

from rememora.domain.audit import ChainReport
from rememora.domain.ids import new_id
from rememora.domain.integrity import Integrity
from rememora.domain.login import Invitation, Login, SignInAttempt
from rememora.domain.modules import Module
from rememora.domain.rights import SUPPORT_UNMASKED, Actor
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT, Caller, Confirmation
from rememora.errors import KeyRejected, RightMissing
from rememora.events import consume, outbox
from rememora.events.drain import Drain, Work
from rememora.events.relay import Listener, relay
from rememora.knowledge import audit, keep
from rememora.knowledge.passwords import change_password
from rememora.tenancy import keys, links, logins
from rememora.wiring import opening
from rememora.wiring.parts import Parts


class StoreNoun:
    """A noun of an open store."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts


class StoreCredentials(StoreNoun):
    """The keys, links and confirmations that callers present."""

    async def admit(self, credential: str) -> Caller:
        """Return the owner of a key or a signed link; refuse an invalid one."""
        admit = links.admit if credential.startswith(links.PREFIX) else keys.admit
        return await admit(self._parts.store, credential, clock=self._parts.clock)

    async def admit_link(self, token: str) -> Caller:
        """Admit a signed link to its page; refuse an API key, because URLs are logged and shared."""
        if not token.startswith(links.PREFIX):
            raise KeyRejected
        return await links.admit(self._parts.store, token, clock=self._parts.clock)

    async def ask_to_confirm(self, scope: Scope, act: bytes) -> Confirmation:
        """Issue a token that lets the scope's user confirm one action (its fingerprint) within minutes."""
        return await links.ask_to_confirm(self._parts.store, scope, act, clock=self._parts.clock)

    async def confirm(self, scope: Scope, token: str, act: bytes) -> None:
        """Use up a confirmation, or refuse it."""
        await links.confirm(self._parts.store, scope, token, act, clock=self._parts.clock)


class StoreEvents(StoreNoun):
    """The subscribers of every tenant's events."""

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
        """Deliver every tenant's events to `listener`; the name remembers its position across restarts.

        `schema` is the version of the event schema, `events.schema_version` by default. A subscriber that
        was inactive for `events.stale_days` and missed events gets `EventsMissed`, unless it resumes.
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
        """Send every tenant's events to a URL, one signed POST each, with the guarantees of a subscriber."""
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
        """Publish every tenant's events to the Redis stream, with the guarantees of a subscriber."""
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
        """Deliver events of the stream to `listener`; the consumers of one group share its events."""
        parts, stream = self._parts, opening.open_stream(self._parts)
        subscriber = await consume.join(
            stream, group, listener, types=types, from_start=from_start, schema=self._schema(schema)
        )
        reader = consume.Consumer(
            stream, subscriber, name=consumer or new_id(), settings=parts.settings.events, clock=parts.clock
        )
        parts.worker.add(f"consume-{group}-{reader.name}", reader.step, settling=reader.settle)

    async def replay(self, name: str, *, tenant: str, after: int = 0) -> None:
        """Deliver a tenant's events to a subscriber again, after a position; dead letters included."""
        await outbox.replay(self._parts.store, name, tenant=tenant, after=after)
        self._parts.worker.nudge()

    def _schema(self, version: int | None) -> int:
        return self._parts.settings.events.schema_version if version is None else version


class StoreHealth(StoreNoun):
    """Checks of the store and its engines."""

    async def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """Verify the audit chain of every tenant; for operators."""
        return await audit.verify_all(self._parts.store, acting=acting, signer=self._parts.desk.signer)

    async def check_signing_key(self) -> None:
        """Raise `SigningKeyChanged` if the audit chain was signed with a different key."""
        await audit.check_key(self._parts.store, acting="operator", signer=self._parts.desk.signer)

    async def check_integrity(self) -> Integrity:
        """Check the whole store for damage, reading every page and every row; for operators."""
        return await self._parts.store.integrity()

    async def index_lag(self, *, most: int | None = None) -> int:
        """Count the items that have no vector yet and are found by words only; counting stops at `most`."""
        return await self._parts.store.index(lambda keeper: keeper.lag(most=most), reading=True)

    async def ask_engines(self) -> dict[str, str]:
        """Check each configured engine except the store; the text is empty if it works, else it is the fault."""
        return await opening.ask_engines(self._parts)


class StoreModules(StoreNoun):
    """The modules of this process: their payload schemas, and the functions that do their work."""

    async def add(self, module: Module) -> None:
        """Register a module that work can be handed to, with the schemas of its payloads."""
        self._parts.modules.add(module)

    async def serve(self, name: str, work: Work) -> None:
        """Do a module's tasks with `work`, for every user of every tenant; other processes may serve it too."""
        parts = self._parts
        settings = parts.settings.tasks
        drain = Drain(store=parts.store, module=name, work=work, settings=settings, clock=parts.clock)
        for place in range(settings.at_once):
            parts.worker.add(f"tasks-{name}-{place}", drain.step)


class StoreSessions(StoreNoun):
    """The sessions and accounts of people who sign in to the pages."""

    async def sign_in(self, name: str, password: str, *, address: str = "") -> str:
        """Sign in and return the session's token; refused after too many wrong passwords."""
        parts, tried = self._parts, SignInAttempt(name=name, password=password, address=address)
        return await logins.sign_in(
            parts.store, parts.passwords, tried, settings=parts.settings.access, clock=parts.clock
        )

    async def sign_out(self, token: str) -> None:
        """End a session."""
        await logins.sign_out(self._parts.store, token)

    async def admit(self, token: str, *, acting: bool = True) -> Caller:
        """Return who is signed in; refuse a session that was idle too long. Not `acting`, it goes on idling."""
        parts = self._parts
        return await logins.admit(
            parts.store, token, settings=parts.settings.access, clock=parts.clock, acting=acting
        )

    async def change_password(self, token: str, *, old: str, new: str, address: str = "") -> str:
        """Change the password of a session's account; its sessions end, and a new session's token is returned."""
        parts, caller = self._parts, await self.admit(token)
        tried = SignInAttempt(name=caller.key, password=old, address=address)
        return await change_password(parts.desk, parts.passwords, token, tried=tried, new=new, acting=caller.name)

    async def invitation(self, token: str) -> Invitation:
        """Return the account that an invitation opens; refuse one that is invalid, expired or used."""
        return await logins.invitation_of(self._parts.store, token, clock=self._parts.clock)

    async def accept_invitation(self, token: str, *, name: str, password: str) -> Login:
        """Open the account that an invitation is for."""
        parts = self._parts
        return await logins.accept(
            parts.store, parts.passwords, token, name=name, password=password, clock=parts.clock
        )

    async def break_glass(self, token: str, *, tenant: str, reason: str) -> None:
        """Let support see a tenant's personal data for a while, for a recorded reason."""
        parts, caller = self._parts, await self.admit(token)
        if caller.role != "support" or caller.tenant not in (EVERY_TENANT, tenant):
            raise RightMissing("assist")
        actor = Actor(caller.name, SUPPORT_UNMASKED)
        await keep.look_at_people(parts.desk, Scope(tenant, caller.name), actor=actor, reason=reason)
        await logins.break_glass(
            parts.store, token, tenant=tenant, reason=reason, settings=parts.settings.access, clock=parts.clock
        )
