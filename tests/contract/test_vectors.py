"""The contract of vectors searched outside memory: exact order, within one user, never what is gone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contract.making import ANA, NEXT, RUN, spoken

from rememora import Settings
from rememora.adapters.duckdb.vectors import DuckVectors
from rememora.adapters.sql.store import SqlStore
from rememora.domain.hit import ItemKey
from rememora.domain.receipt import Doomed
from rememora.domain.scope import Scope
from rememora.engines import open_store
from rememora.errors import InvalidInput, StoreUnavailable
from rememora.ports.index import Embedded
from rememora.ports.store import Store
from rememora.ports.vectors import Near, Vectors

DIMENSION, PAGE = 16, 7
BIA, OTHER = Scope("acme", "bia", "c1"), Scope("other", "ana", "c1")
CHILD = Path(__file__).parents[1] / "children/follower.py"
Vector = NDArray[np.float32]

ENGINES: dict[str, Callable[[Store, Path], Vectors]] = {
    "duckdb": lambda store, folder: DuckVectors(store, folder / "v.duckdb", dimension=DIMENSION, page=PAGE),
}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A store whose index is followed."""
    opened = await open_store(
        Settings.load({"store.url": str(tmp_path / "store")}, environ={}), model=RUN.model.key
    )
    yield opened
    await opened.close()


