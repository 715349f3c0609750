"""Row-level security holds every transaction to its tenant, whatever the code above it says."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest
from tests.engines.postgres import APP
from tests.house.test_queries import OPERATORS
from tests.postgres.conftest import Place

from rememora import Rememora
from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.postgres.texts import spelled
from rememora.adapters.sql.postgres.transaction import PostgresTransaction
from rememora.adapters.sql.queries import moving, queries
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.tenancy import EVERY_TENANT
from rememora.errors import Forbidden

TENANT = re.compile(r"(?:\w+\.)?tenant_id\s*=\s*:tenant")
READINGS = {
    name: query.sql
    for name, query in queries("postgres").items()
    if not query.operator and query.sql.startswith("SELECT") and TENANT.search(query.sql)
}
ASKED: dict[str, Any] = {
    "user": "ana",
    "run": 2,
    "owner": "ana",
    "conversation": "c1",
    "suppressed": None,
    "ids": "[]",
    "numbers": "[]",
    "messages": "[]",
    "last": "\U0010ffff",
    **dict.fromkeys(["prefix", "category", "scope", "source", "status", "type", "session", "module"]),
    **dict.fromkeys(["limit", "until", "now", "at", "seq", "before", "entries"], 2**40),
    "vectors": 1,
    **dict.fromkeys(["after", "since", "position", "before_at", "run"], 0),
}
"""What the readings are asked with; what is not named is empty text."""

OTHERWISE: dict[str, dict[str, Any]] = {
    "quarantined_of_tenant": {"after": ""},
    "documents": {"after": "", "prefix": "", "end": "\U0010ffff"},
    "tasks_page": {"before": None},
    "tasks_of_tenant": {"before": None},
    "memories_page": {"conversation": None},
    "messages_after": {"seq": 0},
    "turns_after": {"seq": 0},
    "count_turns_after": {"seq": 0},
    "silenced_messages": {"first": 0, "last": 2**40, "mark": "%"},
}


async def filled(place: Place) -> None:
    """Two tenants with something in most tables."""
    async with Rememora.open(settings=place.settings({"recall.embedder": "none"}), background=False) as rememora:
        for tenant in ("acme", "other"):
            ana = rememora.user("ana", tenant=tenant)
            await ana.conversation("c1").append("user", "Prefiro respostas curtas", metadata={"tone": "calm"})
            await ana.remember("user.name", f"Ana of {tenant}")
            await ana.entities.mention("product", "pão", "de queijo")
            await rememora.settle()


def tables(place: Place) -> list[str]:
    """Every table that holds a tenant's rows."""
    with psycopg.connect(place.admin) as connection:
        return [
            str(row[0])
            for row in connection.execute(
                "SELECT relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
                "WHERE a.attname = 'tenant_id' AND relkind = 'p' ORDER BY 1"
            )
        ]


def counts(url: str, tables: list[str], *, tenant: str | None) -> dict[str, int]:
    """The rows of each table that whoever connects there sees, having said whose transaction it is."""
    with psycopg.connect(url) as connection:
        if tenant is not None:
            connection.execute("SELECT set_config('rememora.tenant', %s, true)", (tenant,))
        result = {}
        for table in tables:
            row = connection.execute(f'SELECT count(*) FROM "{table}"'.encode()).fetchone()
            assert row is not None
            result[table] = int(row[0])
    return result


async def test_a_transaction_sees_one_tenant(place: Place) -> None:
    """Without any predicate each table shows the rows of the transaction's tenant, and no other's."""
    await filled(place)
    every = counts(place.admin, tables(place), tenant=None)
    mine, theirs, nobodys = (
        counts(place.app, tables(place), tenant=tenant) for tenant in ("acme", "other", EVERY_TENANT)
    )

    assert {table: mine[table] + theirs[table] + nobodys[table] for table in every} == every
    assert {0} == {count for table, count in nobodys.items() if table != "trends"}
    assert mine["messages"] == theirs["messages"] == 1


@pytest.mark.parametrize("tenant", [None, "", "nobody", "acme%", "acme' OR '1'='1"])
async def test_without_a_tenant_there_is_nothing(place: Place, tenant: str | None) -> None:
    """A transaction that says nothing, or not exactly whose it is, sees no row of any table."""
    await filled(place)

    assert {0} == set(counts(place.app, tables(place), tenant=tenant).values())


async def test_the_owner_is_held_too(place: Place) -> None:
    """Security is forced: the owner of the tables sees no more than an application."""
    await filled(place)

    assert {0} == set(counts(place.owner, tables(place), tenant=None).values())


