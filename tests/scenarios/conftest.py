"""What scenarios begin with: a second process beside the first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.clock import SetClock
from tests.model_reads import Opening

from rememora import Rememora, Settings, UserMemory
from rememora.ports.outside import Model


@pytest.fixture
async def other(settings: Settings, clock: SetClock) -> AsyncIterator[Rememora]:
    """The same store, opened once more, as another process would."""
    async with Rememora.open(settings=settings, clock=clock, background=False) as opened:
        yield opened


@pytest.fixture
def reading(settings: Settings, clock: SetClock) -> Opening:
    """The store of the settings, opened with a model that reads; Ana's memory in it."""

    @asynccontextmanager
    async def opened(model: Model | None) -> AsyncIterator[UserMemory]:
        async with Rememora.open(settings=settings, clock=clock, model=model, background=False) as rememora:
            yield rememora.user("ana", tenant="acme")

    return opened