@pytest.fixture(params=ENGINES)
async def vectors(request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> AsyncIterator[Vectors]:
    """Where they are searched, on a fresh place of one engine."""
    opened = ENGINES[request.param](store, tmp_path)
    yield opened
    await opened.close()


def random_vectors(count: int, seed: int = 0) -> list[Vector]:
    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return list(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


async def embed(store: Store, scope: Scope, vectors: Sequence[Vector]) -> None:
    """Give the waiting items their vectors, in order."""
    items = await store.read(scope, lambda work: work.index.waiting(scope, limit=1000))
    embedded = [
        Embedded(key=item.key, number=item.number, vector=vector.tobytes())
        for item, vector in zip(items, vectors, strict=True)
    ]
    await store.write(scope, lambda work: work.index.embed(scope, embedded, run=RUN))


async def put(store: Store, scope: Scope, vectors: Sequence[Vector]) -> list[ItemKey]:
    """Messages in the index, each with its vector."""
    messages = await spoken(store, scope, [f"<{place}>" for place in range(len(vectors))])
    keys = [ItemKey("message", message.id, message.conversation) for message in messages]
    await store.write(scope, lambda work: work.index.put(scope, keys))
    await embed(store, scope, vectors)
    return keys


def exact(vectors: dict[ItemKey, Vector], asked: Vector, limit: int) -> list[ItemKey]:
    return sorted(vectors, key=lambda key: -float(vectors[key] @ asked))[:limit]


def keys_of(found: Sequence[Near]) -> list[ItemKey]:
    return [near.key for near in found]


async def test_the_nearest_are_those_of_exact_cosines(store: Store, vectors: Vectors) -> None:
    """Best first, as many as asked for, with the cosine each has, across pages of changes."""
    laid = random_vectors(60)
    known = dict(zip(await put(store, ANA, laid), laid, strict=True))
    for asked in random_vectors(5, seed=1):
        found = await vectors.nearest(ANA, asked, limit=10)

        assert exact(known, asked, 10) == keys_of(found)
        assert all(abs(near.cosine - known[near.key] @ asked) < 1e-5 for near in found)


async def test_a_user_sees_their_own_and_what_is_shared(store: Store, vectors: Vectors) -> None:
    """Not another user's, not another tenant's, however near; the tenant's shared items, yes."""
    (asked,) = random_vectors(1)
    mine = await put(store, ANA, random_vectors(3, seed=2))
    shared = await put(store, Scope("acme", "*", "c9"), random_vectors(2, seed=3))
    for others in (BIA, OTHER, Scope("other", "*", "c1")):
        await put(store, others, [asked] * 20)

    found = keys_of(await vectors.nearest(ANA, asked, limit=30))

    assert {*mine, *shared} == set(found)
    assert len(found) == 5


async def test_the_limit_holds_and_an_unknown_user_has_nothing(store: Store, vectors: Vectors) -> None:
    """No more than asked for; nothing of nobody."""
    await put(store, ANA, random_vectors(9))
    (asked,) = random_vectors(1)

    assert 4 == len(await vectors.nearest(ANA, asked, limit=4))
    assert [] == await vectors.nearest(Scope("acme", "nobody"), asked, limit=4)


async def test_what_is_dropped_is_not_found(store: Store, vectors: Vectors) -> None:
    """An item, a conversation, a whole user: gone from the next answer on."""
    keys = await put(store, ANA, random_vectors(9))
    elsewhere = await put(store, ANA.within("c2"), random_vectors(3, seed=4))
    (asked,) = random_vectors(1)
    await vectors.nearest(ANA, asked, limit=30)

    await store.write(ANA, lambda work: work.index.drop(ANA, keys[:2]))
    assert {*keys[2:], *elsewhere} == set(keys_of(await vectors.nearest(ANA, asked, limit=30)))
    await store.write(ANA, lambda work: work.index.drop_conversation(ANA))
    assert set(elsewhere) == set(keys_of(await vectors.nearest(ANA, asked, limit=30)))
    await store.write(ANA, lambda work: work.index.erase(ANA, Doomed(person=True, history=True)))
    assert [] == await vectors.nearest(ANA, asked, limit=30)


async def test_a_changed_item_has_its_new_vector_alone(store: Store, vectors: Vectors) -> None:
    """Until it is embedded anew it is not found by meaning; then by what it says now."""
    old, new, beside = random_vectors(3)
    key, other = await put(store, ANA, [old, beside])
    await vectors.nearest(ANA, old, limit=9)
    await store.write(ANA, lambda work: work.index.put(ANA, [key]))

    assert [other] == keys_of(await vectors.nearest(ANA, old, limit=9))
    await embed(store, ANA, [new])
    found = {near.key: near.cosine for near in await vectors.nearest(ANA, new, limit=9)}

    assert {key, other} == found.keys()
    assert found[key] == pytest.approx(1.0, abs=1e-5)


async def test_a_vector_of_another_length_is_refused(store: Store, vectors: Vectors) -> None:
    """The question must be of the model that made the index."""
    with pytest.raises(InvalidInput, match="vector"):
        await vectors.nearest(ANA, np.zeros(DIMENSION + 1, dtype=np.float32), limit=3)


async def test_erasing_forgets_the_copy_and_follows_what_is_left(store: Store, vectors: Vectors) -> None:
    """Only the user's own go; what the store still has is found again."""
    keys = await put(store, ANA, random_vectors(5))
    hers = await put(store, BIA, random_vectors(5))
    (asked,) = random_vectors(1)
    for scope in (ANA, BIA):
        await vectors.nearest(scope, asked, limit=9)

    assert 5 == await vectors.erase(ANA)
    assert set(hers) == set(keys_of(await vectors.nearest(BIA, asked, limit=9)))
    assert set(keys) == set(keys_of(await vectors.nearest(ANA, asked, limit=9)))


async def test_a_tenant_goes_with_everybody_in_it(store: Store, vectors: Vectors) -> None:
    """The user that stands for all takes each one's copy along, and no other tenant's."""
    (asked,) = random_vectors(1)
    for scope in (ANA, BIA, OTHER, ANA.shared().within("c9")):
        await put(store, scope, random_vectors(3))
        await vectors.nearest(scope, asked, limit=9)

    assert 9 == await vectors.erase(ANA.shared())
    assert 3 == len(await vectors.nearest(OTHER, asked, limit=9))


async def test_many_may_ask_at_once(store: Store, vectors: Vectors) -> None:
    """Concurrent questions of several users, while one of them is written to, are each answered whole."""
    known = {scope: set(await put(store, scope, random_vectors(40))) for scope in (ANA, BIA, OTHER)}
    (asked,) = random_vectors(1)
    answers = await asyncio.gather(*(vectors.nearest(scope, asked, limit=99) for scope in [*known] * 4))

    assert [known[scope] for scope in [*known] * 4] == [set(keys_of(answer)) for answer in answers]


@pytest.mark.parametrize("pages", [0, 1, 3])
async def test_a_follower_that_dies_between_pages_loses_nothing(store: Store, tmp_path: Path, pages: int) -> None:
    """A process is killed after so many pages of many; the next one takes in the rest, and drops what is gone."""
    keys = await put(store, ANA, random_vectors(PAGE * 5))
    command = [sys.executable, str(CHILD), str(tmp_path / "store"), str(tmp_path / "v.duckdb"), str(pages)]
    child = await asyncio.to_thread(subprocess.run, [*command, str(DIMENSION), str(PAGE)], check=False)
    await store.write(ANA, lambda work: work.index.drop(ANA, keys[:3]))
    (asked,) = random_vectors(1)
    survivor = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION, page=PAGE)
    found = keys_of(await survivor.nearest(ANA, asked, limit=99))
    await survivor.close()

    assert -9 == child.returncode
    assert set(keys[3:]) == set(found)
    assert len(found) == len(set(found))


async def test_a_second_process_is_told_so(store: Store, tmp_path: Path) -> None:
    """A DuckDB file is for one process: another one gets an error that says it, and may come back later."""
    await put(store, ANA, random_vectors(3))
    command = [sys.executable, str(CHILD), str(tmp_path / "store"), str(tmp_path / "v.duckdb"), "hold"]
    with subprocess.Popen(
        [*command, str(DIMENSION), str(PAGE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        await asyncio.to_thread(child.stdout.readline)
        second = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION)
        with pytest.raises(StoreUnavailable, match="one process"):
            await second.nearest(ANA, random_vectors(1)[0], limit=3)
        child.kill()

    assert 3 == len(await second.nearest(ANA, random_vectors(1)[0], limit=9))
    await second.close()


async def test_no_byte_of_an_erased_vector_stays_in_the_file(store: Store, tmp_path: Path) -> None:
    """Neither its numbers nor the key of what it stood for; others' stay."""
    mine, hers = random_vectors(2)
    canary = "zqxconversation"
    await put(store, ANA.within(canary), [mine])
    await put(store, BIA, [hers])
    vectors = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION)
    for scope in (ANA, BIA):
        await vectors.nearest(scope, mine, limit=3)
    await vectors.close()
    before = (tmp_path / "v.duckdb").read_bytes()
    await store.write(ANA, lambda work: work.index.erase(ANA, Doomed(person=True, history=True)))
    vectors = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION)
    await vectors.erase(ANA)
    during = b"".join(file.read_bytes() for file in tmp_path.glob("v.duckdb*"))
    await vectors.close()
    after = b"".join(file.read_bytes() for file in tmp_path.glob("v.duckdb*"))

    for held in (mine.tobytes(), canary.encode()):
        assert [True, False, False] == [held in each for each in (before, during, after)]
    assert hers.tobytes() in after


async def test_what_was_deleted_is_out_of_the_file_when_it_is_closed(store: Store, tmp_path: Path) -> None:
    """Also where another process erased it and this one only followed."""
    laid = random_vectors(3)
    keys = await put(store, ANA, laid)
    vectors = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION)
    await vectors.nearest(ANA, laid[0], limit=3)
    await store.write(ANA, lambda work: work.index.drop(ANA, keys[:1]))
    await vectors.nearest(ANA, laid[0], limit=3)
    await vectors.close()
    after = (tmp_path / "v.duckdb").read_bytes()

    assert [False, True] == [vector.tobytes() in after for vector in laid[:2]]


