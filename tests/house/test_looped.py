"""A loop inside a test loses no case: each runs, and each that fails is named."""

from __future__ import annotations

import inspect
from itertools import count

import pytest
from tests.looped import looped


def test_every_failing_case_is_named() -> None:
    """Those after the first failure run too, whichever way they fail."""
    seen: list[int] = []

    @looped("number", [1, 2, 3, 4])
    def law(number: int) -> None:
        seen.append(number)
        if number == 3:
            with pytest.raises(ValueError, match="never"):
                pass
        assert number != 2, "two"

    with pytest.raises(AssertionError) as result:
        law()

    assert [1, 2, 3, 4] == seen
    assert str(result.value).startswith("2 of 4 cases fail:\n[2] AssertionError: two")
    assert "[3] Failed: DID NOT RAISE" in str(result.value)


async def test_coroutines_fixtures_and_nested_loops() -> None:
    """What is not looped over is asked of pytest; each case gets a value of its own where that is wanted."""
    numbers, seen = count(), list[tuple[str, str, str]]()

    @looped("one, other", [("a", "b"), ("c", "d")], fresh=lambda pair: (f"{next(numbers)}{pair[0]}", pair[1]))
    @looped("name", ["x", "y"], ids=["first", "second"])
    async def law(store: str, one: str, other: str, name: str) -> None:
        seen.append((one, other, name))
        assert (store, name) == ("store", "x")

    assert ["store"] == list(inspect.signature(law).parameters)
    with pytest.raises(AssertionError, match=r"2 of 2 cases fail:\n\[\('a', 'b'\)\] AssertionError: 1 of 2 cases"):
        await law(store="store")
    assert [("0a", "b", "x"), ("0a", "b", "y"), ("1c", "d", "x"), ("1c", "d", "y")] == seen


def test_a_loop_over_nothing_is_refused() -> None:
    """As is one over an argument that the test does not take."""
    with pytest.raises(AssertionError, match="proves nothing"):
        looped("name", [])
    with pytest.raises(AssertionError, match="takes no other"):
        looped("other", [1])(lambda name: name)
