"""The services that knowledge verbs need, and the writer inside one transaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from rememora.domain.audit import Act, Action
from rememora.domain.event import MemorySaveAttempt, Payload, event_of
from rememora.domain.hit import ItemKey
from rememora.domain.ids import new_id
from rememora.domain.ledger import LedgerEntry
from rememora.domain.memory import Attempt, Memory, MemoryDraft
from rememora.domain.receipt import Erasure, Receipt
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.verdict import AnyVerdict
from rememora.domain.visibility import VisibilityVerdict
from rememora.gate import Policy, load_policy
from rememora.history.episode_summary import summarise_again
from rememora.history.summarize import remake
from rememora.knowledge.audit import record
from rememora.language.subjects import OWNERS, subject_key
from rememora.ports.outside import Clock, Ledger, Signer
from rememora.ports.store import Store, UnitOfWork
from rememora.ports.window import WindowCache
from rememora.settings import Settings
from rememora.visibility.follow import cite, conclude, follow, spoken_text

MARK = "#"
"""Prefix of a digest; no key may contain it."""

DIGEST_BYTES = 6
_PURPOSE = b"rememora memory key\0"
_NAMES = b"rememora subject\0"


if TYPE_CHECKING:
    from rememora.statements.meaning import Meaning

LOOP_CHARACTERS = 2_000
"""Length above which texts are judged in a thread, so that the event loop stays responsive."""
T = TypeVar("T")


class KnowledgeWriter(msgspec.Struct, frozen=True, kw_only=True):
    """One actor at one moment inside one transaction: a change is stored with its audit entry and its event."""

    work: UnitOfWork
    scope: Scope
    actor: Actor
    signer: Signer
    settings: Settings
    now: datetime
    hearing: str | None = None
    """The message that is acted on, if any."""
    meaning: Meaning | None = None
    """Compares statements by meaning, if a sentence encoder is available."""
    touched: list[Scope] = []
    """Conversations of which something was hidden or shown, to be seen to once the transaction is over."""
    reached: dict[str, Memory] = {}
    """The memories that a message is compared with, by id, as they were read; empty until they are."""
    changed: set[str] = set()
    """Memories that were changed since, of which the new state has to be read."""

    def record(self, action: Action, memory: Memory | None = None, *, why: str = "", **states: Any) -> int:
        """Write an act into the chain; `before` and `after` say how the memory was and is."""
        if memory is not None:
            self.changed.add(memory.id)
        act = Act(
            action=action,
            actor=self.actor.id,
            owner=self.scope.user if memory is None else memory.owner,
            memory="" if memory is None else memory.id,
            key="" if memory is None else memory.key,
            why=why or self.actor.reason,
            **states,
        )
        return record(self.work, self.scope, act, signer=self.signer, at=self.now)

    def show(self, memory: Memory) -> None:
        """Update the index for a memory, so that recall finds it or no longer does."""
        scope = self.scope.shared() if memory.scope == "tenant_shared" else self.scope
        key = ItemKey("memory", memory.id, memory.conversation or "")
        if memory.status == "active" and not memory.suppressed:
            self.work.index.put(scope, [key])
        else:
            self.work.index.drop(scope, [key])
        self.touched.extend(follow(self.work, self.scope, memory, now=self.now))
        if memory.status == "deprecated" and memory.user:
            # The turns that said it are old knowledge from now on.
            owner = Scope(memory.tenant, memory.user)
            for link in self.work.sources.of_memories(owner, [memory.id]):
                self.work.index.touch(owner, ItemKey("message", link.message, link.conversation))

    def cite(self, memory: Memory, *, ref: str | None = None) -> None:
        """Record the messages that a memory came from: the one it names, and the one that is acted on."""
        if memory.evidence is not None and memory.evidence.startswith(f"{memory.key} = "):
            # A habit comes from all that a person says, and from no message of its own.
            return
        said = memory.evidence or spoken_text(memory.value)
        cite(self.work, self.scope, memory, (memory.source_ref, ref, self.hearing), text=said)

    def conclude(self, ref: str | None, judged: VisibilityVerdict) -> None:
        """Hide the message that the gate refused or quarantined, in the transaction of its verdict."""
        changed = conclude(self.work, self.scope, ref or self.hearing, judged, now=self.now)
        self.touched.extend(changed)

    def may_change(self, memory: Memory) -> bool:
        """Return whether the actor may change a memory: their own always, a shared one with the right."""
        return memory.scope == "personal" or self.actor.rights.write_shared

    def shown(self, key: str) -> str:
        """Return a key as others than its owner see it."""
        return shown_key(key, tenant=self.scope.tenant, signer=self.signer, policy=load_policy())

    def tell(self, payload: Payload) -> None:
        """Add an event to the outbox; keys and names made from a person's words are replaced."""
        masked = payload.masked(self.shown, self._shown_name)
        self.work.outbox.add(self.scope, event_of(self.scope, masked, at=self.now))

    def _shown_name(self, name: str) -> str:
        return shown_name(name, tenant=self.scope.tenant, signer=self.signer, policy=load_policy())

    def attempt(self, verdict: AnyVerdict, draft: MemoryDraft | None, memory: Memory | None = None) -> None:
        """Record an attempt and its verdict, without the content."""
        # Stored for the tenant's figures, and told as an event; neither holds the value.
        tried = Attempt(
            tenant=self.scope.tenant,
            user=self.scope.user,
            id=new_id(),
            at=self.now,
            worthy=verdict.label == "save",
            verdict=verdict.label,
            reason=verdict.reason,
            key=None if draft is None else draft.key,
            category=None if draft is None else draft.category,
            source="inferred" if draft is None else draft.source,
            memory=None if memory is None else memory.id,
        )
        self.work.attempts.add(self.scope, tried)
        self.tell(
            MemorySaveAttempt(
                worthy=tried.worthy,
                verdict=tried.verdict,
                reason=tried.reason,
                key=tried.key,
                category=tried.category,
                source=tried.source,
                memory=tried.memory,
                subject=None if draft is None else draft.told_subject,
                attribute=None if draft is None else draft.told_attribute,
            )
        )