async def test_a_store_that_went_back_in_time_is_followed_anew(store: Store, tmp_path: Path) -> None:
    """A file that knows more changes than its store has, as after a restored backup, starts over."""
    await put(store, ANA, random_vectors(5))
    vectors = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION)
    await vectors.nearest(ANA, random_vectors(1)[0], limit=3)
    await vectors.close()
    restored = await open_store(
        Settings.load({"store.url": str(tmp_path / "restored")}, environ={}), model=RUN.model.key
    )
    keys = await put(restored, ANA, random_vectors(2))
    vectors = DuckVectors(restored, tmp_path / "v.duckdb", dimension=DIMENSION)
    found = keys_of(await vectors.nearest(ANA, random_vectors(1)[0], limit=9))
    await vectors.close()
    await restored.close()

    assert set(keys) == set(found)


async def test_a_file_of_another_model_is_made_anew(store: Store, tmp_path: Path) -> None:
    """Vectors of the same length are not yet of the same model: nothing of the one before is compared."""
    await put(store, ANA, random_vectors(5))
    before = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION, model=RUN.model.key)
    found = await before.nearest(ANA, random_vectors(1)[0], limit=9)
    await before.close()
    assert isinstance(store, SqlStore)
    switched = SqlStore(store._database, model=NEXT.model.key)
    after = DuckVectors(switched, tmp_path / "v.duckdb", dimension=DIMENSION, model=NEXT.model.key)
    nothing = await after.nearest(ANA, random_vectors(1)[0], limit=9)
    await after.close()

    assert (5, 0) == (len(found), len(nothing))


async def test_a_file_of_another_dimension_is_made_anew(store: Store, tmp_path: Path) -> None:
    """After a change of the model the copy is built again, of the vectors that fit."""
    await put(store, ANA, random_vectors(5))
    for dimension, expected in ((DIMENSION, 5), (8, 0), (DIMENSION, 5)):
        vectors = DuckVectors(store, tmp_path / "v.duckdb", dimension=dimension)
        found = await vectors.nearest(ANA, random_vectors(1)[0][:dimension], limit=9)
        await vectors.close()

        assert expected == len(found)
