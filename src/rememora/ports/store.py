"""Port of the store: one unit of work, with a repository per noun.

A unit of work is a plain function. The store runs it where its connection lives, inside one transaction:
its result is durable when `write` returns, and if it raises, nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from rememora.domain.integrity import Integrity
from rememora.domain.receipt import Residue
from rememora.domain.scope import Scope
from rememora.ports.chores import ChoreList, Chores
from rememora.ports.documents import Documents
from rememora.ports.episodes import Episodes, Summaries
from rememora.ports.history import Conversations, Messages
from rememora.ports.index import Index, IndexKeeper
from rememora.ports.knowledge import Attempts, Audit, Entities, Memories, Proposals, QuarantinedTexts
from rememora.ports.logins import Logins, SignIns
from rememora.ports.outbox import Outbox, Relay
from rememora.ports.quality import Lookback, Trends
from rememora.ports.tasks import TaskList, Tasks
from rememora.ports.tenancy import Accounts, Answers, IdempotentAnswer, Keys, Usages
from rememora.ports.unread import Unread
from rememora.ports.visibility import Sources, Unjudged

T = TypeVar("T")


class UnitOfWork(Protocol):
    """The repositories, all inside one transaction."""

    @property
    def conversations(self) -> Conversations: ...
    @property
    def messages(self) -> Messages: ...
    @property
    def index(self) -> Index: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def sources(self) -> Sources: ...
    @property
    def attempts(self) -> Attempts: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def proposals(self) -> Proposals: ...
    @property
    def quarantine(self) -> QuarantinedTexts: ...
    @property
    def entities(self) -> Entities: ...
    @property
    def documents(self) -> Documents: ...
    @property
    def summaries(self) -> Summaries: ...
    @property
    def episodes(self) -> Episodes: ...
    @property
    def chores(self) -> Chores: ...
    @property
    def unread(self) -> Unread: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def usages(self) -> Usages: ...
    @property
    def answers(self) -> Answers: ...
    @property
    def logins(self) -> Logins: ...
    @property
    def lookback(self) -> Lookback: ...
    @property
    def trends(self) -> Trends: ...


class StoreReader(Protocol):
    """The read side of a store."""

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T: ...


class Store(Protocol):
    """Runs units of work, each bound to a scope."""

    async def write(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T: ...

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T], *, short: bool = False) -> T:
        """A `short` one, of a few rows of one key or range, may run on the event loop if it cannot block."""

    def journal(self, scope: Scope, key: str, begun: IdempotentAnswer) -> AbstractContextManager[None]:
        """Record the writes inside under an idempotency key, each in its own transaction.

        A write that was recorded before is not repeated: it returns its recorded result. `Conflict` if the key
        was used for another request.
        """

    async def relay(self, work: Callable[[Relay], T], *, reading: bool = False) -> T:
        """Run over the outbox of every tenant; for operators."""

    async def index(self, work: Callable[[IndexKeeper], T], *, reading: bool = False) -> T:
        """Run over the index of every user; for operators."""

    async def tenants(self) -> list[str]:
        """List every tenant with an audit chain, memories or attempts; for operators."""

    async def scrub(self, scope: Scope, *, rebuild: bool = False) -> tuple[str, ...]:
        """Remove every byte of deleted content; `rebuild` rewrites the store from its live rows.

        Returns descriptions of places where bytes may remain out of reach.
        """

    async def residue(self, scope: Scope, terms: Sequence[bytes]) -> list[Residue]:
        """Find the places where the store's files hold any of these bytes."""

    async def words(self, scope: Scope) -> dict[bytes, Residue]:
        """Return every word in the store's files, with its first place."""

    async def integrity(self) -> Integrity:
        """Check everything that is stored, for every tenant, for damage; for operators."""

    async def accounts(self, work: Callable[[Accounts], T], *, reading: bool = False) -> T:
        """Run over the accounts and keys of every tenant; for operators."""

    async def sign_ins(self, work: Callable[[SignIns], T], *, reading: bool = False) -> T:
        """Find the owner of a name, a session or an invitation; for operators."""

    async def chores(self, work: Callable[[ChoreList], T]) -> T:
        """Read the chores of every tenant; for operators."""

    async def unjudged(self, work: Callable[[Unjudged], T]) -> T:
        """Find what was stored before visibility was decided at writing; for operators."""

    async def tasks(self, work: Callable[[TaskList], T]) -> T:
        """Read the tasks of every tenant; for operators."""

    def changed(self) -> int | None:
        """Return a number that changes with every write of any process; None if only a query could tell."""

    async def close(self) -> None: ...
