"""The nearest vectors on a real server: for the small among many, and for the large, as good as exact."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from psycopg.types import TypeInfo
from tests.postgres.conftest import Place

from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.postgres.near import index_vectors
from rememora.adapters.sql.postgres.types import Vector, learn_types
from rememora.adapters.sql.postgres.vectors import PostgresVectors
from rememora.domain.scope import SHARED, Scope

DIMENSION, LIMIT, QUESTIONS = 32, 10, 20
LARGE, SMALL, MIDDLE = Scope("large", "ana"), Scope("small", "ana"), Scope("large", "bia")
ROWS = {LARGE: 9_000, SMALL: 12, MIDDLE: 2_988}
"""Of 12,000 vectors one tenant has a thousandth; in the other one user has a third of what the other has."""

Matrix = NDArray[np.float32]
MODEL = "m/32"
ANA = Scope("acme", "ana")


def vectors_of(scope: Scope, seed: int) -> Matrix:
    """Unit vectors in clumps, as texts have them."""
    random = np.random.default_rng(seed)
    clumps = random.normal(size=(40, DIMENSION))
    rows = clumps[random.integers(40, size=ROWS[scope])] + 0.4 * random.normal(size=(ROWS[scope], DIMENSION))
    unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def store(place: Place, scope: Scope, rows: Matrix, *, model: str = MODEL) -> None:
    """Copy vectors in behind the store's back: one by one would take a minute."""
    with psycopg.connect(place.admin) as connection:
        learn_types(connection, TypeInfo.fetch(connection, "vector"))
        columns = "tenant_id, user_id, kind, conversation_id, model, id, vector"
        with connection.cursor().copy(f"COPY vectors ({columns}) FROM STDIN (FORMAT BINARY)".encode()) as copy:
            copy.set_types(["text"] * 6 + ["vector"])
            whose = (scope.tenant, scope.user, "message", "c1", model)
            for number, row in enumerate(rows):
                copy.write_row((*whose, str(number), Vector(row.tobytes())))


def truth(rows: Matrix, question: Matrix) -> set[str]:
    """The exact answer."""
    return {str(item) for item in np.argsort(-(rows @ question))[:LIMIT]}


def plan(place: Place, scope: Scope) -> str:
    """How the server looks for a large user's neighbours, held to their tenant as the application is."""
    question = Vector(np.ones(DIMENSION, np.float32).tobytes())
    with psycopg.connect(place.app) as connection:
        learn_types(connection, TypeInfo.fetch(connection, "vector"))
        connection.execute("SELECT set_config('rememora.tenant', %s, true)", (scope.tenant,))
        rows = connection.execute(
            f"EXPLAIN SELECT id FROM vectors WHERE tenant_id = %s AND user_id IN (%s, '*') "
            f"AND model = %s AND vector_dims(vector) = {DIMENSION} "
            f"ORDER BY vector::halfvec({DIMENSION}) <=> %s::halfvec({DIMENSION}) LIMIT 200".encode(),
            (scope.tenant, scope.user, MODEL, question),
        ).fetchall()
    return "\n".join(row[0] for row in rows)


@pytest.mark.parametrize("exact_rows", [1_000, 1_000_000], ids=["by the index", "by each"])
async def test_as_good_as_exact_for_small_and_large(own_place: Place, exact_rows: int) -> None:
    """At least 99 of 100 true neighbours, also for a tenant with a thousandth of all rows."""
    held: dict[Scope, Matrix] = {}
    for seed, scope in enumerate(ROWS):
        held[scope] = vectors_of(scope, seed)
        store(own_place, scope, held[scope])
    if exact_rows < ROWS[LARGE]:
        assert index_vectors(own_place.owner, DIMENSION)
        assert index_vectors(own_place.owner, DIMENSION)
    with psycopg.connect(own_place.owner, autocommit=True) as connection:
        connection.execute("ANALYZE vectors")
    database = await own_place.opened()
    vectors = PostgresVectors(database, dimension=DIMENSION, model=MODEL, exact_rows=exact_rows)
    random = np.random.default_rng(9)
    recalls: dict[str, float] = {}
    for scope, rows in held.items():
        hits = 0
        for _ in range(QUESTIONS):
            noise = random.normal(size=DIMENSION).astype(np.float32)
            question = rows[random.integers(len(rows))] + 0.05 * noise
            near = await vectors.nearest(scope, question, limit=LIMIT)
            hits += len(truth(rows, question) & {item.key.id for item in near})
            assert sorted(near, key=lambda item: -item.cosine) == near
        recalls[f"{scope.tenant}/{scope.user}"] = hits / (QUESTIONS * LIMIT)
    await database.close()

    assert {} == {name: recall for name, recall in recalls.items() if recall < 0.99}
    if exact_rows < ROWS[LARGE]:
        assert "near_32" in plan(own_place, LARGE)


async def test_the_tenants_own_are_found_and_nobody_elses(place: Place, database: PostgresDatabase) -> None:
    """What is shared is near to every user of the tenant; another user's and another tenant's never is."""
    one = np.eye(DIMENSION, dtype=np.float32)[:1]
    for tenant, user in (("acme", "ana"), ("acme", SHARED), ("acme", "bia"), ("other", "ana"), ("other", SHARED)):
        store(place, Scope(tenant, user), one)
    vectors = PostgresVectors(database, dimension=DIMENSION, model=MODEL)
    near = await vectors.nearest(ANA, one[0], limit=9)

    assert [("0", 1.0), ("0", 1.0)] == [(item.key.id, round(item.cosine, 6)) for item in near]
    assert 0 == await vectors.erase(ANA)


async def test_vectors_of_another_model_are_not_compared(place: Place, database: PostgresDatabase) -> None:
    """While the next model's stand beside those in use, each model finds its own."""
    one = np.eye(DIMENSION, dtype=np.float32)[:1]
    store(place, ANA, one)
    store(place, ANA, -one, model="n/32")
    neighbours = [
        await PostgresVectors(database, dimension=DIMENSION, model=item).nearest(ANA, one[0], limit=9)
        for item in (MODEL, "n/32")
    ]

    assert [[1.0], [-1.0]] == [[round(near.cosine, 6) for near in item] for item in neighbours]


@pytest.mark.parametrize("exact_rows", [0, 1_000], ids=["by the index", "by each"])
async def test_a_vector_without_direction_is_near_to_nothing(
    place: Place, database: PostgresDatabase, exact_rows: int
) -> None:
    """All zeros have no cosine: they are left out, as an answer and as a question, and spoil no other's."""
    rows = np.eye(DIMENSION, dtype=np.float32)[:2]
    rows[0] = 0
    store(place, ANA, rows)
    search = PostgresVectors(database, dimension=DIMENSION, model=MODEL, exact_rows=exact_rows)
    neighbours = [await search.nearest(ANA, rows[number], limit=9) for number in (0, 1)]

    assert [[], [("1", 1.0)]] == [[(near.key.id, round(near.cosine, 6)) for near in item] for item in neighbours]
