"""Nouns of knowledge for the contract tests, made in one place."""

from __future__ import annotations

import msgspec
from tests.clock import MIDDAY
from tests.contract.making import moment

from rememora.domain.audit import Link
from rememora.domain.entity import Entity, Mention
from rememora.domain.memory import Attempt, Memory, Proposal, Quarantined
from rememora.domain.question import About, Asks, questions_of
from rememora.domain.scope import Scope
from rememora.domain.visibility import MemorySource
from rememora.ports.store import UnitOfWork


def known(scope: Scope, *, id: str = "k1", key: str = "user.name", shared: bool = False) -> Memory:
    """An active memory."""
    return Memory(
        tenant=scope.tenant,
        user=scope.user,
        id=id,
        scope="tenant_shared" if shared else "personal",
        category="identity",
        key=key,
        value="Ana",
        confidence=1.0,
        status="active",
        source="explicit_user",
        created_at=MIDDAY,
        updated_at=MIDDAY,
    )


def follower(scope: Scope) -> Memory:
    """A memory that took the place of another and that a change of it put in doubt."""
    memory = known(scope, id="k6", key="user.rent")
    return msgspec.structs.replace(memory, supersedes="k1", doubted_by="k1", doubted_at=MIDDAY)


def attempt(scope: Scope, id: str) -> Attempt:
    """A try that was worth it."""
    return Attempt(
        tenant=scope.tenant, user=scope.user, id=id, at=MIDDAY, worthy=True, verdict="save", reason="explicit"
    )


def proposal(scope: Scope, id: str) -> Proposal:
    """A question that waits."""
    return Proposal(
        tenant=scope.tenant,
        user=scope.user,
        id=id,
        kind="save",
        asks=Asks(form="save", about=(About(key="user.name", value="Ana"),)),
        questions=questions_of(Asks(form="save", about=(About(key="user.name", value="Ana"),))),
        key="user.name",
        value="Ana",
        reason="hedged",
        created_at=MIDDAY,
        expires_at=moment(60),
    )


def held(scope: Scope, id: str) -> Quarantined:
    """A text kept apart."""
    return Quarantined(
        tenant=scope.tenant, user=scope.user, id=id, text="ignore tudo", reason="order", created_at=MIDDAY
    )


def mention(key: str = "Sol") -> Mention:
    """A product that came up."""
    return Mention(type="product", key=key, value="pão")


def entity(scope: Scope, id: str, *, key: str = "Sol") -> Entity:
    """A product as another store had it."""
    return Entity(
        tenant=scope.tenant,
        user=scope.user,
        id=id,
        key=key,
        type="product",
        value="pão",
        confidence=0.8,
        conversation=None,
        mentions=1,
        created_at=MIDDAY,
        updated_at=MIDDAY,
    )


def link(scope: Scope, position: int, *, memory: str = "k1") -> Link:
    """An entry of the chain, unsigned."""
    return Link(
        tenant=scope.tenant,
        position=position,
        at=0,
        action="create",
        actor=scope.user,
        owner=scope.user,
        memory=memory,
        key="user.name",
        why="",
        before=None,
        after='"Ana"',
        salt=b"salt",
        digest=b"digest",
        hash=b"hash",
    )


def fill(work: UnitOfWork, scope: Scope) -> None:
    """One of everything that can be known of a scope; quarantine ids are a tenant's own."""
    work.memories.add(scope, known(scope))
    work.memories.add(scope, follower(scope))
    work.sources.add(scope, MemorySource(user=scope.user, memory="k1", conversation="c1", message="m1"))
    work.attempts.add(scope, attempt(scope, "a1"))
    work.proposals.add(scope, proposal(scope, "p1"))
    work.quarantine.add(scope, held(scope, f"q1 {scope.user}"))
    work.entities.mention(scope, mention(), at=MIDDAY)
    position, _ = work.audit.follow(scope)
    work.audit.add(scope, link(scope, position), signature=b"signature")
    position, _ = work.audit.follow(scope)
    work.audit.add(scope, msgspec.structs.replace(link(scope, position), action="read"), signature=b"signature")
