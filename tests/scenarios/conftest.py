"""What scenarios begin with: somebody to remember, and a second process beside the first."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.clock import SetClock

from rememora import Rememora, Settings, UserMemory


@pytest.fixture
def ana(rememora: Rememora) -> UserMemory:
    """A user without any right beyond her own memory."""
    return rememora.user("ana", tenant="acme")


@pytest.fixture
async def other(settings: Settings, clock: SetClock) -> AsyncIterator[Rememora]:
    """The same store, opened once more, as another process would."""
    async with Rememora.open(settings=settings, clock=clock, background=False) as opened:
        yield opened
