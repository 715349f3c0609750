"""A read replica is asked only for what it has, and never for what this process wrote and it has not replayed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from tests.engines.balancer import Balancer
from tests.engines.postgres import ADMIN, Databases, Server, Standby
from tests.engines.process import PATIENCE_SECONDS

from rememora import Settings
from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.postgres.session import PostgresSession
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.transaction import Transaction
from rememora.errors import StoreUnavailable, UnsafeRole


class Pair:
    """A primary and its standby, and an engine that knows both."""

    def __init__(self, primary: Server, databases: Databases, standby: Standby) -> None:
        self.primary = primary
        self.name = databases.take()
        self.standby = standby
        overrides = {"store.url": self.primary.url(self.name), "store.replica_url": self.standby.url(self.name)}
        self.database = PostgresDatabase(
            Settings.load({**overrides, "store.connect_seconds": 1}, environ={}).store
        )

    def replay(self, *, on: bool) -> None:
        """Let the standby fall behind, or follow again."""
        with psycopg.connect(self.standby.url("postgres", ADMIN), autocommit=True) as connection:
            connection.execute(f"SELECT pg_wal_replay_{'resume' if on else 'pause'}()".encode())

    def follow(self, standby: Server | None = None) -> None:
        """Wait until a standby has everything."""
        standby = standby or self.standby
        with psycopg.connect(self.primary.url("postgres", ADMIN), autocommit=True) as connection:
            # The end of a word of our own: where the next would begin may lie behind a page that has not begun.
            row = connection.execute("SELECT pg_logical_emit_message(true, 'tests', 'here')::text").fetchone()
        assert row is not None
        with psycopg.connect(standby.url("postgres", ADMIN), autocommit=True) as connection:
            done, give_up_at = None, time.monotonic() + PATIENCE_SECONDS
            while done != (True,):
                assert time.monotonic() < give_up_at
                done = connection.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", row).fetchone()


@pytest.fixture(scope="module")
def primary() -> Iterator[Server]:
    """What the standbys of these tests follow; none of them stops it."""
    server = Server()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def databases(primary: Server) -> Databases:
    """Its databases, migrated once for all tests."""
    return Databases(primary.url("postgres", ADMIN))


@pytest.fixture(scope="module")
def shared(primary: Server, databases: Databases) -> Iterator[Standby]:
    """A standby that no test kills."""
    standby = Standby(primary)
    yield standby
    standby.remove()


@pytest.fixture
async def pair(primary: Server, databases: Databases, shared: Standby) -> AsyncIterator[Pair]:
    """Both servers, running; the database is the test's own."""
    async with opened(Pair(primary, databases, shared)) as result:
        yield result
        result.replay(on=True)


@pytest.fixture
async def mortal(primary: Server, databases: Databases) -> AsyncIterator[Pair]:
    """The same with a standby of the test's own, which it may kill."""
    async with opened(Pair(primary, databases, Standby(primary))) as result:
        yield result
    result.standby.remove()


@asynccontextmanager
async def opened(pair: Pair) -> AsyncIterator[Pair]:
    """A pair that is in use once the standby has all that there is."""
    pair.follow()
    await pair.database.open()
    yield pair
    await pair.database.close()


def asked(transaction: Transaction, query: bytes) -> Any:
    """What the server says to a query of the test's own."""
    assert isinstance(transaction, PostgresTransaction)
    row = transaction.session.connection.execute(query).fetchone()
    return row and row[0]


def where(transaction: Transaction) -> bool:
    """Whether a reading runs on a replica."""
    return bool(asked(transaction, b"SELECT pg_is_in_recovery()"))


def position(transaction: Transaction) -> int:
    """How far the tenant's events are numbered."""
    return int(asked(transaction, b"SELECT outbox_position FROM tenants") or 0)


def write(transaction: Transaction) -> int:
    row = transaction.one("next_position", {"tenant": "acme", "at": 0, "places": 1})
    assert row is not None
    return int(row[0])


