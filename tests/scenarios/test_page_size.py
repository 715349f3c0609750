"""Pages of a SQLite store: new ones are large enough for what the ranking reads, old ones stay as they are."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rememora import Rememora, Settings
from rememora.adapters.sql import sqlite as sqlite_module
from rememora.adapters.sql.folder import file_of


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A store in a folder, whatever engine the other tests use."""
    overrides = {"store.url": str(tmp_path / "store"), "store.key_folder": str(tmp_path / "keys")}
    return Settings.load(overrides, environ={})


async def test_a_new_store_has_large_pages(settings: Settings) -> None:
    """Features of a long turn and a vector fit a page, so that neither needs another one."""
    await _said(settings, "um")

    assert sqlite_module.PAGE_BYTES == _page_bytes(settings) == 8192


async def test_a_store_of_other_pages_keeps_them(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that an older program made is opened, read and written as it is."""
    with monkeypatch.context() as older:
        older.setattr(sqlite_module, "PAGE_BYTES", 4096)
        await _said(settings, "um")

    assert ["um", "dois"] == await _said(settings, "dois")
    assert 4096 == _page_bytes(settings)


async def _said(settings: Settings, text: str) -> list[str]:
    """What a person has said so far, after one text more."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c")
        await chat.append("user", text)
        return [message.content for message in (await chat.messages()).items]


def _page_bytes(settings: Settings) -> int:
    connection = sqlite3.connect(file_of(settings.store.url))
    try:
        return int(connection.execute("PRAGMA page_size").fetchone()[0])
    finally:
        connection.close()
