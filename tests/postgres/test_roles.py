"""Who may serve a store: a role that cannot see past the walls between tenants, on a schema that has them."""

from __future__ import annotations

import psycopg
import pytest
from tests.engines.postgres import APP, OWNER, databases
from tests.postgres.conftest import Place

from rememora import Settings
from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.errors import InvalidInput, SchemaOutdated, StoreUnavailable, UnsafeRole
from rememora.moving import migrate
from rememora.settings.urls import as_owner


async def opening(url: str) -> None:
    """Open a store and close it again."""
    database = PostgresDatabase(Settings.load({"store.url": url, "store.connect_seconds": 10}, environ={}).store)
    try:
        await database.open()
    finally:
        await database.close()


def run(url: str, *statements: str) -> None:
    """Change something behind the back of the application."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


async def test_the_applications_role_is_let_in(place: Place) -> None:
    """It owns nothing and bypasses nothing."""
    await opening(place.app)


async def test_a_superuser_is_refused(place: Place) -> None:
    """Row-level security does not hold a superuser; the error says what to run instead."""
    with pytest.raises(UnsafeRole, match="is a superuser") as refusal:
        await opening(place.admin)

    assert f"rememora migrate --url {as_owner(place.admin)} --role APP_ROLE" == refusal.value.command


async def test_the_owner_is_refused(place: Place) -> None:
    """It could take the walls down."""
    with pytest.raises(UnsafeRole, match="owns the tables"):
        await opening(place.owner)


@pytest.mark.parametrize(
    ("grant", "reason"),
    [
        ("ALTER ROLE {role} BYPASSRLS", "has BYPASSRLS"),
        (f"GRANT {OWNER} TO {{role}}", "owns the tables"),
        (f"GRANT {APP}_operator TO {APP}; GRANT {APP} TO {{role}}", "is no member of"),
        ("CREATE ROLE {role}_operator; GRANT {role}_operator TO {role}", "inherits the rights of"),
    ],
)
async def test_a_role_with_a_way_around_is_refused(own_place: Place, grant: str, reason: str) -> None:
    """Each way to see another tenant's rows is found before anything is served."""
    role = f"stray_{abs(hash(grant))}"
    run(own_place.admin, f"CREATE ROLE {role} LOGIN", *grant.format(role=role).split("; "))
    run(own_place.admin, f"GRANT SELECT ON alembic_version TO {role}")

    with pytest.raises(UnsafeRole, match=reason):
        await opening(databases().url(own_place.name, role))


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE messages NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE messages DISABLE ROW LEVEL SECURITY",
        "DROP POLICY of_tenant ON messages; DROP POLICY rememora_test_app_operator ON messages",
        f"GRANT SELECT ON messages_p0 TO {APP}",
        "DROP POLICY of_tenant ON messages",
        "CREATE TABLE more (tenant_id text)",
    ],
)
async def test_an_open_table_is_found_and_closed(own_place: Place, statement: str) -> None:
    """A table that the walls do not go around stops the start; migrating again mends it."""
    run(own_place.owner, *statement.split("; "))

    with pytest.raises(UnsafeRole, match=r"messages|more") as refusal:
        await opening(own_place.app)

    assert f"rememora migrate --url {as_owner(own_place.app)} --role {APP}" == refusal.value.command
    migrate(own_place.owner, role=APP)
    await opening(own_place.app)


@pytest.mark.parametrize("where", ["", " IN DATABASE {database}"])
async def test_a_role_that_acts_as_another_is_refused(own_place: Place, where: str) -> None:
    """A setting puts another role on as a session begins, whatever that one may see; the error takes it back."""
    where = where.format(database=f'"{own_place.name}"')
    role, other = (f"{item}_{own_place.name}" for item in ("actor", "seer"))
    run(own_place.admin, f"CREATE ROLE {role} LOGIN NOINHERIT", f"CREATE ROLE {other} BYPASSRLS")
    migrate(own_place.owner, role=role)
    run(own_place.admin, f"GRANT {other} TO {role}", f"ALTER ROLE {role}{where} SET role = '{other}'")
    url = databases().url(own_place.name, role)

    with pytest.raises(UnsafeRole, match=f"acts as {other}") as refusal:
        await opening(url)

    assert f"ALTER ROLE {role}{where.replace(chr(34), '')} RESET role" == refusal.value.command
    run(own_place.admin, refusal.value.command)
    await opening(url)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE POLICY oops ON messages USING (true)",
        "CREATE POLICY oops ON messages FOR SELECT USING (true)",
        f"CREATE POLICY oops ON messages TO {APP} USING (tenant_id <> 'acme')",
        "CREATE POLICY oops ON accounts TO PUBLIC USING (true)",
        "ALTER POLICY of_tenant ON messages USING (true)",
        "ALTER POLICY of_tenant ON messages WITH CHECK (true)",
    ],
)
async def test_a_policy_that_opens_a_table_is_refused(own_place: Place, statement: str) -> None:
    """Of several policies the widest counts; the error drops it, and migrating again builds the wall anew."""
    run(own_place.owner, statement)

    with pytest.raises(UnsafeRole, match=r"the policy (oops|of_tenant) opens the table") as refusal:
        await opening(own_place.app)

    drop, _, command = refusal.value.command.partition("; ")
    run(own_place.owner, drop)
    assert f"rememora migrate --url {as_owner(own_place.app)} --role {APP}" == command
    migrate(own_place.owner, role=APP)
    await opening(own_place.app)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE POLICY narrow ON messages AS RESTRICTIVE USING (tenant_id <> 'closed')",
        f"CREATE POLICY reports ON messages TO {OWNER} USING (true)",
    ],
)
async def test_a_policy_that_opens_nothing_to_us_is_let_be(own_place: Place, statement: str) -> None:
    """One that narrows, and one for a role that the application cannot put on."""
    run(own_place.owner, statement)

    await opening(own_place.app)


async def test_a_database_without_a_schema_says_what_to_run() -> None:
    """The application makes no tables: it may not."""
    url = databases().url(databases().create())

    with pytest.raises(SchemaOutdated, match=r"rememora migrate --url .* --role rememora_test_app"):
        await opening(url)


async def test_an_owner_who_may_not_create_roles_says_what_is_missing(place: Place) -> None:
    """The statement for an administrator stands in the error."""
    run(place.admin, "CREATE ROLE modest LOGIN")
    modest = databases().url(databases().create(), "modest")

    with pytest.raises(InvalidInput, match='CREATE ROLE "another" LOGIN NOINHERIT'):
        migrate(modest, role="another")


async def test_nobody_at_home_is_said_without_a_password() -> None:
    """The error names the server, never the secret."""
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1") as refusal:
        await opening("postgresql://ana:s3cret@127.0.0.1:1/none")

    assert "s3cret" not in str(refusal.value)
