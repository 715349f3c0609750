"""One end of a line falls silent: whoever waits at the other is told in the end, and nobody else waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from tests.engines.postgres import ADMIN, Databases, Server
from tests.postgres.conftest import Place
from tests.postgres.test_database import place_in_outbox
from tests.postgres.test_session import session_of

from rememora import Settings
from rememora.adapters.sql.postgres import connect, connections
from rememora.adapters.sql.postgres.change_notifier import ChangeNotifier
from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.transaction import Transaction
from rememora.errors import StoreUnavailable

LONGEST_SECONDS = 90.0
"""Far more than anything here takes: a test that hangs has failed."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that may be stopped: nobody else asks it."""
    result = Server()
    yield result
    result.remove()


@pytest.fixture(scope="module")
def url(server: Server) -> str:
    """A database on it."""
    return server.url(Databases(server.url("postgres", ADMIN)).take())


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is given more than a moment beyond what the settings say."""
    for module in (connect, connections):
        monkeypatch.setattr(module, "SLACK_SECONDS", 1.0)


async def within(*acts: Any) -> list[str]:
    """How each ended; all of them have to."""
    async with asyncio.timeout(LONGEST_SECONDS):
        result = await asyncio.gather(*acts, return_exceptions=True)
    return [type(item).__name__ for item in result]


@pytest.mark.usefixtures("hasty")
async def test_a_server_that_says_nothing_is_given_up(server: Server, url: str) -> None:
    """Neither a write nor a reading nor the end of a store waits for good; the same process goes on afterwards."""
    writing, reading, leaving = stores = [await impatient(url) for _ in range(3)]
    before = [await store.write("silent", place_in_outbox("silent")) for store in stores]
    leaving.listen(lambda: None)
    with server.frozen():
        result = await within(
            writing.write("silent", place_in_outbox("silent")),
            reading.read("silent", lambda transaction: transaction.all("audit_tenants", {})),
            leaving.write("other", place_in_outbox("other")),
            leaving.close(),
        )
    after = [await store.write("silent", place_in_outbox("silent")) for store in (writing, reading)]
    for store in stores:
        await store.close()

    assert ["StoreUnavailable"] * 3 + ["NoneType"] == result
    assert [1, 2, 3, 4, 5] == before + after


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("jobs", [1, 3])
async def test_a_commit_without_an_answer_is_no_success(server: Server, url: str, jobs: int) -> None:
    """Nobody knows what became of it, and nobody is told that it was kept."""
    database = await impatient(url)
    ice = ExitStack()

    def last(transaction: Transaction) -> None:
        place_in_outbox("acme")(transaction)
        ice.enter_context(server.frozen())

    works = [*([place_in_outbox("acme")] * (jobs - 1)), last]
    with ice:
        result = await within(*(database.write("acme", work) for work in works))
    number = await database.write("acme", place_in_outbox("acme"))
    await database.close()

    assert "StoreUnavailable" == result[-1]
    assert number > result.count("int")


async def test_a_listener_that_nobody_answers_is_not_waited_for(place: Place) -> None:
    """Whoever takes the call and says nothing keeps no store from ending."""
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0) as mute:
        port = mute.sockets[0].getsockname()[1]
        database = await impatient(place.app, listen_url=f"postgresql://ana@127.0.0.1:{port}/none")
        database.listen(lambda: None)
        await database.write("acme", place_in_outbox("acme"))

        assert ["NoneType"] == await within(database.close())


async def impatient(url: str, **more: object) -> PostgresDatabase:
    """A store that waits no longer than it has to."""
    overrides = {"url": url, "connect_seconds": 1, "statement_seconds": 1, "busy_seconds": 1, **more}
    settings = Settings.load({f"store.{name}": value for name, value in overrides.items()}, environ={})
    database = PostgresDatabase(settings.store)
    await database.open()
    return database


@pytest.mark.usefixtures("hasty")
async def test_who_falls_silent_in_a_transaction_does_not_keep_the_tenant(place: Place) -> None:
    """A process that stops with a tenant's lock in its hand is shut out after a while, and others write on."""
    stuck, other = await place.opened(statement_seconds=1), await place.opened()
    inside, go_on = threading.Event(), threading.Event()

    def stop(transaction: Transaction) -> None:
        place_in_outbox("acme")(transaction)
        inside.set()
        go_on.wait(LONGEST_SECONDS)

    stopped = asyncio.create_task(stuck.write("acme", stop))
    await asyncio.to_thread(inside.wait)
    result = await other.write("acme", place_in_outbox("acme"))
    go_on.set()
    with pytest.raises(StoreUnavailable):
        await stopped
    again = await stuck.write("acme", place_in_outbox("acme"))
    for item in (stuck, other):
        await item.close()

    assert (1, 2) == (result, again)


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize("tenant", ["acme", None])
async def test_no_transaction_may_idle_for_good(place: Place, tenant: str | None, read: bool) -> None:
    """Each says for how long the server waits for its next word, a little longer than a statement may take."""
    database = await place.opened(statement_seconds=30.0)

    def limit(transaction: Transaction) -> Any:
        return session_of(transaction).connection.execute("SHOW idle_in_transaction_session_timeout").fetchone()

    result = await (database.read if read else database.write)(tenant, limit)
    await database.close()

    assert ("35s",) == result


@pytest.mark.parametrize(
    ("given", "kept"), [("", ("30", "35000")), ("?keepalives_idle=7&tcp_user_timeout=0", ("7", "0"))]
)
async def test_a_line_that_is_cut_is_found_out(place: Place, given: str, kept: tuple[str, str]) -> None:
    """The system asks whether the other end is still there, as often as the URL says or often enough."""
    database = await place.opened(url=place.app + given)

    def told(transaction: Transaction) -> dict[str, str]:
        return session_of(transaction).connection.info.get_parameters()

    reading = await database.read("acme", told)
    await database.close()

    assert kept == (reading["keepalives_idle"], reading["tcp_user_timeout"])


def test_a_bell_that_is_gone_already_is_stopped_all_the_same(place: Place) -> None:
    """It may see that it is to stop before it is woken; who tells of a commit after that has nobody to tell."""
    settings = place.settings().store
    bell = ChangeNotifier(place.app, lambda: None, settings, listens=False)
    bell._stopping = True
    bell.start()
    bell._thread.join(60)
    bell.tell()
    bell.stop()
    bell.tell()

    assert not bell._thread.is_alive()
