"""Settings that tests of talking share: the bundled encoder, as a store has it that `make serve` opens."""

from __future__ import annotations

import pytest
from tests.calm import CALM


@pytest.fixture
def overrides() -> dict[str, object]:
    """The bundled encoder, and a deadline that a busy machine cannot miss: these are laws, not races."""
    return {"recall.embedder": "offline", **CALM}
