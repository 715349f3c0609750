"""Errors of callers when SQLite takes a whole transaction back by itself, as it does on a full disk."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from rememora import Settings
from rememora.adapters.sql.sqlite import SqliteDatabase
from rememora.errors import StoreUnavailable


def create(transaction: Any) -> None:
    """Make a table to write into."""
    transaction._execute("CREATE TABLE words (word)")


def fill(transaction: Any) -> None:
    """Write more than there is room for: the file may not grow by a page."""
    [(pages,)] = transaction._execute("PRAGMA page_count").fetchall()
    transaction._execute(f"PRAGMA max_page_count = {pages}")
    try:
        transaction._execute("INSERT INTO words VALUES (zeroblob(1000000))")
    finally:
        transaction._execute("PRAGMA max_page_count = 1000000")


def write(transaction: Any) -> None:
    """Write a little."""
    transaction._execute("INSERT INTO words VALUES ('a')")


def count(transaction: Any) -> int:
    """How much was written."""
    [(number,)] = transaction._execute("SELECT count(*) FROM words").fetchall()
    return int(number)


async def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    """Alone or with others in one commit, nobody hears that there was nothing to roll back; writing goes on."""
    database = SqliteDatabase(Settings.load({"store.url": str(tmp_path)}, environ={}).store)
    await database.open()
    await database.write(None, create)
    with pytest.raises(StoreUnavailable, match="disk is full"):
        await database.write(None, fill)
    works = [write, fill, *[write] * 8]
    ends = await asyncio.gather(*(database.write(None, work) for work in works), return_exceptions=True)
    await database.write(None, write)
    written = await database.write(None, count)
    await database.close()

    errors = {str(end) for end in ends if end is not None}
    assert {"the store does not answer: database or disk is full"} == errors
    assert written == 1 + ends.count(None)
