"""What tests of talking share: settings under which what is answered hangs on the words alone."""

from __future__ import annotations

import pytest
from tests.calm import CALM


@pytest.fixture
def wanted() -> dict[str, object]:
    """Recall by words alone, and a deadline that a busy machine cannot miss: these are laws, not races."""
    return {"recall.embedder": "none", **CALM}
