"""One end of a line falls silent: whoever waits at the other is told in the end, and nobody else waits for it."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.postgres.conftest import Place
from tests.postgres.test_database import opened, place_in_outbox
from tests.postgres.test_session import session_of

from rememora.adapters.sql.transaction import Transaction
from rememora.errors import StoreUnavailable

LONGEST_SECONDS = 90.0
"""Far more than anything here takes: a test that hangs has failed."""


async def test_who_falls_silent_in_a_transaction_does_not_keep_the_tenant(place: Place) -> None:
    """A process that stops with a tenant's lock in its hand is shut out after a while, and others write on."""
    stuck, other = await opened(place, statement_seconds=0.1), await opened(place)
    inside, go_on = threading.Event(), threading.Event()

    def stop(transaction: Transaction) -> None:
        place_in_outbox("acme")(transaction)
        inside.set()
        go_on.wait(LONGEST_SECONDS)

    stopped = asyncio.create_task(stuck.write("acme", stop))
    await asyncio.to_thread(inside.wait)
    found = await asyncio.gather(other.write("acme", place_in_outbox("acme")), return_exceptions=True)
    go_on.set()
    with pytest.raises(StoreUnavailable):
        await stopped
    again = await stuck.write("acme", place_in_outbox("acme"))
    for each in (stuck, other):
        await each.close()

    assert ([1], 2) == (found, again)


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize("tenant", ["acme", None])
async def test_no_transaction_may_idle_for_good(place: Place, tenant: str | None, read: bool) -> None:
    """Each says for how long the server waits for its next word, a little longer than a statement may take."""
    database = await opened(place, statement_seconds=30.0)

    def limit(transaction: Transaction) -> Any:
        return session_of(transaction).connection.execute("SHOW idle_in_transaction_session_timeout").fetchone()

    found = await (database.read if read else database.write)(tenant, limit)
    await database.close()

    assert ("35s",) == found


@pytest.mark.parametrize(
    ("given", "kept"), [("", ("30", "35000")), ("?keepalives_idle=7&tcp_user_timeout=0", ("7", "0"))]
)
async def test_a_line_that_is_cut_is_found_out(place: Place, given: str, kept: tuple[str, str]) -> None:
    """The system asks whether the other end is still there, as often as the URL says or often enough."""
    database = await opened(place, url=place.app + given)

    def told(transaction: Transaction) -> dict[str, str]:
        return session_of(transaction).connection.info.get_parameters()

    found = await database.read("acme", told)
    await database.close()

    assert kept == (found["keepalives_idle"], found["tcp_user_timeout"])
