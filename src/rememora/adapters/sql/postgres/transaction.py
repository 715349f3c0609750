"""Named queries on one PostgreSQL session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psycopg.pq.abc import PGresult

from rememora.adapters.sql.postgres.session import PostgresSession, PreparedQuery, statements
from rememora.adapters.sql.postgres.types import Vector
from rememora.adapters.sql.transaction import Params, Row

_VECTOR = "vector"


class PostgresTransaction:
    """Named queries inside the transaction that a session has begun."""

    def __init__(self, session: PostgresSession, texts: Mapping[str, PreparedQuery] | None = None) -> None:
        self.session = session
        self._statements = statements() if texts is None else texts

    def run(self, name: str, params: Params) -> int:
        return self._ask(name, params).command_tuples or 0

    def send(self, name: str, params: Params) -> None:
        self.session.send(self._statements[name], _dumped(params))

    def many(self, name: str, params: Iterable[Params]) -> None:
        for param in params:
            self.send(name, param)

    def one(self, name: str, params: Params) -> Row | None:
        rows = self.session.rows(self._ask(name, params))
        return rows[0] if rows else None

    def all(self, name: str, params: Params) -> list[Row]:
        return self.session.rows(self._ask(name, params))

    def _ask(self, name: str, params: Params) -> PGresult:
        return self.session.ask(self._statements[name], _dumped(params))


def _dumped(params: Params) -> Params:
    """A parameter called vector is one."""
    floats = params.get(_VECTOR)
    return {**params, _VECTOR: Vector(floats)} if isinstance(floats, bytes) else params
