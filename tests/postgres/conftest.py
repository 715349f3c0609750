"""A database of PostgreSQL for a test of that engine alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest
from tests.engines.postgres import ADMIN, APP, OWNER, databases

from rememora import Settings
from rememora.adapters.sql.postgres.database import PostgresDatabase


class Place:
    """One database, seen by each of its roles."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = str(folder)
        self.app = databases().url(name, APP)
        self.owner = databases().url(name, OWNER)
        self.admin = databases().url(name, ADMIN)

    def settings(self, overrides: Mapping[str, object] | None = None) -> Settings:
        """What the application is opened with, beside what is wanted; its key goes with the test."""
        given = {"store.url": self.app, "store.key_folder": self.folder}
        return Settings.load({**given, **(overrides or {})}, environ={})

    async def opened(self, **overrides: object) -> PostgresDatabase:
        """The engine of one more process, as far as the server can tell."""
        settings = self.settings({f"store.{name}": value for name, value in overrides.items()})
        database = PostgresDatabase(settings.store)
        await database.open()
        return database


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A migrated, empty database."""
    name = databases().take()
    yield Place(name, tmp_path)
    databases().give(name)


@pytest.fixture
def own_place(tmp_path: Path) -> Place:
    """A migrated database that the test may spoil: nobody else will use it."""
    return Place(databases().create(databases().template), tmp_path)


@pytest.fixture
async def database(place: Place) -> AsyncIterator[PostgresDatabase]:
    """The engine, open."""
    opened = await place.opened()
    yield opened
    await opened.close()
