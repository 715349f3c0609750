"""Migrations of PostgreSQL: the same chain as SQLite's, up and down with rows surviving, all or nothing."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.engines.postgres import APP, OWNER, PARTITIONS, databases
from tests.migrations.test_migrations import HEAD, VERSIONS, Rows, fill, lasting
from tests.postgres.conftest import Place
from tools.write_citus import TARGET as CITUS
from tools.write_citus import citus

from rememora import Rememora
from rememora.adapters.sql.schema import snapshot
from rememora.errors import InvalidInput, SchemaOutdated, StoreUnavailable
from rememora.moving import migrate
from rememora.settings.urls import as_owner
from rememora.testing import WordEmbedder

TABLES = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND NOT relispartition AND relkind"
)


async def filled(place: Place) -> None:
    """Something in every room."""
    async with Rememora.open(settings=place.settings(), background=False) as rememora:
        await fill(rememora)


def asked(place: Place, query: str) -> list[tuple[Any, ...]]:
    """What a superuser sees."""
    with psycopg.connect(place.admin) as connection:
        return connection.execute(query.encode()).fetchall()


def rows(place: Place) -> Rows:
    """Every row of every table, in order of key."""
    names = [name for (name,) in asked(place, f"{TABLES} IN ('p', 'r')") if name != "alembic_version"]
    with psycopg.connect(place.admin) as connection:
        return {name: lasting(connection.execute(f'SELECT * FROM "{name}"'.encode())) for name in sorted(names)}


def move(place: Place, to: str = "head") -> tuple[str | None, str | None]:
    """Migrate as the owner."""
    return migrate(place.owner, to=to, role=APP)


@pytest.mark.slow
@pytest.mark.parametrize("to", VERSIONS)
async def test_down_to_a_version_and_up_again(own_place: Place, to: str) -> None:
    """Whatever a version has room for is still there after going down to it and back."""
    await filled(own_place)
    before = rows(own_place)
    assert (HEAD, to) == move(own_place, to)
    below = rows(own_place)
    assert (to, HEAD) == move(own_place)
    after = rows(own_place)

    assert before.keys() == after.keys()
    assert {name: before[name] for name in below} == {name: after[name] for name in below}


STEPS = [*reversed(VERSIONS[:-1]), "base", *VERSIONS]


@pytest.mark.parametrize(
    "steps",
    [pytest.param(["base", HEAD], id="at once"), pytest.param(STEPS, id="one by one", marks=pytest.mark.slow)],
)
async def test_down_and_up(own_place: Place, steps: list[str]) -> None:
    """Each migration can be undone and done again; the store works afterwards, its walls in place."""
    await filled(own_place)
    for version in steps:
        move(own_place, version)
    async with Rememora.open(settings=own_place.settings(), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")

        assert 1 == (await chat.append("user", "oi")).seq


async def test_data_of_every_tenant_is_migrated_by_a_mere_owner(own_place: Place) -> None:
    """Forced security hides rows from their owner, but not from a migration; afterwards it does again."""
    await filled(own_place)
    move(own_place, "0004")
    move(own_place)
    with psycopg.connect(own_place.owner) as connection:
        seen = connection.execute("SELECT count(*) FROM messages").fetchone()

    assert 2 == len(rows(own_place)["index_entries"])
    assert (0,) == seen
    member = f"SELECT pg_has_role('{OWNER}', '{APP}_operator', 'USAGE')"
    assert [(False,)] == asked(own_place, member)


def test_both_engines_have_the_same_tables(place: Place) -> None:
    """Table for table and column for column, in any order."""
    columns = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    parents = {name for (name,) in asked(place, f"{TABLES} IN ('p', 'r')")}
    items = {(table, column) for table, column in asked(place, columns) if table in parents}
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(snapshot("sqlite"))
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        expected = {(name, row[1]) for name in tables for row in connection.execute(f"PRAGMA table_info({name})")}
    connection.close()

    assert expected == items


def test_every_key_starts_with_the_tenant(place: Place) -> None:
    """A key across tenants would tell one tenant what another has; it would not shard either."""
    keys = """
        SELECT c.relname, i.relname, a.attname FROM pg_index x
        JOIN pg_class c ON c.oid = x.indrelid AND c.relkind = 'p' JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
        WHERE x.indisunique
    """
    result = asked(place, keys)

    assert len(result) > 20
    assert {"tenant_id"} == {column for *_, column in result}


def test_every_table_of_tenants_is_partitioned(place: Place) -> None:
    """By the hash of the tenant, in as many parts as were asked for; text sorts byte by byte."""
    whole = {name for (name,) in asked(place, f"{TABLES} = 'r'")}
    parts = asked(place, "SELECT inhparent, count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent "
                         "WHERE c.relkind = 'p' GROUP BY 1")  # fmt: skip
    collations = asked(place, "SELECT DISTINCT collation_name FROM information_schema.columns "
                              "WHERE table_schema = 'public' AND data_type = 'text'")  # fmt: skip

    assert {"alembic_version", "embedding_model", "leases", "subscribers", "transfers"} == whole
    assert {PARTITIONS} == {count for _, count in parts}
    assert [("C",)] == collations


async def test_a_failed_migration_leaves_nothing() -> None:
    """A table in the way stops it: no other table was made, and no role holds more than before."""
    place = Place(databases().create(), Path())
    with psycopg.connect(place.owner, autocommit=True) as connection:
        connection.execute("CREATE TABLE parked (stranger TEXT)")

    with pytest.raises(StoreUnavailable, match="parked"):
        move(place)

    assert {"parked": []} == rows(place)


@pytest.mark.parametrize("version", ["0000", *VERSIONS[:-1], "9999"])
async def test_another_version_names_the_command(own_place: Place, version: str) -> None:
    """It is not touched, and the error says what to run."""
    with psycopg.connect(own_place.owner) as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", (version,))

    with pytest.raises(SchemaOutdated, match=version) as refusal:
        await Rememora.open(settings=own_place.settings())

    newer = "pip install --upgrade rememora"
    older = f"rememora migrate --url {as_owner(own_place.app)} --role {APP}"
    assert (newer if version == "9999" else older) == refusal.value.command


async def test_the_applications_role_is_told_who_migrates(own_place: Place) -> None:
    """It owns nothing and changes nothing; the error names the command, without anybody's password."""
    with pytest.raises(StoreUnavailable, match="by the role that owns its tables") as refusal:
        migrate(own_place.app, role=APP, to=VERSIONS[-2])

    assert f"rememora migrate --url {as_owner(own_place.app)}" in refusal.value.message


