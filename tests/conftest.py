"""What every test may ask for: a clock that stands still, settings free of this machine, an open memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from tests.clock import SetClock

from rememora import Rememora, Settings

hypothesis_settings.register_profile(
    "house", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
hypothesis_settings.load_profile("house")


@pytest.fixture
def clock() -> SetClock:
    """A clock that a test moves by hand."""
    return SetClock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The defaults, in a folder of the test's own, whatever the environment says."""
    return Settings.load({"store.url": str(tmp_path / "store")}, environ={})


@pytest.fixture
async def rememora(settings: Settings, clock: SetClock) -> AsyncIterator[Rememora]:
    """An open memory without background loops: `settle()` does what they would do."""
    async with Rememora.open(settings=settings, clock=clock, background=False) as opened:
        yield opened
