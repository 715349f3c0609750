"""The engine under load: serial per tenant, durable when it says so, and no connection held by who waits."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest
from tests.engines.postgres import APP
from tests.postgres.conftest import Place

from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.transaction import Transaction
from rememora.errors import Conflict, StoreUnavailable

TENANTS = ("acme", "other", "third")


def place_in_outbox(tenant: str) -> Any:
    """Takes the tenant's next place: read, then write."""

    def work(transaction: Transaction) -> int:
        row = transaction.one("next_position", {"tenant": tenant, "at": 0, "places": 1})
        assert row is not None
        return int(row[0])

    return work


async def test_writers_of_one_tenant_never_meet(place: Place) -> None:
    """Of 600 writes by three processes none takes another's place, in any tenant."""
    processes = [await place.opened(connections=3) for _ in range(3)]
    taken = await asyncio.gather(
        *(
            process.write(tenant, place_in_outbox(tenant))
            for _ in range(67)
            for tenant in TENANTS
            for process in processes
        )
    )
    for process in processes:
        await process.close()

    assert sorted(taken) == sorted([*range(1, 202)] * 3)


@pytest.mark.parametrize("level", ["read uncommitted", "repeatable read", "serializable"])
async def test_no_default_of_the_server_changes_what_a_transaction_is(own_place: Place, level: str) -> None:
    """Whatever isolation a database sets for its sessions, writers take turns and a reading has one snapshot."""
    with psycopg.connect(own_place.admin, autocommit=True) as connection:
        text = f"ALTER DATABASE {own_place.name} SET default_transaction_isolation = '{level}'"
        connection.execute(text.encode())

    def isolation(transaction: Transaction) -> str:
        assert isinstance(transaction, PostgresTransaction)
        row = transaction.session.connection.execute("SHOW transaction_isolation").fetchone()
        return str(row and row[0])

    processes = [await own_place.opened(connections=2) for _ in range(2)]
    taken = await asyncio.gather(
        *(process.write("acme", place_in_outbox("acme")) for _ in range(50) for process in processes)
    )
    readings = [await processes[0].read(tenant, isolation) for tenant in ("acme", None)]
    written = [await processes[0].write(tenant, isolation) for tenant in ("acme", None)]
    for process in processes:
        await process.close()

    assert [*range(1, 101)] == sorted(taken)
    assert (["repeatable read"] * 2, ["read committed"] * 2) == (readings, written)


async def test_what_waits_holds_no_connection(place: Place) -> None:
    """A storm of a thousand callers is served through two connections, and no other is opened meanwhile."""
    database = await place.opened(connections=2)
    # The session that looked at the schema is closed by now, but its process may take a while to end.
    closed = sessions_of(place)
    served: set[int] = set()
    seen: set[int] = set()

    def noting(work: Any) -> Any:
        def noted(transaction: PostgresTransaction) -> object:
            served.add(transaction.session.connection.info.backend_pid)
            return work(transaction)

        return noted

    storm = [
        database.write(f"t{number % 50}", noting(place_in_outbox(f"t{number % 50}"))) for number in range(500)
    ]
    look = noting(lambda tx: tx.one("audit_head", {"tenant": "acme"}))
    storm += [database.read("acme", look) for _ in range(500)]

    async def watch() -> None:
        while True:
            seen.update(await asyncio.to_thread(sessions_of, place))

    watching = asyncio.create_task(watch())
    await asyncio.gather(*storm)
    watching.cancel()
    # A machine that held the watcher up may have kept it from looking at all.
    seen |= sessions_of(place)
    await database.close()

    assert 1 <= len(served) <= 2
    assert served == seen - (closed - served)


def sessions_of(place: Place) -> set[int]:
    """The processes of the sessions that the application has there."""
    with psycopg.connect(place.admin) as connection:
        rows = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = %s AND usename = %s", (place.name, APP)
        ).fetchall()
    return {int(row[0]) for row in rows}


