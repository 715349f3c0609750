"""One connection to PostgreSQL that runs named statements without ceremony: parsed once, planned once.

The driver's cursors cost several times what the server does for a short statement, so that a statement goes
straight to libpq, which waits without holding the interpreter; values travel through the driver's own adapters.
"""

from __future__ import annotations

import re
import select
import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import msgspec
import psycopg
from psycopg import errors, pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq.abc import PGresult

from rememora.adapters.sql.postgres.texts import filled
from rememora.adapters.sql.queries import queries
from rememora.adapters.sql.transaction import Params
from rememora.errors import InvalidInput

ENGINE = "postgres"
WARM_AFTER = 5
"""Transactions of a session before its statements are prepared: a short-lived one would not gain from it."""

PATIENCE_SECONDS = 35.0
"""How long the server may say nothing, if nothing else is said."""

MOST_PREPARED = 200
MOST_SENT = 500
_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
_WELL = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


class PreparedQuery(msgspec.Struct, frozen=True):
    """A query in the server's form: numbered parameters, and the name of each."""

    sql: bytes
    parameters: tuple[str, ...]
    formats: tuple[PyFormat, ...]


@cache
def own_statement(name: str, **names: object) -> PreparedQuery:
    """Return one of PostgreSQL's own statements, with the names in braces filled in as SQL identifiers."""
    return statement(filled(name, **names))


def statement(sql: str) -> PreparedQuery:
    """Convert `:name` to `$1`, with the same number for the same name."""
    numbers: dict[str, int] = {}
    text = _PARAMETER.sub(lambda found: f"${numbers.setdefault(found[1], len(numbers) + 1)}", sql)
    return PreparedQuery(text.encode(), tuple(numbers), (PyFormat.AUTO,) * len(numbers))


@cache
def statements() -> dict[str, PreparedQuery]:
    """Every named query in the server's own spelling."""
    return {name: statement(query.sql) for name, query in queries(ENGINE).items()}


_COMMIT = statement("COMMIT")
Opening = Sequence[tuple[PreparedQuery, Params]]
"""The statements that begin a transaction."""


class ServerTimeout(psycopg.OperationalError):
    """The server neither answered nor hung up for longer than it gives itself."""


