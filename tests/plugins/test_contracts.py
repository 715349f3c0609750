"""The checks that authors of plugins run find what is broken, and pass what the package ships."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rememora import Item, Settings
from rememora.adapters.duckdb.vectors import DuckVectors
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.contracts import (
    DIMENSION,
    check_embedder,
    check_engine,
    check_layer,
    check_reader,
    check_vectors,
)
from rememora.domain.scope import Scope
from rememora.ports.vectors import Near
from rememora.reading import read_builtin
from rememora.testing import WordEmbedder

MEMORY = Settings.load({"store.url": ":memory:"}, environ={}).store


async def test_what_the_package_ships_keeps_its_contracts(tmp_path: Path) -> None:
    """An embedder, a vector engine, the embedded store, and the built-in reader."""
    broken = [
        *await check_embedder(WordEmbedder()),
        *await check_vectors(lambda store: DuckVectors(store, tmp_path / "v.duckdb", dimension=DIMENSION)),
        *await check_engine(SqliteDatabase(MEMORY)),
        *await check_reader(read_builtin),
    ]

    assert [] == broken


class Stale(DuckVectors):
    """Remembers its first answer to each user for good, and erases nothing."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._first: dict[Scope, list[Near]] = {}

    async def nearest(self, scope: Scope, vector: NDArray[np.float32], *, limit: int) -> list[Near]:
        if scope not in self._first:
            self._first[scope] = await super().nearest(scope, vector, limit=limit)
        return self._first[scope]

    async def erase(self, scope: Scope) -> int:
        return 0


async def test_vectors_that_do_not_follow_are_found_out(tmp_path: Path) -> None:
    """What was dropped, changed and erased is still found by a copy that follows nothing."""
    broken = await check_vectors(lambda store: Stale(store, tmp_path / "v.duckdb", dimension=DIMENSION))

    assert {
        "what is dropped is not found",
        "a changed item is not found until it has a new vector",
        "a changed item has its new vector",
        "`erase` says how many vectors went",
        "nothing of an erased user is found",
    } <= {*broken}


class Embeds:
    """Embeds as a test wants it."""

    name = "made"
    dimension = 3

    def __init__(self, vectors: Any) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        return [self._vectors(text) for text in texts]


@pytest.mark.parametrize(
    ("vector", "law"),
    [
        (lambda text: np.ones(2, np.float32), "a vector has `dimension` numbers"),
        (lambda text: np.ones(3), "numbers are float32"),
        (lambda text: np.ones(3, np.float32), "a vector has length 1"),
        (lambda text: np.array([1, 0, 0], np.float32), "different texts have different vectors"),
    ],
)
async def test_vectors_of_a_wrong_kind_are_found_out(vector: Any, law: str) -> None:
    """Each law of embedders is told by name."""
    assert law in await check_embedder(Embeds(vector))


async def test_an_engine_that_keeps_what_failed_is_found_out() -> None:
    """A unit of work that fails takes its changes back, or the check says so."""

    class Swallows(SqliteDatabase):
        async def write(self, tenant: str | None, work: Any) -> Any:
            def guarded(transaction: Any) -> Any:
                with suppress(Exception):
                    return work(transaction)
                return None

            return await super().write(tenant, guarded)

    assert ["an error reaches its caller", "what failed is taken back"] == (await check_engine(Swallows(MEMORY)))[
        :2
    ]


async def test_readers_and_layers_that_return_something_else_are_found_out() -> None:
    """No reading, and items of no section."""

    def read(text: str, before: Sequence[str]) -> Any:
        return text

    async def layer(ask: Any) -> Any:
        return [Item(section="operations", kind="", text="x"), "text"]

    assert ["a reader returns Spoken, not str"] == await check_reader(read)
    assert [
        "a layer gives items of known sections",
        "an item has text and a kind",
    ] == await check_layer(layer)
