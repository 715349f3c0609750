"""The contract of vectors, over all four that search them: true order, within one user, never what is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.contract.making import ANA, RUN
from tests.contract.vector_making import DIMENSION, Vector, embed, keys_of, put, random_vectors
from tests.engines.postgres import postgres_url

from rememora import Settings
from rememora.adapters.duckdb.vectors import DuckVectors
from rememora.adapters.sql.postgres.vectors import PostgresVectors
from rememora.adapters.sql.store import SqlStore
from rememora.adapters.usearch import build
from rememora.adapters.usearch.vectors import UsearchVectors
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.engines import open_database
from rememora.errors import InvalidInput, Unavailable
from rememora.ports.vectors import Near, Vectors
from rememora.recall.index_cache import IndexCache
from rememora.recall.memory_vectors import MemoryVectors

MODEL, PAGE = RUN.model.key, 7
BIA, OTHER = Scope("acme", "bia", "c1"), Scope("other", "ana", "c1")


def in_memory(store: SqlStore, _: Path) -> Vectors:
    """Compared one by one in the index that recall holds."""
    cache = IndexCache(limit_bytes=1 << 24, dimension=DIMENSION, model=MODEL)
    return MemoryVectors(store, cache, dimension=DIMENSION)


class Kind(NamedTuple):
    """One implementation: how it is opened, beside which store, how near to the truth, and what it copies."""

    opened: Callable[[SqlStore, Path], Vectors]
    url: Callable[[Path], AbstractContextManager[str]] = lambda folder: nullcontext(str(folder / "store"))
    precision: float = 1e-5
    copies: bool = True


KINDS: dict[str, Kind] = {
    "memory": Kind(in_memory),
    "usearch": Kind(
        lambda store, folder: UsearchVectors(store, folder / "indexes", dimension=DIMENSION, model=MODEL),
        # One byte a number.
        precision=0.03,
    ),
    "pgvector": Kind(
        lambda store, _: PostgresVectors(store._database, model=MODEL, dimension=DIMENSION),
        url=lambda _: postgres_url(),
        copies=False,
    ),
    "duckdb": Kind(
        lambda store, folder: DuckVectors(store, folder / "v.duckdb", dimension=DIMENSION, page=PAGE),
    ),
}


class Searched:
    """A store and what searches its vectors; files that a worker writes are written before each question."""

    def __init__(self, store: SqlStore, vectors: Vectors, kind: Kind) -> None:
        self.store, self.vectors = store, vectors
        self.precision, self._copies = kind.precision, kind.copies

    def copied(self, count: int) -> int:
        """How many vectors an erasure takes out of copies."""
        return count if self._copies else 0

    async def nearest(self, scope: Scope, vector: Vector, *, limit: int) -> list[Near]:
        """The nearest; nothing of a user of whom nothing is written."""
        await self.ready()
        try:
            return await self.vectors.nearest(scope, vector, limit=limit)
        except Unavailable:
            assert isinstance(self.vectors, UsearchVectors)
            return []

    async def erase(self, scope: Scope) -> int:
        """Leave no copy."""
        return await self.vectors.erase(scope)

    async def ready(self) -> None:
        """Write the files of everybody, where there are files."""
        if isinstance(self.vectors, UsearchVectors):
            owners = await self.store.index(lambda keeper: keeper.scopes_above(rows=0), reading=True)
            await self.vectors.build(owners)


@pytest.fixture(params=KINDS)
async def searched(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Searched]:
    """One implementation over a fresh store."""
    monkeypatch.setattr(build, "DUE_ROWS", 1)
    kind = KINDS[request.param]
    with kind.url(tmp_path) as url:
        settings = Settings.load({"store.url": url, "store.key_folder": str(tmp_path)}, environ={})
        store = SqlStore(await open_database(settings), model=MODEL)
        vectors = kind.opened(store, tmp_path)
        yield Searched(store, vectors, kind)
        await vectors.close()
        await store.close()


async def test_the_nearest_are_those_of_exact_cosines(searched: Searched) -> None:
    """Best first, as many as asked for, with the cosine each has, across pages of changes."""
    laid = random_vectors(60)
    known = dict(zip(await put(searched.store, ANA, laid), laid, strict=True))
    for vector in random_vectors(5, seed=1):
        neighbours = await searched.nearest(ANA, vector, limit=10)

        true = {key: float(known[key] @ vector) for key in known}
        best = sorted(true.values(), reverse=True)
        assert 10 == len(neighbours)
        assert sorted(neighbours, key=lambda near: -near.cosine) == neighbours
        # The nearest in truth, each with its own cosine, as far as the engine's precision goes.
        assert all(abs(near.cosine - true[near.key]) <= searched.precision for near in neighbours)
        assert all(
            abs(true[near.key] - cosine) <= 2 * searched.precision
            for near, cosine in zip(neighbours, best, strict=False)
        )


async def test_a_user_sees_their_own_and_what_is_shared(searched: Searched) -> None:
    """Not another user's, not another tenant's, however near; the tenant's shared items, yes."""
    (vector,) = random_vectors(1)
    mine = await put(searched.store, ANA, random_vectors(3, seed=2))
    shared = await put(searched.store, Scope("acme", "*", "c9"), random_vectors(2, seed=3))
    for others in (BIA, OTHER, Scope("other", "*", "c1")):
        await put(searched.store, others, [vector] * 20)

    keys = keys_of(await searched.nearest(ANA, vector, limit=30))

    assert {*mine, *shared} == set(keys)
    assert len(keys) == 5


