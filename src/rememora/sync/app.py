"""`Rememora` without `await`; `make sync` writes this file from `app.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any

from rememora import app, wiring
from rememora.context.count import Counter
from rememora.domain.audit import ChainReport
from rememora.domain.context import ContextPack, Form, Placement
from rememora.domain.integrity import Integrity
from rememora.domain.login import Invitation, Login
from rememora.domain.modules import Module
from rememora.domain.rights import ADMIN, USER, Rights
from rememora.domain.scope import Scope
from rememora.domain.tenancy import Caller, Confirmation
from rememora.domain.transfer import Transferred
from rememora.events.drain import Work
from rememora.events.relay import Listener
from rememora.language import count_tokens
from rememora.portal import Portal
from rememora.ports.outside import Clock, Embedder, Model, Reranker
from rememora.ports.responder import Responder
from rememora.settings import Settings
from rememora.sync.operator import SyncOperator
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
        self, user: str, *, tenant: str, rights: Rights = USER, acting: str | None = None, reason: str = ""
    ) -> SyncUserMemory:
        """The only way in: one user of one tenant; `rights` are what they may do beyond their own memory.

        `acting` is somebody else who acts for this person: their name goes on record with all they do, and they
        look through what is known only with the right to, for a `reason` that goes on record too."""
        return SyncUserMemory(
            self._portal, self._inner.user(user, tenant=tenant, rights=rights, acting=acting, reason=reason)
        )

    def tenant(
        self, tenant: str, *, acting: str, rights: Rights = ADMIN, modules: Collection[str] | None = None
    ) -> SyncTenant:
        """Return the handle of a tenant; `acting` is recorded as the actor, `modules` limits its tasks."""
        return SyncTenant(self._portal, self._inner.tenant(tenant, acting=acting, rights=rights, modules=modules))

    def operator(self, *, acting: str) -> SyncOperator:
        """Return the handle across tenants; `acting` is recorded as the actor."""
        return SyncOperator(self._portal, self._inner.operator(acting=acting))

    def admit(self, credential: str) -> Caller:
        """Return the owner of a key or a signed link; refused when it is not valid."""
        return self._portal.run(self._inner.admit(credential))

    def admit_link(self, token: str) -> Caller:
        """Admit a signed link to its page; an API key is refused, because addresses are logged and shared."""
        return self._portal.run(self._inner.admit_link(token))

    def sign_in(self, name: str, password: str, *, address: str = "") -> str:
        """The token of a session at the pages; too many wrong ones for a name or from an address are refused."""
        return self._portal.run(self._inner.sign_in(name, password, address=address))

    def admit_session(self, token: str) -> Caller:
        """Return who is signed in; refuse a session that was idle for too long."""
        return self._portal.run(self._inner.admit_session(token))

    def change_password(self, token: str, *, old: str, new: str, address: str = "") -> str:
        """Give the account of a session another password; its sessions end, and a new one's token is returned."""
        return self._portal.run(self._inner.change_password(token, old=old, new=new, address=address))

    def sign_out(self, token: str) -> None:
        """End a session."""
        return self._portal.run(self._inner.sign_out(token))

    def invitation(self, token: str) -> Invitation:
        """Return the account that an invitation opens; refuse one that is wrong, late or used."""
        return self._portal.run(self._inner.invitation(token))

    def accept_invitation(self, token: str, *, name: str, password: str) -> Login:
        """Open the account that an invitation is for."""
        return self._portal.run(self._inner.accept_invitation(token, name=name, password=password))

    def break_glass(self, token: str, *, tenant: str, reason: str) -> None:
        """Let support see personal data of a tenant for a while, under a reason that goes on record."""
        return self._portal.run(self._inner.break_glass(token, tenant=tenant, reason=reason))

    def ask_to_confirm(self, scope: Scope, act: bytes) -> Confirmation:
        """A token with which the scope's user confirms one act, given by its fingerprint, within minutes."""
        return self._portal.run(self._inner.ask_to_confirm(scope, act))

    def confirm(self, scope: Scope, token: str, act: bytes) -> None:
        """Use a confirmation up, or refuse it."""
        return self._portal.run(self._inner.confirm(scope, token, act))

    def once(
        self, scope: Scope, key: str, *, fingerprint: bytes, act: Callable[[], Awaitable[tuple[int, bytes]]]
    ) -> tuple[int, bytes, bool]:
        """Return status and body of the one answer to a key, and whether it is a repetition.

        The writes of `act` happen once, however often it runs under the key, even if a process dies meanwhile."""
        return self._portal.run(self._inner.once(scope, key, fingerprint=fingerprint, act=act))

    def verify_audit(self, *, acting: str) -> list[ChainReport]:
        """An operator's act: check the chain of every tenant."""
        return self._portal.run(self._inner.verify_audit(acting=acting))

    def check_signing_key(self) -> None:
        """Raise `SigningKeyChanged` where another key than the one that is here signed the audit chain."""
        return self._portal.run(self._inner.check_signing_key())

    def check_integrity(self) -> Integrity:
        """An operator's act: look through all that is stored for damage; it reads every page and every row."""
        return self._portal.run(self._inner.check_integrity())

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

    def add_module(self, module: Module) -> None:
        """Know one more module that work can be handed to, and the forms of what it takes."""
        return self._portal.run(self._inner.add_module(module))

    def serve_module(self, name: str, work: Work) -> None:
        """Have `work` do what is handed to a module, by every user of every tenant; others may serve it too."""
        return self._portal.run(self._inner.serve_module(name, work))

    def index_lag(self, *, most: int | None = None) -> int:
        """Count the items found by words only, until they have their vector; with `most`, up to that number."""
        return self._portal.run(self._inner.index_lag(most=most))

    def ask_engines(self) -> dict[str, str]:
        """Check each configured engine other than the store; an empty text where it answers, else the fault."""
        return self._portal.run(self._inner.ask_engines())

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