async def test_one_of_a_group_fails_alone(database: PostgresDatabase) -> None:
    """Units of work that share a commit: the failure of one takes back only its own changes."""

    def doubled(transaction: Transaction) -> None:
        place_in_outbox("acme")(transaction)
        key = {"tenant": "acme", "position": 1, "hash": b"", "signature": b"", "genesis": b""}
        transaction.one("next_audit_position", key)
        event = dict.fromkeys(["id", "type", "user", "conversation", "payload"], "x")
        for _ in range(2):
            transaction.run(
                "add_event",
                {**event, "tenant": "acme", "position": 99, "occurred_at": 0, "version": 2, "subject": "x"},
            )

    works = [doubled if number % 3 == 0 else place_in_outbox("acme") for number in range(30)]
    result = await asyncio.gather(*(database.write("acme", work) for work in works), return_exceptions=True)

    assert [True] * 10 == [isinstance(item, Conflict) for item in result[::3]]
    assert [*range(1, 21)] == sorted(item for item in result if isinstance(item, int))


async def test_a_failure_that_is_swallowed_is_no_success(database: PostgresDatabase) -> None:
    """PostgreSQL answers a commit of a failed transaction by taking it back: nobody is told that it was kept."""

    def careless(transaction: Transaction) -> None:
        place_in_outbox("acme")(transaction)
        try:
            transaction.run("next_position", {"tenant": "other", "at": 0, "places": 1})
        except psycopg.Error:
            return

    with pytest.raises(StoreUnavailable, match="rolled the change back"):
        await database.write("acme", careless)

    assert 1 == await database.write("acme", place_in_outbox("acme"))


async def test_a_lost_connection_is_no_success(place: Place, database: PostgresDatabase) -> None:
    """A session that ends inside a write fails it; the next write has another, and finds nothing of the first."""

    def cut(transaction: Transaction) -> None:
        place_in_outbox("acme")(transaction)
        end_sessions(place)
        place_in_outbox("acme")(transaction)

    with pytest.raises(StoreUnavailable):
        await database.write("acme", cut)

    assert 1 == await database.write("acme", place_in_outbox("acme"))


async def test_a_reading_survives_a_lost_connection(place: Place, database: PostgresDatabase) -> None:
    """It is asked again on a fresh one; a write that had not begun is too."""
    runs = 0

    def read(transaction: Transaction) -> object:
        nonlocal runs
        runs += 1
        if runs == 1:
            end_sessions(place)
        return transaction.all("audit_tenants", {})

    assert [] == await database.read("acme", read)
    assert 2 == runs
    await asyncio.gather(*(database.read("acme", lambda _: None) for _ in range(20)))
    end_sessions(place)
    assert 1 == await database.write("acme", place_in_outbox("acme"))


def end_sessions(place: Place) -> None:
    """End every session of the application, as a failing network would."""
    with psycopg.connect(place.admin, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s AND usename = %s",
            (place.name, APP),
        )


async def test_a_lock_is_not_waited_for_for_ever(place: Place) -> None:
    """Another process that holds a tenant makes its writes fail in words, and nobody else's."""
    database = await place.opened(busy_seconds=0.2)
    with psycopg.connect(place.app) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtextextended('acme', 7163025001))")
        with pytest.raises(StoreUnavailable, match="lock timeout"):
            await database.write("acme", place_in_outbox("acme"))

        assert 1 == await database.write("other", place_in_outbox("other"))
    await database.close()


async def test_closing_finishes_what_was_begun(place: Place) -> None:
    """Every write that was accepted is answered, and what comes later is refused."""
    database = await place.opened(connections=2, group=3)
    writes = [asyncio.create_task(database.write("acme", place_in_outbox("acme"))) for _ in range(50)]
    await asyncio.sleep(0)
    await database.close()

    assert [*range(1, 51)] == sorted([await write for write in writes])
    with pytest.raises(StoreUnavailable, match="not open"):
        await database.write("acme", place_in_outbox("acme"))


async def test_others_hear_of_a_write(place: Place, database: PostgresDatabase) -> None:
    """A process is rung when another has written, not for its own writes, and again after its session was cut."""
    local, there = asyncio.Event(), asyncio.Event()
    other = await place.opened()
    database.listen(local.set)
    other.listen(there.set)
    await asyncio.gather(local.wait(), there.wait())
    local.clear()
    there.clear()
    await database.write("acme", place_in_outbox("acme"))
    await asyncio.wait_for(there.wait(), 20)

    assert not local.is_set()
    there.clear()
    end_sessions(place)
    await asyncio.wait_for(there.wait(), 20)
    await other.close()
