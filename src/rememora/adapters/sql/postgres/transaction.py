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
_VECTOR = "vector"


@cache
def statements() -> dict[str, bytes]:
    """Every named query in the driver's own spelling."""
    return {name: translated(query.sql).encode() for name, query in queries(ENGINE).items()}


def translated(sql: str) -> str:
    """`:name` becomes `%(name)s`; a percent sign stands for itself."""
    return _PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%"))


class PostgresTransaction:
    """Named queries on one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.cursor = connection.cursor(binary=True)
        self._statements = statements()

    def run(self, name: str, params: Params) -> int:
        return self._execute(name, params).rowcount

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
