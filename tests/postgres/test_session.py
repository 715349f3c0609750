"""A session: statements that travel together, statements that are prepared, and what becomes of their failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from tests.postgres.conftest import Place
from tests.postgres.test_database import end_sessions, place_in_outbox

from rememora.adapters.sql.postgres import session as sessions
from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.postgres.session import PostgresSession, statement
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.transaction import Transaction
from rememora.errors import Conflict, Forbidden, InvalidInput, StoreUnavailable

EVENT = {
    **dict.fromkeys(["id", "type", "user", "conversation", "payload"], "x"),
    "occurred_at": 0,
    "version": 2,
    "subject": "x",
}
Work = Callable[[Transaction], Any]


def session_of(transaction: Transaction) -> PostgresSession:
    assert isinstance(transaction, PostgresTransaction)
    return transaction.session


def telling(*positions: int, tenant: str = "acme") -> Work:
    """Sends an event to each of these places, and asks for nothing."""

    def work(transaction: Transaction) -> None:
        for position in positions:
            transaction.send("add_event", {**EVENT, "tenant": tenant, "position": position})

    return work


def positions(transaction: Transaction) -> list[int]:
    rows = transaction.all("events_after", {"tenant": "acme", "after": 0, "limit": 1000})
    return [row[1] for row in rows]


async def test_what_is_sent_is_done_before_what_is_asked(database: PostgresDatabase) -> None:
    """In the order it was sent, by a session that is new and by one that prepares."""

    def work(transaction: Transaction) -> list[int]:
        first = len(positions(transaction))
        telling(first + 1, first + 2)(transaction)
        return positions(transaction)

    items = [await database.write("acme", work) for _ in range(10)]

    assert [[*range(1, count + 1)] for count in range(2, 22, 2)] == items


@pytest.mark.parametrize("times", [1, 8])
async def test_a_refusal_of_what_was_sent_is_its_callers(database: PostgresDatabase, times: int) -> None:
    """Nothing was asked after it, so that the commit finds out: the caller is told in words, nothing is kept."""
    for number in range(times):
        await database.write("acme", telling(number + 10))
    with pytest.raises(Conflict):
        await database.write("acme", telling(1, 10, 2))
    with pytest.raises(Forbidden):
        await database.write("acme", telling(3, tenant="other"))

    assert [*range(10, 10 + times)] == await database.read("acme", positions)


async def test_of_a_group_the_refused_fails_alone(place: Place) -> None:
    """Each unit of work answers for what it sent, and for nothing that another did."""
    database = await place.opened()
    works = [telling(1) if number % 3 == 2 else telling(100 + number) for number in range(30)]
    result = await asyncio.gather(*(database.write("acme", work) for work in works), return_exceptions=True)
    kept = await database.read("acme", positions)
    await database.close()

    assert [None] == result[2::3][:1]
    assert [Conflict] * 9 == [type(item) for item in result[2::3][1:]]
    assert [1, *(100 + number for number in range(30) if number % 3 != 2)] == kept


@pytest.mark.parametrize("asks", [True, False])
@pytest.mark.parametrize("value", ["a\ud800", "a\0", 2**70])
async def test_of_a_group_what_cannot_be_sent_fails_alone(place: Place, value: object, asks: bool) -> None:
    """A value that no server takes is its caller's mistake, whether asked or sent along, and told as one."""
    database = await place.opened()

    def unfit(transaction: Transaction) -> None:
        names = ["id", "user"] if isinstance(value, str) else ["occurred_at"]
        act = transaction.run if asks else transaction.send
        act("add_event", {**EVENT, "tenant": "acme", "position": 50, **dict.fromkeys(names, value)})

    works = [telling(1), unfit, telling(2), telling(3)]
    result = await asyncio.gather(*(database.write("acme", work) for work in works), return_exceptions=True)
    alone = await asyncio.gather(database.write("acme", unfit), return_exceptions=True)
    kept = await database.read("acme", positions)
    await database.close()

    assert [InvalidInput, InvalidInput] == [type(result.pop(1)), type(alone[0])]
    assert ([None] * 3, [1, 2, 3]) == (result, kept)


