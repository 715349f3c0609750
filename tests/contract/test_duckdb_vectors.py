"""A DuckDB file that follows the index: killed, held by another, erased from, and of another model."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contract.making import ANA, NEXT, RUN
from tests.contract.vector_making import DIMENSION, keys_of, put, random_vectors

from rememora import Settings
from rememora.adapters.duckdb.vectors import DuckVectors
from rememora.adapters.sql.store import SqlStore
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.engines import open_store
from rememora.errors import StoreUnavailable
from rememora.ports.store import Store

PAGE = 7
BIA = Scope("acme", "bia", "c1")
CHILD = Path(__file__).parents[1] / "children/follower.py"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A store whose index is followed."""
    opened = await open_store(
        Settings.load({"store.url": str(tmp_path / "store")}, environ={}), model=RUN.model.key
    )
    yield opened
    await opened.close()


@pytest.mark.parametrize("pages", [0, 1, 3])
async def test_a_follower_that_dies_between_pages_loses_nothing(store: Store, tmp_path: Path, pages: int) -> None:
    """A process is killed after so many pages of many; the next one takes in the rest, and drops what is gone."""
    keys = await put(store, ANA, random_vectors(PAGE * 5))
    command = [sys.executable, str(CHILD), str(tmp_path / "store"), str(tmp_path / "v.duckdb"), str(pages)]
    child = await asyncio.to_thread(subprocess.run, [*command, str(DIMENSION), str(PAGE)], check=False)
    await store.write(ANA, lambda work: work.index.drop(ANA, keys[:3]))
    (vector,) = random_vectors(1)
    survivor = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION, page=PAGE)
    result = keys_of(await survivor.nearest(ANA, vector, limit=99))
    await survivor.close()

    assert -9 == child.returncode
    assert set(keys[3:]) == set(result)
    assert len(result) == len(set(result))


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
    await store.write(ANA, lambda work: work.index.erase(ANA, ErasurePlan(person=True, history=True)))
    vectors = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION)
    await vectors.erase(ANA)
    during = b"".join(file.read_bytes() for file in tmp_path.glob("v.duckdb*"))
    await vectors.close()
    after = b"".join(file.read_bytes() for file in tmp_path.glob("v.duckdb*"))

    for held in (mine.tobytes(), canary.encode()):
        assert [True, False, False] == [held in item for item in (before, during, after)]
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
    result = keys_of(await vectors.nearest(ANA, random_vectors(1)[0], limit=9))
    await vectors.close()
    await restored.close()

    assert set(keys) == set(result)


async def test_a_file_of_another_model_is_made_anew(store: Store, tmp_path: Path) -> None:
    """Vectors of the same length are not yet of the same model: nothing of the one before is compared."""
    await put(store, ANA, random_vectors(5))
    before = DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION, model=RUN.model.key)
    neighbours = await before.nearest(ANA, random_vectors(1)[0], limit=9)
    await before.close()
    assert isinstance(store, SqlStore)
    switched = SqlStore(store._database, model=NEXT.model.key)
    after = DuckVectors(switched, tmp_path / "v.duckdb", dimension=DIMENSION, model=NEXT.model.key)
    nothing = await after.nearest(ANA, random_vectors(1)[0], limit=9)
    await after.close()

    assert (5, 0) == (len(neighbours), len(nothing))


async def test_a_file_of_another_dimension_is_made_anew(store: Store, tmp_path: Path) -> None:
    """After a change of the model the copy is built again, of the vectors that fit."""
    await put(store, ANA, random_vectors(5))
    for dimension, expected in ((DIMENSION, 5), (8, 0), (DIMENSION, 5)):
        vectors = DuckVectors(store, tmp_path / "v.duckdb", dimension=dimension)
        neighbours = await vectors.nearest(ANA, random_vectors(1)[0][:dimension], limit=9)
        await vectors.close()

        assert expected == len(neighbours)
