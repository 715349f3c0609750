"""What scenarios begin with: a second process beside the first."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.clock import SetClock

from rememora import Rememora, Settings


@pytest.fixture
async def other(settings: Settings, clock: SetClock) -> AsyncIterator[Rememora]:
    """The same store, opened once more, as another process would."""
    async with Rememora.open(settings=settings, clock=clock, background=False) as opened:
        yield opened
