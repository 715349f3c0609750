"""The contract of looking back: every page of a tenant's, in order, once, without content, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
import pytest
from tests.contract.knowing import attempt, known
from tests.contract.making import ANA, moment

from rememora.adapters.duckdb.analytics import DuckTables
from rememora.domain.quality import JudgedAttempt, KeptMemory
from rememora.domain.scope import Scope
from rememora.knowledge.quality import look_back
from rememora.ports.quality import START
from rememora.ports.store import Store, UnitOfWork

BIA, OTHER = Scope("acme", "bia"), Scope("acme2", "ana")
PAGES: dict[str, Callable[..., Sequence[JudgedAttempt | KeptMemory]]] = {
    "judged": lambda work, after: work.lookback.judged(ANA, after=after, limit=3),
    "known": lambda work, after: work.lookback.known(ANA, after=after, limit=3),
}


def filled(work: UnitOfWork, *, scope: Scope, count: int) -> None:
    """Tries and memories of one user, numbered."""
    for number in range(count):
        work.attempts.add(scope, msgspec.structs.replace(attempt(scope, f"a{number}"), at=moment(number)))
        work.memories.add(scope, known(scope, id=f"k{number}", key=f"user.n{number}"))


async def fill(store: Store) -> None:
    for scope, count in ((ANA, 5), (BIA, 3), (OTHER, 2)):
        await store.write(scope, partial(filled, scope=scope, count=count))


@pytest.mark.parametrize("name", PAGES)
async def test_pages_go_through_a_tenant_once(store: Store, name: str) -> None:
    """By whose they are and then by id, from after a place on; two users of one tenant, not another tenant's."""
    await fill(store)
    places: list[tuple[str, str]] = []
    while page := await store.read(ANA, partial(PAGES[name], after=places[-1] if places else START)):
        places += [row.place for row in page]

    assert 8 == len(places) == len(set(places))
    assert {"ana", "bia"} == {whose for whose, _ in places}


async def test_every_store_is_counted_alike(store: Store) -> None:
    """The account over any engine: all tenants together, then each."""
    await fill(store)
    tables = DuckTables()
    accounts = await look_back(store, tables, acting="root", page=2)
    tables.close()

    assert [None, "acme", "acme2"] == [account.tenant for account in accounts]
    assert [10, 8, 2] == [account.attempts for account in accounts]
    assert [10, 8, 2] == [sum(kind.active for kind in account.categories) for account in accounts]
    assert [10, 8, 2] == [sum(week.kept for week in account.weeks) for account in accounts]
