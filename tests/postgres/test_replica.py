"""A read replica is asked only for what it has, and never for what this process wrote and it has not replayed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from tests.engines.postgres import ADMIN, Databases, Server, Standby

from rememora import Settings
from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.transaction import Transaction
from rememora.errors import UnsafeRole


class Pair:
    """A primary and its standby, and an engine that knows both."""

    def __init__(self, folder: Path) -> None:
        self.primary = Server()
        databases = Databases(self.primary.url("postgres", ADMIN))
        self.name = databases.take()
        self.standby = Standby(self.primary)
        wanted = {"store.url": self.primary.url(self.name), "store.replica_url": self.standby.url(self.name)}
        self.database = PostgresDatabase(Settings.load({**wanted, "store.connect_seconds": 1}, environ={}).store)

    def replay(self, *, on: bool) -> None:
        """Let the standby fall behind, or follow again."""
        with psycopg.connect(self.standby.url("postgres", ADMIN), autocommit=True) as connection:
            connection.execute(f"SELECT pg_wal_replay_{'resume' if on else 'pause'}()".encode())

    def follow(self) -> None:
        """Wait until the standby has everything."""
        with psycopg.connect(self.primary.url("postgres", ADMIN), autocommit=True) as connection:
            row = connection.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
        assert row is not None
        with psycopg.connect(self.standby.url("postgres", ADMIN), autocommit=True) as connection:
            done = None
            while done != (True,):
                done = connection.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", row).fetchone()


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    """Both servers, running."""
    found = Pair(tmp_path)
    found.follow()
    await found.database.open()
    yield found
    await found.database.close()
    for server in (found.standby, found.primary):
        server.remove()


def where(transaction: Transaction) -> bool:
    """Whether a reading runs on a replica."""
    assert isinstance(transaction, PostgresTransaction)
    row = transaction.session.connection.execute("SELECT pg_is_in_recovery()").fetchone()
    return bool(row and row[0])


def write(transaction: Transaction) -> int:
    row = transaction.one("next_position", {"tenant": "acme", "at": 0, "places": 1})
    assert row is not None
    return int(row[0])


def stored(transaction: Transaction) -> int:
    return len(transaction.all("events_after", {"tenant": "acme", "after": 0, "limit": 1000}))


async def test_readings_follow_what_was_written(pair: Pair) -> None:
    """At first the replica answers; behind our own write the primary does; once it follows, the replica again.

    An operator's readings never leave the primary, and without the replica everything goes on.
    """
    database = pair.database
    assert await database.read("acme", where)
    assert not await database.read(None, where)

    pair.replay(on=False)
    assert 1 == await database.write("acme", write)
    stamp = await database.changed()
    assert not await database.read("acme", where)

    pair.replay(on=True)
    await asyncio.to_thread(pair.follow)
    assert await database.read("acme", where)
    assert stamp != await database.changed()

    pair.standby.kill()
    assert not await database.read("acme", where)
    assert 2 == await database.write("acme", write)
    assert 0 == await database.read("acme", stored)
    assert stamp != await database.changed()


async def test_a_role_that_sees_past_the_walls_is_refused_there_too(pair: Pair) -> None:
    """The replica may be asked as somebody else, whom the primary never saw."""
    wanted = {"store.url": pair.primary.url(pair.name), "store.replica_url": pair.standby.url(pair.name, ADMIN)}
    database = PostgresDatabase(Settings.load(wanted, environ={}).store)
    with pytest.raises(UnsafeRole, match="superuser"):
        await database.open()


async def test_a_replica_that_is_away_delays_no_start(pair: Pair) -> None:
    """The store opens and the primary answers."""
    pair.standby.kill()
    wanted = {"store.url": pair.primary.url(pair.name), "store.replica_url": pair.standby.url(pair.name)}
    database = PostgresDatabase(Settings.load({**wanted, "store.connect_seconds": 1}, environ={}).store)
    await database.open()

    assert not await database.read("acme", where)

    await database.close()
