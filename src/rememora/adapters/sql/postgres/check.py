"""The self-check before a store is served: nothing that could see past the walls between tenants is let in."""

from __future__ import annotations

from typing import Any

import psycopg

from rememora.adapters.sql.postgres.roles import operator_of
from rememora.adapters.sql.schema import newest_version
from rememora.errors import SchemaOutdated, UnsafeRole

_ROLE = """
SELECT r.rolsuper, r.rolbypassrls,
       EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
                 AND c.relkind IN ('r', 'p') AND pg_has_role(session_user, c.relowner, 'MEMBER')),
       EXISTS (SELECT 1 FROM pg_roles o WHERE o.rolname = %(operator)s
                 AND pg_has_role(session_user, o.oid, 'MEMBER')),
       EXISTS (SELECT 1 FROM pg_roles o WHERE o.rolname = %(operator)s
                 AND pg_has_role(session_user, o.oid, 'USAGE'))
FROM pg_roles r WHERE r.rolname = session_user
"""

_OPEN = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
  AND c.relname <> 'alembic_version'
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  AND (NOT (c.relrowsecurity AND c.relforcerowsecurity)
       OR c.relispartition AND has_table_privilege(session_user, c.oid, 'SELECT, INSERT, UPDATE, DELETE')
       OR NOT c.relispartition AND NOT EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))
ORDER BY 1 LIMIT 1
"""


def check_store(connection: psycopg.Connection[Any], *, url: str) -> None:
    """Refuse a schema of another version, a role that bypasses row-level security, and a table without it."""
    user = str(_one(connection, "SELECT session_user")[0])
    command = f"rememora migrate --url {url} --role {user}"
    _check_version(connection, command)
    superuser, bypasses, owns, member, inherits = _one(connection, _ROLE, operator=operator_of(user))
    wrong = {
        "is a superuser": superuser,
        "has BYPASSRLS": bypasses,
        "owns the tables": owns,
        f"is no member of {operator_of(user)}": not member,
        f"inherits the rights of {operator_of(user)}": inherits,
    }
    for reason in (reason for reason, found in wrong.items() if found):
        raise UnsafeRole(f"the role {user} {reason}", f"rememora migrate --url {url} --role APP_ROLE")
    for (table,) in connection.execute(_OPEN).fetchall():
        raise UnsafeRole(f"the table {table} is not closed by forced row-level security", command)


def _check_version(connection: psycopg.Connection[Any], command: str) -> None:
    found = None
    if _one(connection, "SELECT to_regclass('alembic_version')")[0] is not None:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        found = str(row[0]) if row else None
    expected = newest_version("sqlite")
    if found is None:
        raise SchemaOutdated("the database has no schema of Rememora", command)
    if found < expected:
        raise SchemaOutdated(f"the store has schema {found}, this version of Rememora needs {expected}", command)
    if found > expected:
        raise SchemaOutdated(
            f"the store has schema {found}, newer than the {expected} this version of Rememora knows",
            "pip install --upgrade rememora",
        )


def _one(connection: psycopg.Connection[Any], query: str, **params: object) -> tuple[Any, ...]:
    row = connection.execute(query.encode(), params or None).fetchone()
    assert row is not None
    return tuple(row)
