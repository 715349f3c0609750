"""Two tenants with the same users and ids in one database, side by side, and every act of one of them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import msgspec
import psycopg
from tests.clock import MIDDAY
from tests.contract.filling import fill
from tests.contract.making import RUN

from rememora.adapters.sql.missions import SqlMissions
from rememora.adapters.sql.queries import NamedQuery, queries
from rememora.adapters.sql.schema import ensure_schema
from rememora.adapters.sql.store import SqlUnitOfWork
from rememora.adapters.sql.transaction import Params, Row, Transaction
from rememora.domain.integrity import Integrity
from rememora.domain.scope import Scope
from rememora.errors import RememoraError

T = TypeVar("T")
TENANTS = ("acme", "zeta")
"""Each act is done as the one and as the other: a query that takes the first row it meets is caught."""

DRAWN = frozenset({"edition", "edition_before"})
"""Drawn anew at every write, and so in no two databases alike."""


EQUAL = re.compile(r"(?:\b\w+\.)?\btenant_id\s*=\s*(?::tenant\b|\w+\.tenant_id\b)")
GIVEN = re.compile(r"(?<!= ):tenant\b")
CONFLICT = re.compile(r"(?<=ON CONFLICT \()tenant_id(?:, )?")


class Traced:
    """Runs queries of a table of its own, and remembers which."""

    def __init__(self, connection: sqlite3.Connection, table: Mapping[str, NamedQuery]) -> None:
        self._execute = connection.execute
        self._table = table
        self.asked: set[str] = set()

    def run(self, name: str, params: Params) -> int:
        return self._execute(self._sql(name), params).rowcount

    def send(self, name: str, params: Params) -> None:
        self.run(name, params)

    def many(self, name: str, params: Iterable[Params]) -> None:
        for param in params:
            self.run(name, param)

    def one(self, name: str, params: Params) -> Row | None:
        rows = self.all(name, params)
        return rows[0] if rows else None

    def all(self, name: str, params: Params) -> list[Row]:
        return self._execute(self._sql(name), params).fetchall()

    def _sql(self, name: str) -> str:
        self.asked.add(name)
        return self._table[name].sql


class TenantSide:
    """One tenant's side of an open transaction."""

    def __init__(self, transaction: Transaction, tenant: str) -> None:
        self.work = SqlUnitOfWork(transaction, RUN.model.key)
        self.transaction = transaction
        self.scope = Scope(tenant, "ana", "c1")
        self.person = Scope(tenant, "ana")
        self.other = TENANTS[1 - TENANTS.index(tenant)]
        self.missions = SqlMissions(_Straight(transaction), clock=lambda: MIDDAY)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine that never waits."""
        try:
            work.send(None)
        except StopIteration as ended:
            return cast("T", ended.value)
        raise AssertionError("it waited")


class _Straight:
    """A database that runs each unit of work at once, in the transaction that is open."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    async def write(self, tenant: str | None, work: Callable[[Transaction], T]) -> T:
        return work(self._transaction)

    read = write

    async def scrub(self, tenant: str | None, *, rebuild: bool) -> tuple[str, ...]:
        return ()

    async def residue(self, tenant: str, terms: object) -> list[Any]:
        return []

    async def words(self, tenant: str) -> dict[bytes, Any]:
        return {}

    async def integrity(self) -> Integrity:
        return Integrity(how="")

    def changed(self) -> None: ...

    def glance(self, tenant: str | None, work: object) -> None: ...

    async def close(self) -> None: ...


Act = Callable[[TenantSide], Any]
Rows = dict[str, list[Row]]
Table = Mapping[str, NamedQuery]


class Left(NamedTuple):
    """What an act came to: what it returned, and the rows it left to its tenant and to the other."""

    returned: bytes
    mine: Rows
    theirs: Rows