def stored(transaction: Transaction) -> int:
    return len(transaction.all("events_after", {"tenant": "acme", "after": 0, "limit": 1000}))


async def test_readings_follow_what_was_written(mortal: Pair) -> None:
    """At first the replica answers; behind our own write the primary does; once it follows, the replica again.

    An operator's readings never leave the primary, and without the replica everything goes on.
    """
    database = mortal.database
    assert await database.read("acme", where)
    assert not await database.read(None, where)

    mortal.replay(on=False)
    assert 1 == await database.write("acme", write)
    assert not await database.read("acme", where)

    mortal.replay(on=True)
    await asyncio.to_thread(mortal.follow)
    assert await database.read("acme", where)

    mortal.standby.kill()
    assert not await database.read("acme", where)
    assert 2 == await database.write("acme", write)
    assert 0 == await database.read("acme", stored)


async def test_a_role_that_sees_past_the_walls_is_refused_there_too(pair: Pair) -> None:
    """The replica may be asked as somebody else, whom the primary never saw."""
    overrides = {"store.url": pair.primary.url(pair.name), "store.replica_url": pair.standby.url(pair.name, ADMIN)}
    database = PostgresDatabase(Settings.load(overrides, environ={}).store)
    with pytest.raises(UnsafeRole, match="superuser"):
        await database.open()


async def test_a_replica_that_is_away_delays_no_start(mortal: Pair) -> None:
    """The store opens and the primary answers."""
    mortal.standby.kill()
    url, replica_url = (server.url(mortal.name) for server in (mortal.primary, mortal.standby))
    overrides = {"store.url": url, "store.replica_url": replica_url, "store.connect_seconds": 1}
    database = PostgresDatabase(Settings.load(overrides, environ={}).store)
    await database.open()

    assert not await database.read("acme", where)

    await database.close()


async def test_behind_one_address_each_connection_is_asked_for_itself(pair: Pair) -> None:
    """Of two replicas one lags: whichever a reading meets, it has all that this process wrote."""
    other = Standby(pair.primary)
    balancer = Balancer(pair.standby.port, other.port)
    url = pair.standby.url(pair.name).replace(str(pair.standby.port), str(balancer.port))
    overrides = {"store.url": pair.primary.url(pair.name), "store.replica_url": url}
    database = PostgresDatabase(Settings.load(overrides, environ={}).store)
    await database.open()
    await asyncio.gather(*[database.read("acme", where) for _ in range(8)])
    pair.replay(on=False)
    seen, places = [], []
    for number in range(1, 6):
        await database.write("acme", write)
        await asyncio.to_thread(pair.follow, other)
        seen.append(set(await asyncio.gather(*[database.read("acme", position) for _ in range(8)])) == {number})
        places += await asyncio.gather(*[database.read("acme", where) for _ in range(8)])
    await database.close()
    balancer.close()
    other.remove()

    assert [True] * 5 == seen
    assert {True, False} == set(places)


async def test_a_write_that_failed_keeps_nobody_from_the_replica(pair: Pair) -> None:
    """Nothing was written, so there is nothing to wait for, however far behind the replica is."""
    pair.replay(on=False)
    with pytest.raises(StoreUnavailable):
        await pair.database.write("acme", lambda tx: asked(tx, b"SELECT 1 / 0"))
    with pytest.raises(ZeroDivisionError):
        await pair.database.write("acme", lambda _: 1 // 0)

    assert await pair.database.read("acme", where)


async def test_whoever_lost_count_of_his_writes_asks_the_primary(pair: Pair) -> None:
    """Written, and then the connection was gone before it said how far: the replica is not given up for that."""
    gone = PostgresSession(psycopg.connect(pair.primary.url(pair.name)), prepares=False)
    gone.connection.close()
    replica = pair.database._replica
    assert replica is not None
    replica.wrote(gone)
    lost = replica.lost
    await pair.database.read("acme", where)
    await asyncio.to_thread(pair.follow)

    assert lost
    assert await pair.database.read("acme", where)
