"""Cosines: exact on a small index, near enough on a large one, nothing left of what was erased."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from rememora.ranking.rank import RankQuery, rank
from rememora.userindex import vectors as vectors_module
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex
from rememora.userindex.vectors import EXACT_ROWS, VectorMatrix, as_vector

RANDOM = np.random.default_rng(7)


def filled(rows: int, dimension: int) -> tuple[VectorMatrix, np.ndarray]:
    matrix = RANDOM.normal(size=(rows, dimension)).astype(np.float32)
    vectors = VectorMatrix(dimension)
    for row in range(rows):
        vectors.put(row, as_vector(matrix[row]))
    return vectors, matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_a_small_shelf_is_exact_and_honours_who_is_wanted() -> None:
    """The cosine of every wanted row, 0 for the others."""
    vectors, matrix = filled(50, 20)
    query, expected = as_vector(matrix[3]), np.arange(50) % 2 == 1

    assert np.allclose(np.where(expected, matrix @ query, 0), vectors.cosines(query, expected), atol=1e-5)


def test_a_large_shelf_finds_the_nearest_by_sign_bits() -> None:
    """Twenty near rows in a crowd keep their exact cosines, and their order."""
    vectors, matrix = filled(2 * EXACT_ROWS + 100, 128)
    query = as_vector(matrix[11])
    for row in range(100, 120):
        matrix[row] = as_vector(query + 0.06 * RANDOM.normal(size=128).astype(np.float32))
        vectors.put(row, matrix[row])
    exact = matrix @ query
    nearest = np.argsort(-exact)[:21]
    result = vectors.cosines(query, np.ones(len(matrix), dtype=np.bool_))

    assert np.allclose(exact[nearest], result[nearest], atol=1e-5)
    assert nearest.tolist() == np.argsort(-result)[:21].tolist()


@pytest.mark.parametrize("reduced", [False, True])
def test_a_large_shelf_is_exact_where_it_has_to_be(reduced: bool) -> None:
    """Every row's cosine, not only those of the nearest; of reduced vectors to the precision they have."""
    vectors, matrix = filled(2 * EXACT_ROWS + 1_000, 32)
    if reduced:
        vectors.reduce()
    query = as_vector(matrix[11])
    result = vectors.cosines(query, np.ones(len(matrix), dtype=np.bool_), exact=True)

    assert np.allclose(matrix @ query, result, atol=1e-2 if reduced else 1e-5)


def test_rows_that_nobody_wants_take_no_place_among_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    """However near they are: the nearest that are wanted get their exact cosine."""
    monkeypatch.setattr(vectors_module, "EXACT_ROWS", 4)
    monkeypatch.setattr(vectors_module, "_RESCORED_LEAST", 8)
    vectors, matrix = filled(60, 64)
    query, expected = as_vector(matrix[59]), np.arange(60) >= 52
    for row in range(52):
        vectors.put(row, query)

    assert np.allclose(matrix[52:] @ query, vectors.cosines(query, expected)[52:], atol=1e-5)


def test_an_erased_vector_is_gone_from_memory() -> None:
    """Neither its values nor its signs remain."""
    vectors, _ = filled(5, 64)
    vectors.erase(2)

    assert not vectors.take(2).any()
    assert vectors.cosines(as_vector(np.ones(64, dtype=np.float32)), np.ones(5, dtype=np.bool_))[2] == 0


def test_bytes_and_values_are_one_vector_of_length_one() -> None:
    """What the store keeps as bytes is what the embedder gave."""
    values = np.array([3.0, 4.0], dtype=np.float32)

    assert as_vector(values).tolist() == as_vector(values.tobytes()).tolist() == [np.float32(0.6), np.float32(0.8)]


@pytest.mark.parametrize("rows", [300, 2 * EXACT_ROWS + 100])
def test_one_byte_a_number_is_right_to_two_places(rows: int) -> None:
    """Reduced, in whatever order rows came, the nearest rows have the cosines that they had."""
    vectors, matrix = filled(rows, 64)
    query, everybody = as_vector(matrix[7]), np.ones(rows, dtype=np.bool_)
    for row in range(100, 105):
        matrix[row] = as_vector(query + 0.06 * RANDOM.normal(size=64).astype(np.float32))
        vectors.put(row, matrix[row])
    exact = matrix @ query
    before = vectors.nbytes
    vectors.reduce()
    vectors.put(9, matrix[9])
    nearest = np.argsort(-exact)[:5]
    result = vectors.cosines(query, everybody)

    assert np.allclose(exact[nearest], result[nearest], atol=0.01)
    assert np.allclose(matrix[9], vectors.take(9), atol=0.01)
    assert vectors.nbytes < before / 2


def test_a_reduced_vector_that_is_erased_is_gone_too() -> None:
    """Neither its bytes nor its scale remain."""
    vectors, _ = filled(5, 64)
    vectors.reduce()
    vectors.erase(2)

    assert not vectors.take(2).any()
    assert vectors.cosines(as_vector(np.ones(64, dtype=np.float32)), np.ones(5, dtype=np.bool_))[2] == 0


def test_vectors_that_were_saved_before_there_were_any_can_be_reduced() -> None:
    """What is opened has no room yet, and what is reduced has: both are asked about alike."""
    opened = VectorMatrix(8)
    opened.restore({name: cells.copy() for name, cells in VectorMatrix(8).state().items()})
    opened.reduce()

    assert [0] == opened.cosines(as_vector(np.ones(8, dtype=np.float32)), np.ones(1, dtype=np.bool_)).tolist()


def test_a_limit_of_similarity_is_exact_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sign bits choose, and estimate the others, a ranking with a limit goes by the cosines themselves."""
    monkeypatch.setattr(vectors_module, "EXACT_ROWS", 10)
    monkeypatch.setattr(vectors_module, "_RESCORED_LEAST", 2)
    matrix = RANDOM.normal(size=(200, 16)).astype(np.float32)
    now = datetime(2026, 5, 20, tzinfo=UTC)
    rows = [
        Row(id=str(n), text="pedido", at=now, conversation=str(n), vector=as_vector(item))
        for n, item in enumerate(matrix)
    ]
    query = as_vector(matrix[0])
    ranking = rank(UserIndex(rows), RankQuery(text="pedido", now=now, vector=query, limit=200, min_similarity=0.2))
    true = {str(n) for n, item in enumerate(matrix) if float(as_vector(item) @ query) >= 0.2}

    assert true == {hit.id for hit in ranking}


def test_rows_are_added_to_reduced_vectors_that_were_opened_again() -> None:
    """Every part has room for as many rows as are asked about, whichever of them has grown."""
    saved, matrix = filled(2, 20)
    opened = VectorMatrix(20)
    opened.restore({name: part.copy() for name, part in saved.state().items()})
    opened.reduce()
    expected = np.arange(4) < 2
    result = opened.cosines(as_vector(matrix[0]), expected)

    assert np.allclose([1, matrix[0] @ matrix[1], 0, 0], result, atol=1e-2)
