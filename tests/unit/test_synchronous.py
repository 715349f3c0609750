"""How carefully SQLite writes to the disk: by default so that a power failure loses nothing acknowledged."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from rememora import Settings
from rememora.adapters.sql.sqlite import SqliteDatabase

NORMAL, FULL = 1, 2
"""SQLite's own numbers of its levels."""


@pytest.mark.parametrize(("overrides", "level"), [({}, FULL), ({"store.synchronous": "normal"}, NORMAL)])
def test_a_connection_writes_as_the_settings_say(tmp_path: Path, overrides: dict[str, str], level: int) -> None:
    """Most tests use `normal`, which is quicker; nobody who says nothing gets it."""
    settings = Settings.load({"store.url": str(tmp_path), **overrides}, environ={})
    with closing(SqliteDatabase(settings.store)._connect()) as connection:
        assert [(level,)] == connection.execute("PRAGMA synchronous").fetchall()
