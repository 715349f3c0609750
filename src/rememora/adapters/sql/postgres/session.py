"""One connection to PostgreSQL that runs named statements without ceremony: parsed once, planned once.

The driver's cursors cost several times what the server does for a short statement, so that a statement goes
straight to libpq, which waits without holding the interpreter; values travel through the driver's own adapters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
import psycopg
from psycopg import errors, pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq.abc import PGresult

from rememora.adapters.sql.queries import queries

ENGINE = "postgres"
WARM_AFTER = 5
"""So many transactions a session serves before what it runs is prepared: one that is soon gone is not taught."""

MOST_PREPARED = 200
_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
_WELL = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


class Statement(msgspec.Struct, frozen=True):
    """A query as the server takes it: numbered parameters, and which name stands for each."""

    sql: bytes
    parameters: tuple[str, ...]
    formats: tuple[PyFormat, ...]


def statement(sql: str) -> Statement:
    """`:name` becomes `$1`, the same number wherever the same name stands."""
    numbers: dict[str, int] = {}
    text = _PARAMETER.sub(lambda found: f"${numbers.setdefault(found[1], len(numbers) + 1)}", sql)
    return Statement(text.encode(), tuple(numbers), (PyFormat.AUTO,) * len(numbers))


@cache
def statements() -> dict[str, Statement]:
    """Every named query in the server's own spelling."""
    return {name: statement(query.sql) for name, query in queries(ENGINE).items()}


class Session:
    """A connection, and what the server has prepared for it."""

    def __init__(self, connection: psycopg.Connection[Any], *, prepares: bool, ours: bool = True) -> None:
        self.connection = connection
        self._line = connection.pgconn
        # The connection has been taught our types by now.
        self._values: Any = Transformer.from_context(connection)
        self._prepares = prepares
        self._ours = ours
        self._served = 0
        self._prepared: dict[tuple[bytes, tuple[int, ...]], bytes] = {}
        self._named = 0

    @property
    def warm(self) -> bool:
        """Whether it prepares what it runs."""
        return self._prepares and self._served > WARM_AFTER

    @property
    def status(self) -> int:
        """Where the connection stands between transactions; one that is lost stands nowhere."""
        return self._line.transaction_status

    def begin(self, opening: bytes) -> None:
        """Start a transaction; from the first one of a warm session on, a prepared statement keeps its plan.

        Left to choose, the server plans each statement anew each time: a plan that is good for every tenant looks
        dear to it, since it counts the partitions that will be left out when the tenant is known.
        """
        self._served += 1
        if self._ours and self._prepares and self._served == WARM_AFTER + 1:
            self.tell(b"SET plan_cache_mode = force_generic_plan")
        self.tell(opening)

    def tell(self, commands: bytes) -> PGresult:
        """Run commands without parameters, all in one go."""
        return self._well(self._line.exec_(commands))

    def ask(self, wanted: Statement, params: Mapping[str, object]) -> PGresult:
        """Run a statement; its rows come in the server's own format."""
        values = self._values
        dumped = values.dump_sequence([params[name] for name in wanted.parameters], wanted.formats)
        if self.warm:
            name = self._prepare(wanted.sql, values.types or ())
            found = self._line.exec_prepared(name, dumped, values.formats, pq.Format.BINARY)
        else:
            found = self._line.exec_params(wanted.sql, dumped, values.types, values.formats, pq.Format.BINARY)
        return self._well(found)

    def rows(self, found: PGresult) -> list[tuple[Any, ...]]:
        """What a statement answered."""
        count = found.ntuples
        if not count:
            return []
        self._values.set_pgresult(found)
        loaded: list[tuple[Any, ...]] = self._values.load_rows(0, count, tuple)
        return loaded

    def _prepare(self, sql: bytes, types: tuple[int, ...]) -> bytes:
        """The name under which the server knows a statement; the one that was not used for longest is let go."""
        key = (sql, types)
        name = self._prepared.pop(key, None)
        if name is None:
            while len(self._prepared) >= MOST_PREPARED:
                oldest = next(iter(self._prepared))
                self.tell(b"DEALLOCATE " + self._prepared.pop(oldest))
            self._named += 1
            name = b"rememora_%d" % self._named
            self._well(self._line.prepare(name, sql, types))
        self._prepared[key] = name
        return name

    def _well(self, found: PGresult) -> PGresult:
        if found.status in _WELL:
            return found
        if self._line.status == pq.ConnStatus.BAD:
            raise psycopg.OperationalError(self._line.get_error_message())
        raise errors.error_from_result(found)