async def test_of_a_group_the_refused_fails_alone_on_a_session_that_is_full(place: Place) -> None:
    """With as many statements prepared as it may have, what takes back a failed unit of work is not prepared."""
    database = await place.opened(connections=2)

    def full(transaction: Transaction) -> None:
        session = session_of(transaction)
        for number in range(sessions.MOST_PREPARED if session.warm else 0):
            session.ask(statement(f"SELECT {number}"), {})

    def refused(transaction: Transaction) -> None:
        session_of(transaction).ask(statement("SELECT 1 / 0"), {})

    for _ in range(sessions.WARM_AFTER + 2):
        await database.write("acme", full)
    works = [telling(1), refused, telling(2), refused, telling(3)]
    result = await asyncio.gather(*(database.write("acme", work) for work in works), return_exceptions=True)
    kept = await database.read("acme", positions)
    await database.close()

    assert [StoreUnavailable] * 2 == [type(result.pop(3)), type(result.pop(1))]
    assert ([None] * 3, [1, 2, 3]) == (result, kept)


async def test_a_statement_that_takes_too_long_ends_its_batch(place: Place) -> None:
    """What travelled with it is taken back, and the session serves the next."""
    database = await place.opened(statement_seconds=2)

    def slow(transaction: Transaction) -> None:
        telling(1)(transaction)
        session_of(transaction).send(statement("SELECT pg_sleep(60)"), {})
        telling(2)(transaction)

    def pid(transaction: Transaction) -> int:
        return session_of(transaction).connection.info.backend_pid

    before = await database.write("acme", pid)
    with pytest.raises(StoreUnavailable, match="statement timeout"):
        await database.write("acme", slow)
    after, kept = await database.write("acme", pid), await database.read("acme", positions)
    await database.close()

    assert (before, []) == (after, kept)


async def test_a_connection_lost_under_a_batch_is_no_success(place: Place, database: PostgresDatabase) -> None:
    """Its caller is told, nothing remains, and the next write has another session."""

    def cut(transaction: Transaction) -> None:
        telling(1)(transaction)
        place_in_outbox("acme")(transaction)
        end_sessions(place)
        telling(2)(transaction)

    with pytest.raises(StoreUnavailable):
        await database.write("acme", cut)

    assert [] == await database.read("acme", positions)
    assert 1 == await database.write("acme", place_in_outbox("acme"))


async def test_more_is_sent_than_one_batch_takes(database: PostgresDatabase) -> None:
    """Nothing is lost where a batch ends."""
    many = sessions.MOST_SENT * 2 + 7
    await database.write("acme", telling(*range(1, many + 1)))

    assert many == await database.read("acme", lambda tx: len(_everything(tx)))


def _everything(transaction: Transaction) -> list[Any]:
    return transaction.all("events_after", {"tenant": "acme", "after": 0, "limit": 10**6})


def test_a_session_keeps_only_so_many_statements(place: Place) -> None:
    """The one that was not used for longest is let go, and prepared again when it is asked for."""
    with psycopg.connect(place.app, autocommit=True) as connection:
        session = PostgresSession(connection, prepares=True)
        for _ in range(sessions.WARM_AFTER + 1):
            session.begin([(statement("BEGIN"), {})])
            session.tell(b"ROLLBACK")
        texts = [
            statement(f"SELECT {number}::bigint, :what::text") for number in range(sessions.MOST_PREPARED + 3)
        ]
        items = [session.rows(session.ask(item, {"what": "é"})) for item in [*texts, *texts[:3]]]
        known = connection.execute("SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql").fetchone()

    assert [[(number, "é")] for number in [*range(len(texts)), 0, 1, 2]] == items
    assert (sessions.MOST_PREPARED,) == known


@pytest.mark.parametrize(("prepare", "kept"), [("auto", True), ("never", False)])
async def test_what_is_prepared_keeps_its_plan(place: Place, prepare: str, kept: bool) -> None:
    """A session that has served a few transactions plans a statement once, whoever the tenant is; an operator's
    act is planned as it asks, and where nothing may be prepared nothing is changed."""
    database = await place.opened(prepare=prepare)

    def mode(transaction: Transaction) -> str:
        row = session_of(transaction).connection.execute("SHOW plan_cache_mode").fetchone()
        return str(row and row[0])

    modes = [await database.write("acme", mode) for _ in range(sessions.WARM_AFTER + 2)]
    operator = await database.read(None, mode)
    await database.close()

    assert "auto" == modes[0] == operator
    assert ("force_generic_plan" if kept else "auto") == modes[-1]
