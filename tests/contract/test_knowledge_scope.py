"""Scope first, for knowledge: two owners with the same ids and keys, and nothing crosses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from tests.contract.apart import apart
from tests.contract.knowing import (
    attempt,
    entity,
    fill,
    held,
    known,
    link,
    mention,
    proposal,
)
from tests.contract.making import moment
from tests.contract.test_scope import PAIRS
from tests.looped import looped

from rememora.domain.memory import Memory, MemoryFilter
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports import knowledge
from rememora.ports.store import Store, UnitOfWork

Act = Callable[[UnitOfWork, Scope], Any]
LOOKALIKES = {name: PAIRS[name] for name in ("tenant any-many", "tenant case", "user prefix", "swapped")}
PERSON = ErasurePlan(memories=("k1", "k2"), keys=("user.name",), person=True)
EVERYTHING = MemoryFilter(status=None)
PORTS: dict[str, type] = {
    "memories": knowledge.Memories,
    "attempts": knowledge.Attempts,
    "audit": knowledge.Audit,
    "proposals": knowledge.Proposals,
    "quarantine": knowledge.QuarantinedTexts,
    "entities": knowledge.Entities,
}

READINGS: dict[str, Act] = {
    "memories.get": lambda work, scope: _some(work.memories.get(scope, "k1")),
    "memories.with_ids": lambda work, scope: list(work.memories.with_ids(scope, ["k1", "k2"]).values()),
    "memories.are_more": lambda work, scope: [n for n in range(3) if work.memories.are_more(scope, than=n)],
    "memories.active": lambda work, scope: _some(work.memories.active(scope, "user.name", shared=False)),
    "memories.page": lambda work, scope: work.memories.page(scope, EVERYTHING, limit=9),
    "memories.spans_of_key": lambda work, scope: work.memories.spans_of_key(scope, "user.name"),
    "memories.as_of": lambda work, scope: work.memories.as_of(scope, moment(1)),
    "memories.succeeded": lambda work, scope: sorted(work.memories.succeeded(scope, ["k1", "k6"])),
    "memories.newest": lambda work, scope: work.memories.newest(scope, shared=False, limit=9),
    "memories.outdated": lambda work, scope: work.memories.outdated(scope, limit=9),
    "memories.learned_from": lambda work, scope: list(work.memories.learned_from(scope, [("c1", "m1")]).values()),
    "memories.of_key": lambda work, scope: work.memories.of_key(scope, "user.name", shared=False),
    "memories.successors": lambda work, scope: work.memories.successors(scope, known(scope)),
    "memories.resting_on": lambda work, scope: work.memories.resting_on(scope, known(scope)),
    "memories.spans": lambda work, scope: work.memories.spans(scope, known(scope)),
    "attempts.newest": lambda work, scope: work.attempts.newest(scope, limit=9),
    "audit.of_owner": lambda work, scope: work.audit.of_owner(scope, position=0, limit=9),
    "audit.newest_of_owner": lambda work, scope: work.audit.newest_of_owner(scope, before=99, limit=9),
    "proposals.get": lambda work, scope: _some(work.proposals.get(scope, "p1")),
    "proposals.all": lambda work, scope: work.proposals.all(scope, status=None),
    "quarantine.of_user": lambda work, scope: work.quarantine.of_user(scope),
    "entities.get": lambda work, scope: _some(work.entities.get(scope, "Sol")),
    "entities.top": lambda work, scope: work.entities.top(scope, limit=9),
    "entities.every": lambda work, scope: work.entities.every(scope),
}
WRITINGS: dict[str, Act] = {
    "memories.add": lambda work, scope: work.memories.add(scope, known(scope, id="k9", key="user.role_title")),
    "memories.mark": lambda work, scope: work.memories.mark(scope, known(scope), "deleted", at=moment(5)),
    "memories.suppress": lambda work, scope: work.memories.suppress(scope, known(scope), True, at=moment(5)),
    "memories.doubt": lambda work, scope: work.memories.doubt(scope, known(scope), "k6", at=moment(5)),
    "memories.erase": lambda work, scope: work.memories.erase(scope, PERSON),
    "attempts.add": lambda work, scope: work.attempts.add(scope, attempt(scope, "a9")),
    "attempts.erase": lambda work, scope: work.attempts.erase(scope, PERSON),
    "audit.redact": lambda work, scope: work.audit.redact(scope, ErasurePlan(person=True)),
    "proposals.add": lambda work, scope: work.proposals.add(scope, proposal(scope, "p9")),
    "proposals.close": lambda work, scope: work.proposals.close(scope, "p1", status="refused"),
    "proposals.expire": lambda work, scope: work.proposals.expire(scope, now=moment(10**7)),
    "proposals.erase": lambda work, scope: work.proposals.erase(scope, PERSON),
    "quarantine.add": lambda work, scope: work.quarantine.add(scope, held(scope, f"q9 {scope}")),
    "quarantine.erase": lambda work, scope: work.quarantine.erase(scope, PERSON),
    "entities.mention": lambda work, scope: work.entities.mention(scope, mention(), at=moment(5)),
    "entities.evict": lambda work, scope: work.entities.evict(scope, keep="Lua", cap=1),
    "entities.add": lambda work, scope: work.entities.add(scope, entity(scope, "e9", key="Mar")),
    "entities.forget": lambda work, scope: work.entities.forget(scope),
    "entities.erase": lambda work, scope: work.entities.erase(scope, PERSON),
}
OF_THE_TENANT: dict[str, Act] = {
    "attempts.counts": lambda work, scope: work.attempts.counts(scope),
    "audit.head": lambda work, scope: _some(work.audit.head(scope)),
    "audit.follow": lambda work, scope: [work.audit.follow(scope)][1:],
    "audit.add": lambda work, scope: work.audit.add(scope, link(scope, 9), signature=b"s"),
    "audit.after": lambda work, scope: work.audit.after(scope, position=0, limit=9),
    "audit.newest": lambda work, scope: work.audit.newest(scope, before=99, limit=9),
    "audit.of_memory": lambda work, scope: work.audit.of_memory(scope, "k1"),
    "audit.newest_requests": lambda work, scope: work.audit.newest_requests(scope, limit=9),
    "audit.unaudited": lambda work, scope: work.audit.unaudited(scope),
    "quarantine.get": lambda work, scope: _some(work.quarantine.get(scope, "q1")),
    "quarantine.page": lambda work, scope: work.quarantine.page(scope, status=None, limit=9, after=""),
    "quarantine.review": lambda work, scope: (
        work.quarantine.review(scope, "q1", status="rejected", at=moment(5)) or []
    ),
}


def _forgotten_and_back(work: UnitOfWork, scope: Scope) -> list[Any]:
    work.entities.add(scope, msgspec.structs.replace(entity(scope, "e9", key="Mar"), forgotten=True))
    return list(work.entities.restore(scope))


def _hide_entity(work: UnitOfWork, scope: Scope) -> None:
    for result in work.entities.every(scope):
        work.entities.hide(scope, result.id, judged="order", hidden="order")


WRITINGS["entities.restore"] = _forgotten_and_back
WRITINGS["entities.hide"] = _hide_entity


def everything(work: UnitOfWork, scope: Scope) -> dict[str, Any]:
    """All that a scope can see."""
    return {name: read(work, scope) for name, read in READINGS.items()}


@looped("name", READINGS)
@looped("pair", LOOKALIKES.values(), ids=LOOKALIKES, fresh=apart)
async def test_a_reading_sees_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """What is known of another owner under the same ids and keys is not there for me."""
    mine, theirs = pair
    await store.write(theirs, lambda work: fill(work, theirs))

    assert [] == await store.read(mine, lambda work: READINGS[name](work, mine))

    await store.write(mine, lambda work: fill(work, mine))

    assert await store.read(mine, lambda work: READINGS[name](work, mine))


@looped("name", WRITINGS)
@looped("pair", LOOKALIKES.values(), ids=LOOKALIKES, fresh=apart)
async def test_a_writing_touches_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """What I change under my ids leaves the same ids of another owner as they were."""
    mine, theirs = pair
    for scope in pair:
        await store.write(scope, partial(fill, scope=scope))
    before = await store.read(theirs, lambda work: everything(work, theirs))
    mine_before = await store.read(mine, lambda work: everything(work, mine))

    await store.write(mine, lambda work: WRITINGS[name](work, mine))

    assert before == await store.read(theirs, lambda work: everything(work, theirs))
    assert mine_before != await store.read(mine, lambda work: everything(work, mine))


@pytest.mark.parametrize("name", OF_THE_TENANT)
async def test_a_tenants_own_stays_with_the_tenant(store: Store, name: str) -> None:
    """Chains, counts and quarantine of another tenant are not there, and are not changed from here."""
    mine, theirs = Scope("acme", "ana"), Scope("acme2", "ana")
    await store.write(theirs, lambda work: fill(work, theirs))
    seen = list(OF_THE_TENANT)
    looking = [item for item in seen if item not in ("audit.follow", "audit.add", "quarantine.review")]

    def see(work: UnitOfWork) -> dict[str, Any]:
        return {item: OF_THE_TENANT[item](work, theirs) for item in looking}

    before = await store.read(theirs, see)
    result = await store.write(mine, lambda work: OF_THE_TENANT[name](work, mine))

    assert not result
    assert before == await store.read(theirs, see)


async def test_what_a_tenant_shares_is_read_by_all_its_users_and_no_other(store: Store) -> None:
    """A shared memory is there for every user of its tenant, and for nobody of another tenant."""
    ana, bia, stranger = Scope("acme", "ana"), Scope("acme", "bia"), Scope("zeta", "ana")
    shared = known(ana, key="tenant.name", shared=True)
    await store.write(ana, lambda work: work.memories.add(ana, shared))

    for scope, seen in ((ana, [shared]), (bia, [shared]), (stranger, [])):
        assert seen == await store.read(scope, partial(_page, scope=scope))


async def test_a_noun_cannot_carry_a_write_elsewhere(store: Store) -> None:
    """The scope decides where a row goes, whatever the noun says of itself."""
    mine, theirs = Scope("acme", "ana"), Scope("zeta", "bia")
    nothing = await store.read(theirs, lambda work: everything(work, theirs))

    def carry(work: UnitOfWork) -> None:
        work.memories.add(mine, known(theirs))
        work.attempts.add(mine, attempt(theirs, "a1"))
        work.proposals.add(mine, proposal(theirs, "p1"))
        work.quarantine.add(mine, held(theirs, "q1"))
        work.entities.add(mine, entity(theirs, "e1"))

    await store.write(mine, carry)

    assert nothing == await store.read(theirs, lambda work: everything(work, theirs))


def test_every_repository_method_is_proven_here() -> None:
    """A method added to a port of knowledge without a case above fails this test."""
    methods = {f"{port}.{name}" for port, kind in PORTS.items() for name in dir(kind) if not name.startswith("_")}

    assert methods == {*READINGS, *WRITINGS, *OF_THE_TENANT, "entities.judged", "memories.agents"}


@looped("pair", LOOKALIKES.values(), ids=LOOKALIKES, fresh=apart)
async def test_agents_are_those_of_their_owner(store: Store, pair: tuple[Scope, Scope]) -> None:
    """What agents keep of another is not listed for me, however alike the names are."""
    mine, theirs = pair
    agent = theirs.of_agent("support")
    await store.write(agent, partial(fill, scope=agent))

    assert [] == await store.read(mine, lambda work: work.memories.agents(mine))
    assert ["support"] == await store.read(theirs, lambda work: work.memories.agents(theirs))


@looped("pair", LOOKALIKES.values(), ids=LOOKALIKES, fresh=apart)
async def test_an_entity_is_judged_only_for_its_owner(store: Store, pair: tuple[Scope, Scope]) -> None:
    """What is judged of mine is not judged of another's under the same id."""
    mine, theirs = pair
    for scope in pair:
        await store.write(scope, partial(fill, scope=scope))
    await store.write(mine, lambda work: _hide_entity(work, mine))

    assert ["order"] == await store.read(mine, lambda work: _judged(work, mine))
    assert [None] == await store.read(theirs, lambda work: _judged(work, theirs))


def _judged(work: UnitOfWork, scope: Scope) -> list[Any]:
    return [work.entities.judged(scope, result.id) for result in work.entities.every(scope)]


def _add(work: UnitOfWork, *, scope: Scope, memory: Memory) -> None:
    work.memories.add(scope, memory)


def _page(work: UnitOfWork, scope: Scope) -> list[Memory]:
    return work.memories.page(scope, EVERYTHING, limit=9)


def _some(result: Any) -> list[Any]:
    return [] if result is None else [result]