class KnowledgeBase(msgspec.Struct, frozen=True, kw_only=True):
    """The services that knowledge verbs need."""

    store: Store
    clock: Clock
    signer: Signer
    settings: Settings
    ledger: Ledger | None = None
    windows: WindowCache | None = None
    hearing: str | None = None
    meaning: Meaning | None = None

    def heard_in(self, message: str) -> KnowledgeBase:
        """Return a copy for acting on one message: every change is linked with that message."""
        return msgspec.structs.replace(self, hearing=message)

    @property
    def policy(self) -> Policy:
        """The gate's policy, loaded on first use."""
        return load_policy()

    def shown(self, scope: Scope) -> Callable[[str], str]:
        """Return the function that shows keys of a tenant's memories to others than their owners."""
        return partial(shown_key, tenant=scope.tenant, signer=self.signer, policy=self.policy)

    async def write(self, scope: Scope, actor: Actor, work: Callable[[KnowledgeWriter], T]) -> T:
        """Run `work` with a writer in one transaction; summaries of newly hidden content are then withheld."""
        now = self.clock()
        touched: list[Scope] = []
        result = await self.store.write(scope, lambda unit: work(self._hand(unit, scope, actor, now, touched)))
        for place in dict.fromkeys(touched):
            await self.see_to(place)
        return result

    async def see_to(self, place: Scope) -> None:
        """Make withheld summaries of a conversation again, and drop cached copies of its window."""
        if self.windows is not None:
            await self.windows.drop(place)
        await remake(self.store, place, settings=self.settings.summary)
        await summarise_again(self.store, place, settings=self.settings.episodes)

    def signed(self, receipt: Receipt) -> Receipt:
        """Sign the receipt with the store's key."""
        return msgspec.structs.replace(receipt, signature=self.signer.sign(receipt.signed_part()).hex())

    async def note_erasure(self, scope: Scope, erasure: Erasure | None) -> None:
        """Record an erasure in the ledger outside the store; without `erasure`, that of the whole tenant."""
        if self.ledger is not None:
            user = None if erasure is None else scope.user
            await self.ledger.note(
                scope, LedgerEntry(at=self.clock(), tenant=scope.tenant, user=user, erasure=erasure)
            )

    def _hand(
        self, unit: UnitOfWork, scope: Scope, actor: Actor, now: datetime, touched: list[Scope]
    ) -> KnowledgeWriter:
        return KnowledgeWriter(
            work=unit,
            scope=scope,
            actor=actor,
            signer=self.signer,
            settings=self.settings,
            now=now,
            hearing=self.hearing,
            meaning=self.meaning,
            touched=touched,
        )


def state_of(memory: Memory) -> dict[str, Any]:
    """Return a memory's state for the audit chain, before or after a change."""
    state = {
        "value": memory.value,
        "status": memory.status,
        "category": memory.category,
        "confidence": memory.confidence,
        "source": memory.source,
        "origin": str(memory.origin),
    }
    if memory.suppressed:
        state["suppressed"] = True
    return state


def shown_key(key: str, *, tenant: str, signer: Signer, policy: Policy) -> str:
    """Return a key for others than its owner; one that is already masked, or empty, stays unchanged."""
    if not key or MARK in key or key in policy.fixed_keys:
        return key
    digest = signer.seal(_PURPOSE + tenant.encode() + b"\0" + key.encode())[:DIGEST_BYTES].hex()
    return f"{_stem(key, policy)}{MARK}{digest}"


def shown_name(name: str, *, tenant: str, signer: Signer, policy: Policy) -> str:
    """Return a subject or an attribute for others than its owner: a word of the policy, else a digest."""
    if name in OWNERS or name in policy.attributes:
        return name
    digest = signer.seal(_NAMES + tenant.encode() + b"\0" + subject_key(name).encode())[:DIGEST_BYTES].hex()
    return f"{MARK}{digest}"


def _stem(key: str, policy: Policy) -> str:
    """Return the longest prefix of a key that the policy wrote, not the person."""
    stems = [stem for stem in policy.key_stems if key.startswith(stem)]
    return max(stems, key=len, default="")