async def test_an_unknown_version_is_refused(place: Place) -> None:
    """The error names the versions there are."""
    with pytest.raises(InvalidInput, match=HEAD):
        move(place, "nobody")


async def test_whole_tables_have_the_same_walls(tmp_path: Path) -> None:
    """Without partitions, as Citus wants them, a store is migrated, served and erased from like any other."""
    place = Place(databases().create(), tmp_path)
    with psycopg.connect(place.admin, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    migrate(place.owner, role=APP, partitions=0, vectors=True)
    expected = place.settings()
    async with Rememora.open(settings=expected, embedder=WordEmbedder(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.name", "Rosamunda Silva")
        await rememora.settle()
        assert "Rosamunda Silva" == (await ana.recall("como ela se chama"))[0].metadata["value"]
        receipt = await ana.erase(person=True)
        assert (await rememora.tenant("acme", acting="boss").audit.verify_receipt(receipt)).clean
    migrate(place.owner, role=APP, vectors=True)

    assert [(0,)] == asked(place, "SELECT count(*) FROM pg_class WHERE relispartition")
    assert [(1,)] == asked(place, "SELECT count(*) FROM pg_class WHERE relname LIKE 'vectors_near_%'")


def test_the_script_for_citus_names_every_table(place: Place) -> None:
    """Spread where there is a tenant, copied where there is none; `make schema` was run after the last change."""
    spread = {name for (name,) in asked(place, f"{TABLES} = 'p'")}
    whole = {name for (name,) in asked(place, f"{TABLES} = 'r'")} - {"alembic_version"}
    script = CITUS.read_text()

    assert citus() == script
    assert spread == set(re.findall(r"create_distributed_table\('(\w+)', 'tenant_id'", script))
    assert whole == set(re.findall(r"create_reference_table\('(\w+)'\)", script))


def test_what_citus_asks_of_a_table_holds(place: Place) -> None:
    """Its column is in every unique index and is never empty; no key leads elsewhere; no sequence counts rows.

    This is what `create_distributed_table` refuses, and what cannot be tried here without a Citus.
    """
    script = CITUS.read_text()
    spread = re.findall(r"create_distributed_table\('(\w+)'", script)
    unique = """
        SELECT c.relname, i.relname, array_agg(a.attname::text) FROM pg_index x
        JOIN pg_class c ON c.oid = x.indrelid AND NOT c.relispartition JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (x.indkey)
        WHERE x.indisunique AND c.relnamespace = 'public'::regnamespace GROUP BY 1, 2
    """
    without = {
        index for table, index, columns in asked(place, unique) if table in spread and "tenant_id" not in columns
    }
    nullable = asked(
        place,
        "SELECT c.relname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE a.attname = 'tenant_id' "
        "AND NOT a.attnotnull AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace",
    )
    foreign = asked(place, "SELECT conname FROM pg_constraint WHERE contype IN ('f', 'x')")
    counting = asked(
        place,
        "SELECT c.relname FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' "
        "JOIN pg_class c ON c.oid = d.refobjid AND c.relkind = 'p'",
    )
    triggers = asked(place, "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")

    assert len(spread) == len(set(spread)) > 20
    assert (set(), [], [], [], []) == (without, nullable, foreign, counting, triggers)


def test_every_table_spread_over_citus_lies_beside_the_tenants(place: Place) -> None:
    """One colocation: a tenant's rows of every table are on one node, so that its transactions are local."""
    script = CITUS.read_text()
    first, *others = re.findall(r"create_distributed_table\([^)]*\)", script)

    assert {True} == {"colocate_with" in other for other in others}
    assert "'tenant_id'" in first
