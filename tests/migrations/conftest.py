"""What tests of migrations begin with: an empty store of either SQL engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.migrations.test_moves import Kept


@pytest.fixture(params=["folder", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    """An empty store."""
    return Kept(request.param, tmp_path)
