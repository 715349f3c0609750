"""A mission store of its own for each test of the runtime."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.settings import StoreSettings
from rememora.wiring.parts import utc_now


@pytest.fixture
async def database() -> AsyncIterator[SqliteDatabase]:
    opened = SqliteDatabase(StoreSettings(url=":memory:"))
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def store(database: SqliteDatabase) -> SqlMissions:
    return SqlMissions(database, clock=utc_now)
