"""A short reading of a folder is done where it is asked for, and never waits."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.contract.making import ANA

from rememora import Settings
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.adapters.sql.transaction import Transaction
from rememora.engines import open_store


def readers() -> int:
    return sum(thread.name.startswith("rememora-reader") for thread in threading.enumerate())


async def test_a_short_reading_asks_no_thread(tmp_path: Path) -> None:
    """Another thread is begun by the first reading that is not short."""
    store = await open_store(Settings.load({"store.url": str(tmp_path)}, environ={}))
    before, threads = readers(), []
    for short in (True, False):
        assert [] == await store.read(ANA, lambda work: work.index.standing(ANA, [("message", 1)]), short=short)
        threads.append(readers() - before)
    await store.close()

    assert [0, 1] == threads


async def test_a_glance_that_cannot_be_had_is_none(tmp_path: Path) -> None:
    """Before the store is open, after it is closed, and while another thread looks; then the next is had again."""
    database = SqliteDatabase(Settings.load({"store.url": str(tmp_path / "store")}, environ={}).store)
    early = database.glance("acme", tenants)
    assert not (tmp_path / "store").exists()
    await database.open()
    with database._lookout._taken:
        meanwhile = database.glance("acme", tenants)
    then = database.glance("acme", tenants)
    await database.close()

    assert (None, None, [], None) == (early, meanwhile, then, database.glance("acme", tenants))
    assert database._lookout.look(lambda _: 1) is None


async def test_what_fails_in_a_glance_leaves_the_next_alone(tmp_path: Path) -> None:
    """An error of the work is its caller's; a value that no store could take is left for a reading to say."""
    database = SqliteDatabase(Settings.load({"store.url": str(tmp_path)}, environ={}).store)
    await database.open()
    with pytest.raises(ZeroDivisionError):
        database.glance("acme", lambda _: 1 // 0)
    refused = database.glance("acme", lambda tx: tx.all("newest_change", {"tenant": "\ud800", "user": "ana"}))
    then = database.glance("acme", tenants)
    await database.close()

    assert (None, []) == (refused, then)


def tenants(transaction: Transaction) -> list[object]:
    return [row[0] for row in transaction.all("audit_tenants", {})]