async def test_the_next_transaction_starts_with_nothing(place: Place) -> None:
    """The tenant belongs to a transaction, so that the next user of a pooled connection does not inherit it."""
    await filled(place)
    with psycopg.connect(place.app, autocommit=True) as connection:
        connection.execute("BEGIN; SELECT set_config('rememora.tenant', 'acme', true)")
        inside = connection.execute("SELECT count(*) FROM messages").fetchone()
        connection.execute("COMMIT")
        after = connection.execute("SELECT count(*) FROM messages").fetchone()

    assert ((1,), (0,)) == (inside, after)


def loosely(name: str) -> tuple[bytes, dict[str, Any]]:
    """A reading without its tenant, and what it is asked with; a reading transaction locks no rows."""
    loose = spelled(TENANT.sub("TRUE", READINGS[name]).replace("FOR UPDATE", "")).encode()
    query = {key: ASKED.get(key, "") for key in re.findall(r"%\((\w+)\)s", loose.decode())}
    return loose, {**query, **OTHERWISE.get(name, {})}


def seen(transaction: PostgresTransaction, loose: bytes, query: dict[str, Any]) -> int:
    """How many rows a query finds; one that stumbles over there being several has found two."""
    try:
        with transaction.session.connection.transaction() as inner:
            rows = inner.connection.execute(loose, query, binary=True).fetchall()
            return sum(row[0] not in (0, None) for row in rows)
    except psycopg.errors.CardinalityViolation:
        return 2


async def test_a_query_without_its_predicate_shows_nothing_foreign(
    place: Place, database: PostgresDatabase
) -> None:
    """Take the tenant out of each reading: an operator sees both tenants with it, a stranger neither."""
    await filled(place)
    loose = {name: loosely(name) for name in READINGS}

    def found(transaction: Transaction) -> dict[str, int]:
        assert isinstance(transaction, PostgresTransaction)
        return {name: seen(transaction, *item) for name, item in loose.items()}

    every, mine, strange = [await database.read(tenant, found) for tenant in (None, "acme", "stranger")]

    assert {} == {name: count for name, count in strange.items() if count}
    assert {} == {name: count for name, count in mine.items() if count and every[name] <= count > 1}
    assert 12 <= sum(count >= 2 for count in every.values())


async def test_a_foreign_row_cannot_be_written(database: PostgresDatabase) -> None:
    """A unit of work of one tenant that names another is refused, and nothing of it remains."""

    def write(transaction: Transaction) -> None:
        for tenant in ("acme", "other"):
            transaction.run("next_position", {"tenant": tenant, "at": 0, "places": 1})

    with pytest.raises(Forbidden, match="row-level security"):
        await database.write("acme", write)

    assert [] == await database.read(None, lambda tx: tx.all("audit_tenants", {}))


async def test_a_foreign_row_cannot_be_changed_or_removed(place: Place) -> None:
    """UPDATE and DELETE without a predicate reach the transaction's own tenant alone."""
    await filled(place)
    with psycopg.connect(place.app) as connection:
        connection.execute("SELECT set_config('rememora.tenant', 'acme', true)")
        changed = connection.execute("UPDATE messages SET content = 'x'").rowcount
        removed = connection.execute("DELETE FROM memories").rowcount

    assert (1, 1) == (changed, removed)
    assert (1, 1) == tuple(counts(place.app, ["messages", "memories"], tenant="other").values())


async def test_a_partition_is_no_way_around(place: Place) -> None:
    """The tables beneath a table carry its rows without its policy: nobody may touch them."""
    await filled(place)
    with psycopg.connect(place.app, autocommit=True) as connection:
        for statement in ("SELECT * FROM messages_p0", "DELETE FROM messages_p1", "TRUNCATE messages"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())


async def test_the_chain_cannot_be_rewritten(place: Place) -> None:
    """No role of the application changes what an entry of the audit proves."""
    await filled(place)
    with psycopg.connect(place.app, autocommit=True) as connection:
        for role in (APP, f"{APP}_operator"):
            connection.execute(f"SET ROLE {role}".encode())
            for statement in (
                "UPDATE audit SET hash = ''",
                "UPDATE audit SET digest = ''",
                "UPDATE audit SET position = 9",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement.encode())


async def test_operators_are_the_only_ones_beyond(database: PostgresDatabase) -> None:
    """The queries that look across tenants are listed; in a tenant's transaction they see one at the most."""

    def names(_: Transaction) -> set[str]:
        return {name for name, query in queries("postgres").items() if query.operator}

    def tenants(transaction: Transaction) -> list[Any]:
        transaction.run("next_audit_position", {"tenant": "acme", "genesis": b""})
        return transaction.all("audit_tenants", {})

    assert OPERATORS | moving().keys() >= await database.read(None, names)
    assert [("acme",)] == await database.write("acme", tenants)
    assert [] == await database.read("other", lambda tx: tx.all("audit_tenants", {}))
