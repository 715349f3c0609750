"""What PostgreSQL is asked in words of its own is held to one tenant by these words, and not by its walls alone.

The texts run as a role that row-level security does not hold: what keeps two tenants apart here is the predicate.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import psycopg
import pytest
from psycopg.types import TypeInfo
from tests.contract.acting import ACTS
from tests.contract.filling import fill
from tests.contract.two_tenants import (
    DRAWN,
    Act,
    Left,
    Rows,
    Table,
    TenantSide,
    Worlds,
    askers,
    crossings,
    mutants,
    plainly,
    unnoticed,
    worlds_of,
)
from tests.engines.postgres import ADMIN, databases
from tests.looped import looped

from rememora.adapters.sql.postgres.session import Opening, PostgresSession, PreparedQuery, statement
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.postgres.types import learn_types
from rememora.adapters.sql.queries import queries
from rememora.adapters.sql.tables import Table as Moved
from rememora.adapters.sql.tables import tables

pytestmark = pytest.mark.usefixtures("one_beginning")

TABLE = queries("postgres")
OWN_WORDS = [name for name, query in TABLE.items() if query != queries("sqlite")[name] and not query.operator]
BEGIN: Opening = [(statement("BEGIN"), {})]


def shown(table: Moved) -> str:
    """The rows of a table as text, but for what is drawn anew each time."""
    columns = ", ".join(f't."{name}"' for name in table.columns if name not in DRAWN)
    return f"SELECT '{table.name}', CAST(ROW({columns}) AS text) FROM {table.name} t WHERE t.tenant_id = :tenant"


HELD = [shown(item) for item in tables() if "tenant_id" in item.columns]
ROWS = f"PREPARE held(text) AS {' UNION ALL '.join(HELD)} ORDER BY 1, 2".replace(":tenant", "$1")
"""Every row of a tenant, planned once: planning a union of all tables takes longer than running it."""


class Asked(dict[str, PreparedQuery]):
    """Statements of a table of its own, which remembers those that were asked for."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, name: str) -> PreparedQuery:
        result = self[name] = statement(self._table[name].sql)
        return result


class Beside:
    """A database of one tenant alone, or of both; each act is taken back after it was looked at."""

    def __init__(self, *tenants: str) -> None:
        url = databases().url(databases().create(databases().template), ADMIN)
        connection = psycopg.connect(url, autocommit=True, prepare_threshold=None)
        learn_types(connection, TypeInfo.fetch(connection, "vector"))
        connection.execute("SET plan_cache_mode = force_generic_plan")
        connection.execute(ROWS.encode())
        self._session = PostgresSession(connection, prepares=False)
        for tenant in tenants:
            self._session.begin(BEGIN)
            fill(TenantSide(PostgresTransaction(self._session, Asked(TABLE)), tenant))
            self._session.end(statement("COMMIT"))
        # Every act is taken back: what is there between two acts is read once.
        self._untouched = {tenant: self.rows(tenant) for tenant in tenants}

    def untouched(self, tenant: str) -> Rows:
        """Every row of a tenant, as it is when no act is under way."""
        return self._untouched[tenant]

    def after(self, act: Act, tenant: str, table: Table) -> tuple[Left, set[str]]:
        """What is left after an act, and the queries it asked for."""
        self._session.begin(BEGIN)
        try:
            texts = Asked(table)
            local = TenantSide(PostgresTransaction(self._session, texts), tenant)
            returned = plainly(act(local))
            return Left(returned, self.rows(tenant), self.rows(local.other)), set(texts)
        finally:
            self._session.forget()
            self._session.tell(b"ROLLBACK")

    def rows(self, tenant: str) -> Rows:
        """Every row of a tenant."""
        result: Rows = {}
        for table, row in self._session.connection.execute(f"EXECUTE held ('{tenant}')".encode()):
            result.setdefault(table, []).append((row,))
        return result


@cache
def worlds() -> Worlds:
    return worlds_of(Beside)


@cache
def asked() -> Mapping[str, Mapping[str, Act]]:
    return askers(worlds(), ACTS, TABLE)


def test_beside_another_tenant_every_act_is_as_it_is_alone() -> None:
    """It returns the same, leaves the same rows to its own tenant, and leaves the other's as they were."""
    assert [] == crossings(worlds(), ACTS, TABLE)


@looped("name", OWN_WORDS)
def test_no_query_can_lose_its_tenant_unnoticed(name: str) -> None:
    """Take any one predicate out of a query, or let it write elsewhere: the test above fails for some act."""
    assert mutants(TABLE[name])
    assert [] == unnoticed(worlds(), asked()[name], TABLE, name)
