"""Behind a store's back: what its tables hold, whoever's rows they are, and what somebody else writes there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from tests.engines.postgres import ADMIN, databases

from rememora.adapters.sql.folder import FILE


def behind(url: str | Path, *statements: str) -> list[Any]:
    """Run statements on a store of either engine; what the last one finds."""
    rows: Any = None
    if "://" in str(url):
        with psycopg.connect(databases().url(urlsplit(str(url)).path[1:], ADMIN)) as server:
            for statement in statements:
                rows = server.execute(statement.encode())
            return rows.fetchall() if rows.description else []
    with closing(sqlite3.connect(Path(url) / FILE)) as connection, connection:
        for statement in statements:
            rows = connection.execute(statement)
        return list(rows)
