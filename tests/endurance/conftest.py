"""The size and the seed of a campaign; the counting is that of the attacks."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.attacks.conftest import probe, pytest_pyfunc_call

__all__ = ["Campaign", "campaign", "probe", "pytest_pyfunc_call"]


class Campaign:
    """Seeds for so many tries as a run wants."""

    def __init__(self, seed: int, scale: float) -> None:
        self.seed = seed
        self._scale = scale

    @property
    def first(self) -> int:
        """The seed of the first try."""
        return self.seed * 10**6

    def seeds(self, tries: int) -> Iterator[int]:
        """A seed for each of these tries, which makes it again under the same `SOAK_SEED`."""
        return iter(range(self.first, self.first + self.size(tries)))

    def size(self, tries: int) -> int:
        """How many tries the run makes of these."""
        return max(1, round(tries * self._scale))


@pytest.fixture
def campaign() -> Campaign:
    """The campaign that the environment asks for."""
    return Campaign(int(os.environ.get("SOAK_SEED", "1")), float(os.environ.get("SOAK_SCALE", "1")))
