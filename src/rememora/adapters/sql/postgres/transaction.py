"""Named queries on one PostgreSQL connection, as psycopg takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import psycopg

from rememora.adapters.sql.postgres.types import Vector
from rememora.adapters.sql.queries import queries
from rememora.adapters.sql.transaction import Params, Row

ENGINE = "postgres"
_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
_EMPTIED = re.compile(r"^\s*(?:DELETE\s+FROM|UPDATE)\s+(\w+)")
_VECTOR = "vector"


@cache
def statements() -> dict[str, bytes]:
    """Every named query in the driver's own spelling."""
    return {name: translated(query.sql).encode() for name, query in queries(ENGINE).items()}


@cache
def emptied() -> dict[str, str]:
    """For each query that leaves dead rows behind, the table they lie in."""
    found = {name: _EMPTIED.match(query.sql) for name, query in queries(ENGINE).items()}
    return {name: match[1] for name, match in found.items() if match}


def translated(sql: str) -> str:
    """`:name` becomes `%(name)s`; a percent sign stands for itself."""
    return _PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%"))


class PostgresTransaction:
    """Named queries on one connection; notes which tables it left dead rows in."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.cursor = connection.cursor(binary=True)
        self._statements = statements()
        self._emptied = emptied()
        self.touched: set[str] = set()

    def run(self, name: str, params: Params) -> int:
        changed = self._execute(name, params).rowcount
        if changed and name in self._emptied:
            self.touched.add(self._emptied[name])
        return changed

    def many(self, name: str, params: Iterable[Params]) -> None:
        self.cursor.executemany(self._statements[name], [_dumped(each) for each in params])

    def one(self, name: str, params: Params) -> Row | None:
        rows = self._execute(name, params).fetchall()
        return rows[0] if rows else None

    def all(self, name: str, params: Params) -> list[Row]:
        return self._execute(name, params).fetchall()

    def _execute(self, name: str, params: Params) -> psycopg.Cursor[Any]:
        return self.cursor.execute(self._statements[name], _dumped(params))


def _dumped(params: Params) -> Params:
    """A parameter called vector is one."""
    floats = params.get(_VECTOR)
    return {**params, _VECTOR: Vector(floats)} if isinstance(floats, bytes) else params