class PostgresSession:
    """A connection, and what the server has prepared for it."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        *,
        prepares: bool,
        ours: bool = True,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._connection = connection
        self._patience = patience
        self.silent = False
        self._line = connection.pgconn
        # The connection has been taught our types by now.
        self._values: Any = Transformer.from_context(connection)
        self._prepares = prepares
        self._ours = ours
        self._served = 0
        self._prepared: dict[tuple[bytes, tuple[int, ...]], bytes] = {}
        self._named = 0
        self._sent: list[tuple[PreparedQuery, Params]] = []

    @property
    def warm(self) -> bool:
        """Return whether the session prepares its statements."""
        return self._prepares and self._served > WARM_AFTER

    @property
    def _preparing(self) -> bool:
        """Not in a transaction in which something failed: it lets no older statement go."""
        return self.warm and self.status != pq.TransactionStatus.INERROR

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """The driver's own, once all that was sent is done."""
        if self._sent:
            self._together(self._take_sent())
        return self._connection

    @property
    def broken(self) -> bool:
        """Return whether the server is gone."""
        return self._connection.broken

    def close(self) -> None:
        """End it."""
        self._connection.close()

    @property
    def status(self) -> int:
        """Return the transaction status of the connection; a lost one has none."""
        return self._line.transaction_status

    def begin(self, opening: Opening, *, at_once: bool = True) -> None:
        """Start a transaction; from the first one of a warm session on, a prepared statement keeps its plan.

        Left to choose, the server plans each statement again each time: a plan that is good for every tenant looks
        expensive to it, since it counts the partitions that will be left out when the tenant is known.
        """
        self._served += 1
        if self._ours and self._prepares and self._served == WARM_AFTER + 1:
            self.tell(b"SET plan_cache_mode = force_generic_plan")
        self._sent = [*opening]
        if at_once:
            self._together(self._take_sent())

    def begin_anew(self, opening: Opening) -> None:
        """End a transaction and begin another with what is asked next: no pooler comes between the two."""
        self._sent += [(_COMMIT, {}), *opening]

    def tell(self, commands: bytes) -> PGresult:
        """Run commands without parameters, all in one go; not while something sent is still to be done."""
        self._line.send_query(commands)
        return self._answer()

    def ask(self, query: PreparedQuery, params: Params) -> PGresult:
        """Run a statement, after those that were sent before it; its rows come in the server's own format."""
        if self._sent:
            return self._together([*self._take_sent(), (query, params)])[-1]
        values, dumped = self._values, self._dumped(query, params)
        if self._preparing:
            name, formats = self._prepare(query.sql, values.types), values.formats
            self._line.send_query_prepared(name, dumped, formats, pq.Format.BINARY)
        else:
            self._line.send_query_params(query.sql, dumped, values.types, values.formats, pq.Format.BINARY)
        return self._answer()

    def send(self, query: PreparedQuery, params: Params) -> None:
        """Run what nobody reads an answer of: it travels with the next that is asked, or with the commit."""
        self._sent.append((query, params))
        if len(self._sent) >= MOST_SENT:
            self._together(self._take_sent())

    def end(self, *commands: PreparedQuery) -> PGresult:
        """Have all done that was sent, and these commands after it."""
        if len(commands) == 1:
            return self.ask(commands[0], {})
        return self._together([*self._take_sent(), *((command, {}) for command in commands)])[-1]

    def forget(self) -> None:
        """Discard the statements that were sent."""
        self._sent.clear()

    def _take_sent(self) -> list[tuple[PreparedQuery, Params]]:
        sent, self._sent = self._sent, []
        return sent

    def _together(self, queries: Sequence[tuple[PreparedQuery, Params]]) -> list[PGresult]:
        """Run statements in one round trip; the first that fails ends it, and the rest is not run."""
        bound = [self._bound(*query) for query in queries]
        self._line.enter_pipeline_mode()
        try:
            # All statements leave before the first answer is read: one round trip for the whole batch.
            for send in bound:
                send()
            self._line.pipeline_sync()
            results = self._answers()
        finally:
            if self._line.status != pq.ConnStatus.BAD:
                self._line.exit_pipeline_mode()
        return [self._well(result) for result in results]

    def _dumped(self, query: PreparedQuery, params: Params) -> Any:
        """The values as the server takes them; what it cannot take is refused here, before anything is sent."""
        try:
            return self._values.dump_sequence([params[name] for name in query.parameters], query.formats)
        except (psycopg.DataError, OverflowError, UnicodeEncodeError, struct.error) as error:
            # No word of the value itself: an error may be logged.
            reason = error.reason if isinstance(error, UnicodeEncodeError) else str(error)
            raise InvalidInput("value", f"cannot be stored: {reason}") from None

    def _bound(self, query: PreparedQuery, params: Params) -> Callable[[], None]:
        values, dumped = self._values, self._dumped(query, params)
        formats, types = values.formats, values.types
        if self._preparing:
            name = self._prepare(query.sql, types)
            return lambda: self._line.send_query_prepared(name, dumped, formats, pq.Format.BINARY)
        return lambda: self._line.send_query_params(query.sql, dumped, types, formats, pq.Format.BINARY)

    def _answers(self) -> list[PGresult]:
        """Send what is not sent yet, and take in what the server says until it has said all."""
        results: list[PGresult] = []
        self._flush()
        while True:
            result = self._next_result()
            if result is not None and result.status == pq.ExecStatus.PIPELINE_SYNC:
                return results
            if result is not None:
                results.append(result)

    def _answer(self) -> PGresult:
        """Read the server's answer to a single statement; the driver's own call would wait forever."""
        self._flush()
        result = last = self._next_result()
        while last is not None:
            result, last = last, self._next_result()
        assert result is not None
        return self._well(result)

    def _flush(self) -> None:
        while self._line.flush():
            # It may have to be listened to before it takes more.
            self._wait(to_write=True)
            self._line.consume_input()

    def _next_result(self) -> PGresult | None:
        while self._line.is_busy():
            self._wait()
            self._line.consume_input()
        return self._line.get_result()

    def _wait(self, *, to_write: bool = False) -> None:
        if not _wait_for(self._line.socket, self._patience, to_write=to_write):
            # Whether it did what it was told is unknown: this line is of no use any more.
            self._line.finish()
            self.silent = True
            raise ServerTimeout(f"the server did not respond for {self._patience:g} seconds")

    def rows(self, result: PGresult) -> list[tuple[Any, ...]]:
        """Return the rows of a result."""
        count = result.ntuples
        if not count:
            return []
        self._values.set_pgresult(result)
        loaded: list[tuple[Any, ...]] = self._values.load_rows(0, count, tuple)
        return loaded

    def _prepare(self, sql: bytes, types: tuple[int, ...]) -> bytes:
        """The name under which the server knows a statement; the one that was not used for longest is let go."""
        key = (sql, types)
        name = self._prepared.pop(key, None)
        if name is None:
            # A pooler that keeps statements for us keeps count of them, too.
            while self._ours and len(self._prepared) >= MOST_PREPARED:
                oldest = next(iter(self._prepared))
                self.tell(b"DEALLOCATE " + self._prepared.pop(oldest))
            self._named += 1
            name = b"rememora_%d" % self._named
            self._line.send_prepare(name, sql, types)
            self._answer()
        self._prepared[key] = name
        return name

    def _well(self, result: PGresult) -> PGresult:
        if result.status in _WELL:
            return result
        if self._line.status == pq.ConnStatus.BAD:
            raise psycopg.OperationalError(self._line.get_error_message())
        raise errors.error_from_result(result)


def _wait_for(socket: int, seconds: float, *, to_write: bool) -> bool:
    """Wait until the socket is ready; False after the time limit. A selector would cost twice as much."""
    if not hasattr(select, "poll"):
        return any(select.select([socket], [socket] if to_write else [], [], seconds))
    waiting = select.poll()
    waiting.register(socket, select.POLLIN | select.POLLOUT if to_write else select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