class Beside:
    """A database of one tenant alone, or of both; each act is taken back after it was looked at."""

    def __init__(self, *tenants: str) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        ensure_schema(self._connection, ":memory:")
        for tenant in tenants:
            fill(TenantSide(Traced(self._connection, queries("sqlite")), tenant))
        # Every act is taken back: what is there between two acts is read once.
        self._untouched = {tenant: self.rows(tenant) for tenant in tenants}

    def untouched(self, tenant: str) -> Rows:
        """Every row of a tenant, as it is when no act is under way."""
        return self._untouched[tenant]

    def after(self, act: Act, tenant: str, table: Table) -> tuple[Left, set[str]]:
        """What is left after an act, and the queries it asked for."""
        self._connection.execute("BEGIN")
        try:
            traced = Traced(self._connection, table)
            local = TenantSide(traced, tenant)
            returned = plainly(act(local))
            return Left(returned, self.rows(tenant), self.rows(local.other)), traced.asked
        finally:
            self._connection.execute("ROLLBACK")

    def rows(self, tenant: str) -> Rows:
        """Every row of a tenant."""
        return {table: self._connection.execute(sql, (tenant,)).fetchall() for table, sql in self._tables.items()}

    @cached_property
    def _tables(self) -> dict[str, str]:
        names = [row[0] for row in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {name: self._columns(name) for name in names}
        return {
            name: f"SELECT {', '.join(held)} FROM {name} WHERE tenant_id = ?"
            for name, held in columns.items()
            if '"tenant_id"' in held
        }

    def _columns(self, table: str) -> list[str]:
        result = self._connection.execute(f"SELECT name FROM pragma_table_info('{table}')")
        return [f'"{name}"' for (name,) in result if name not in DRAWN]


class World(Protocol):
    """One tenant alone, or both, on some engine."""

    def after(self, act: Act, tenant: str, table: Table) -> tuple[Left, set[str]]: ...
    def untouched(self, tenant: str) -> Rows: ...


Worlds = Mapping[tuple[str, ...], World]


def worlds_of(engine: Callable[..., World]) -> Worlds:
    """Each tenant alone, and both."""
    return {names: engine(*names) for names in (*((name,) for name in TENANTS), TENANTS)}


def askers(worlds: Worlds, acts: Mapping[str, Act], table: Table) -> dict[str, dict[str, Act]]:
    """For each query the acts that ask for it."""
    result: dict[str, dict[str, Act]] = {name: {} for name in table}
    for name, act in acts.items():
        for query in worlds[TENANTS].after(act, TENANTS[0], table)[1]:
            result[query][name] = act
    return result


def crossings(worlds: Worlds, acts: Mapping[str, Act], table: Table) -> list[str]:
    """The acts that turn out differently beside another tenant, or leave it otherwise than it was."""
    return list(_each_crossing(worlds, acts, table))


def _each_crossing(worlds: Worlds, acts: Mapping[str, Act], table: Table) -> Iterator[str]:
    """One by one, so that a caller who wants to know only whether there is any can stop at the first."""
    for name, act in acts.items():
        for tenant in TENANTS:
            if _crosses(worlds, act, tenant, table):
                yield f"{name} as {tenant}"


def _crosses(worlds: Worlds, act: Act, tenant: str, table: Table) -> bool:
    alone, world = worlds[(tenant,)], worlds[TENANTS]
    other = TENANTS[1 - TENANTS.index(tenant)]
    with_both, _ = world.after(act, tenant, table)
    if with_both.theirs != world.untouched(other):
        return True
    by_itself, _ = alone.after(act, tenant, table)
    return (by_itself.returned, by_itself.mine) != (with_both.returned, with_both.mine)


def mutants(query: NamedQuery) -> list[str]:
    """The query without one of its holds on the tenant, for each of them."""
    ways = {EQUAL: "1 = 1", GIVEN: f"'{TENANTS[1]}'", CONFLICT: ""}
    return [
        query.sql[: match.start()] + instead + query.sql[match.end() :]
        for pattern, instead in ways.items()
        for match in pattern.finditer(query.sql)
    ]


def plainly(result: Any) -> bytes:
    """What an act returned, in a form that can be compared."""
    return msgspec.json.encode(sorted(result) if isinstance(result, set | frozenset) else result, order="sorted")


def unnoticed(worlds: Worlds, acts: Mapping[str, Act], table: Table, name: str) -> list[str]:
    """The mutants of a query that none of the acts shows."""
    query = table[name]
    return [
        sql
        for sql in mutants(query)
        if not _noticed(worlds, acts, {**table, name: msgspec.structs.replace(query, sql=sql)})
    ]


def _noticed(worlds: Worlds, acts: Mapping[str, Act], table: Table) -> bool:
    try:
        return any(_each_crossing(worlds, acts, table))
    except (sqlite3.Error, psycopg.Error, RememoraError):
        # What the engine or a noun refuses is noticed by whoever asked.
        return True
