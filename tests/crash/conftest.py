"""What tests of sudden ends share: a warm process, from which lives are forked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.crash.lives import Lives


@pytest.fixture
def lives(request: pytest.FixtureRequest) -> Iterator[Lives]:
    """Lives of the module of `tests.children` that the test's own module names."""
    result = Lives(request.module.CHILD)
    yield result
    result.close()