async def test_the_limit_holds_and_an_unknown_user_has_nothing(searched: Searched) -> None:
    """No more than asked for; nothing of nobody."""
    await put(searched.store, ANA, random_vectors(9))
    (vector,) = random_vectors(1)

    assert 4 == len(await searched.nearest(ANA, vector, limit=4))
    assert [] == await searched.nearest(Scope("acme", "nobody"), vector, limit=4)


async def test_what_is_dropped_is_not_found(searched: Searched) -> None:
    """An item, a conversation, a whole user: gone from the next answer on."""
    keys = await put(searched.store, ANA, random_vectors(9))
    elsewhere = await put(searched.store, ANA.within("c2"), random_vectors(3, seed=4))
    (vector,) = random_vectors(1)
    await searched.nearest(ANA, vector, limit=30)

    await searched.store.write(ANA, lambda work: work.index.drop(ANA, keys[:2]))
    assert {*keys[2:], *elsewhere} == set(keys_of(await searched.nearest(ANA, vector, limit=30)))
    await searched.store.write(ANA, lambda work: work.index.drop_conversation(ANA))
    assert set(elsewhere) == set(keys_of(await searched.nearest(ANA, vector, limit=30)))
    await searched.store.write(ANA, lambda work: work.index.erase(ANA, ErasurePlan(person=True, history=True)))
    assert [] == await searched.nearest(ANA, vector, limit=30)


async def test_a_changed_item_has_its_new_vector_alone(searched: Searched) -> None:
    """Until it is embedded anew it is not found by meaning; then by what it says now."""
    old, new, neighbour = random_vectors(3)
    key, other = await put(searched.store, ANA, [old, neighbour])
    await searched.nearest(ANA, old, limit=9)
    await searched.store.write(ANA, lambda work: work.index.put(ANA, [key]))

    assert [other] == keys_of(await searched.nearest(ANA, old, limit=9))
    await embed(searched.store, ANA, [new])
    result = {near.key: near.cosine for near in await searched.nearest(ANA, new, limit=9)}

    assert {key, other} == result.keys()
    assert result[key] == pytest.approx(1.0, abs=1e-5)


async def test_a_vector_of_another_length_is_refused(searched: Searched) -> None:
    """The question must be of the model that made the index."""
    with pytest.raises(InvalidInput, match="vector"):
        await searched.nearest(ANA, np.zeros(DIMENSION + 1, dtype=np.float32), limit=3)


async def test_erasing_forgets_the_copy_and_follows_what_is_left(searched: Searched) -> None:
    """Only the user's own go; what the store still has is found again."""
    keys = await put(searched.store, ANA, random_vectors(5))
    hers = await put(searched.store, BIA, random_vectors(5))
    (vector,) = random_vectors(1)
    for scope in (ANA, BIA):
        await searched.nearest(scope, vector, limit=9)

    assert searched.copied(5) == await searched.erase(ANA)
    assert set(hers) == set(keys_of(await searched.nearest(BIA, vector, limit=9)))
    assert set(keys) == set(keys_of(await searched.nearest(ANA, vector, limit=9)))


async def test_a_tenant_goes_with_everybody_in_it(searched: Searched) -> None:
    """The user that stands for all takes each one's copy along, and no other tenant's."""
    (vector,) = random_vectors(1)
    for scope in (ANA, BIA, OTHER, ANA.shared().within("c9")):
        await put(searched.store, scope, random_vectors(3))
        await searched.nearest(scope, vector, limit=9)

    assert searched.copied(9) == await searched.erase(ANA.shared())
    assert 3 == len(await searched.nearest(OTHER, vector, limit=9))


async def test_many_may_ask_at_once(searched: Searched) -> None:
    """Concurrent questions of several users, while one of them is written to, are each answered whole."""
    known = {scope: set(await put(searched.store, scope, random_vectors(40))) for scope in (ANA, BIA, OTHER)}
    (vector,) = random_vectors(1)
    await searched.ready()
    answers = await asyncio.gather(*(searched.vectors.nearest(scope, vector, limit=99) for scope in [*known] * 4))

    assert [known[scope] for scope in [*known] * 4] == [set(keys_of(answer)) for answer in answers]
