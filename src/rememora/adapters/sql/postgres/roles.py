"""Who may do what in PostgreSQL: an owner that migrates, an application that is held to one tenant at a time,
and an operator's role that the application puts on for a single transaction.

Row-level security is forced on every table, the partitions beneath have neither policy nor grant, and the last
word of a migration is `secure`, which can be repeated.
"""

from __future__ import annotations

import sqlalchemy as sa

from rememora.adapters.sql.postgres.tables import TENANT
from rememora.errors import InvalidInput

TENANT_SETTING = "rememora.tenant"
OPERATOR_SUFFIX = "_operator"
_FIRST_WITH_MAINTAIN = 170000
_FIRST_WITH_GRANT_OPTIONS = 160000
_NOBODYS = "alembic_version"
_SEALED = {"audit": "actor, owner_id, memory_id, key, why, before, after, salt"}
"""Tables whose rows nobody rewrites, and the columns that an erasure may empty."""

_TABLES = """
SELECT c.relname, c.relispartition, c.relrowsecurity AND c.relforcerowsecurity,
       EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id'),
       ARRAY(SELECT polname::text FROM pg_policy p WHERE p.polrelid = c.oid)
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relname
"""


def operator_of(role: str) -> str:
    """The role that an operator's act is done in."""
    return role + OPERATOR_SUFFIX


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def ensure_roles(connection: sa.Connection, role: str) -> None:
    """Create what is missing of the application's two roles, and let the first put on the second."""
    operator = operator_of(role)
    known = set(connection.exec_driver_sql("SELECT rolname FROM pg_roles").scalars())
    wanted = {role: "LOGIN NOINHERIT", operator: "NOLOGIN"}
    for name, options in wanted.items():
        if name not in known:
            _create(connection, name, options)
    member = "SELECT pg_has_role(%(role)s, %(operator)s, 'MEMBER')"
    if not connection.exec_driver_sql(member, {"role": role, "operator": operator}).scalar():
        options = " WITH INHERIT FALSE" if _version(connection) >= _FIRST_WITH_GRANT_OPTIONS else ""
        connection.exec_driver_sql(f"GRANT {quoted(operator)} TO {quoted(role)}{options}")


def _create(connection: sa.Connection, name: str, options: str) -> None:
    may = "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
    if not connection.exec_driver_sql(may).scalar():
        raise InvalidInput(
            "role",
            f"there is no role {name}, and this one may not create it: CREATE ROLE {quoted(name)} {options}",
        )
    connection.exec_driver_sql(f"CREATE ROLE {quoted(name)} {options}")


def see_everything(connection: sa.Connection, role: str) -> None:
    """For this migration the owner is an operator too: forced policies would hide every row from it."""
    if not _bypasses(connection):
        connection.exec_driver_sql(f"GRANT {quoted(operator_of(role))} TO CURRENT_USER")


def see_nothing(connection: sa.Connection, role: str) -> None:
    """The owner is held to one tenant again, like everybody."""
    if not _bypasses(connection):
        connection.exec_driver_sql(f"REVOKE {quoted(operator_of(role))} FROM CURRENT_USER")


def secure(connection: sa.Connection, role: str) -> None:
    """Force row-level security on every table, and grant the application's roles no more than they need."""
    maintain = _version(connection) >= _FIRST_WITH_MAINTAIN
    run = connection.exec_driver_sql
    schema = run("SELECT current_schema()").scalar()
    for name in (role, operator_of(role)):
        run(f"GRANT USAGE ON SCHEMA {quoted(str(schema))} TO {quoted(name)}")
    for table, partition, forced, has_tenant, policies in run(_TABLES).all():
        if table == _NOBODYS:
            run(f"GRANT SELECT ON {quoted(table)} TO {quoted(role)}")
            continue
        if not forced:
            run(f"ALTER TABLE {quoted(table)} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        if partition:
            run(f"REVOKE ALL ON {quoted(table)} FROM PUBLIC, {quoted(role)}, {quoted(operator_of(role))}")
        else:
            for statement in _policies(table, role, policies, has_tenant=has_tenant):
                run(statement)
            for statement in _grants(table, role, has_tenant=has_tenant):
                run(statement)
        if maintain:
            run(f"GRANT MAINTAIN ON {quoted(table)} TO {quoted(role)}")


def _policies(table: str, role: str, policies: list[str], *, has_tenant: bool) -> list[str]:
    wanted = []
    if has_tenant and "of_tenant" not in policies:
        held = f"{TENANT} = current_setting('{TENANT_SETTING}', true)"
        wanted.append(f"CREATE POLICY of_tenant ON {quoted(table)} USING ({held}) WITH CHECK ({held})")
    operator = operator_of(role)
    if operator not in policies:
        whom = f"ON {quoted(table)} TO {quoted(operator)}"
        wanted.append(f"CREATE POLICY {quoted(operator)} {whom} USING (true) WITH CHECK (true)")
    return wanted


def _grants(table: str, role: str, *, has_tenant: bool) -> list[str]:
    columns = _SEALED.get(table)
    if columns is not None:
        # A link may lose its content, or go with its whole tenant; what it proves is never written anew.
        named = ", ".join(quoted(each) for each in columns.split(", "))
        rights = f"SELECT, INSERT, DELETE, UPDATE ({named})"
    else:
        rights = "SELECT, INSERT, UPDATE, DELETE"
    who = [operator_of(role), *([role] if has_tenant else [])]
    return [f"GRANT {rights} ON {quoted(table)} TO {quoted(each)}" for each in who]


def _version(connection: sa.Connection) -> int:
    return int(str(connection.exec_driver_sql("SHOW server_version_num").scalar()))


def _bypasses(connection: sa.Connection) -> bool:
    asked = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    return bool(connection.exec_driver_sql(asked).scalar())
