"""The worlds that the mission suite runs in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contract.missions.worlds import ENGINES, SEEN_BY_OTHERS, World, world_of


@pytest.fixture(params=ENGINES)
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    async with world_of(request.param, tmp_path) as opened:
        yield opened


# A cluster is asked in the same scripts as one Redis.
ABROAD = [
    pytest.param(engine, marks=pytest.mark.slow if engine == "redis-cluster" else ()) for engine in SEEN_BY_OTHERS
]


@pytest.fixture(params=ABROAD)
async def abroad(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    """A world that other processes can see."""
    async with world_of(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
async def on_disk(tmp_path: Path) -> AsyncIterator[World]:
    """A world whose files are ours to read."""
    async with world_of("sqlite", tmp_path) as opened:
        yield opened
