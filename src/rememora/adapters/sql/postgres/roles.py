"""Roles in PostgreSQL: an owner that migrates, an application that is restricted to one tenant at a time,
and an operator's role that the application assumes for a single transaction.

Row-level security is forced on every table, the partitions beneath have neither policy nor grant, and the last
step of a migration is `secure`, which can be repeated.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from rememora.adapters.sql.postgres.texts import text
from rememora.errors import InvalidInput

OPERATOR_SUFFIX = "_operator"
_FIRST_WITH_MAINTAIN = 170000
_FIRST_WITH_GRANT_OPTIONS = 160000
_NOBODYS = "alembic_version"
_SEALED = {"audit": "actor, owner_id, memory_id, key, why, before, after, salt"}
"""Tables whose rows nobody rewrites, and the columns that an erasure may empty."""


def operator_of(role: str) -> str:
    """The role that an operator's act is done in."""
    return role + OPERATOR_SUFFIX


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def ensure_roles(connection: sa.Connection, role: str) -> None:
    """Create what is missing of the application's two roles, and let the first put on the second."""
    operator = operator_of(role)
    known = set(run(connection, "role_names").scalars())
    # The application is an ordinary role, and sees every tenant only where it asks for the second (`SET ROLE`).
    options_of = {role: "LOGIN NOINHERIT", operator: "NOLOGIN"}
    for name, options in options_of.items():
        if name not in known:
            _create(connection, name, options)
    if not run(connection, "is_member", {"role": role, "operator": operator}).scalar():
        options = "WITH INHERIT FALSE" if _version(connection) >= _FIRST_WITH_GRANT_OPTIONS else ""
        run(connection, "grant_role", role=quoted(operator), to=quoted(role), options=options)


def run(
    connection: sa.Connection, name: str, params: dict[str, object] | None = None, **names: object
) -> sa.CursorResult[Any]:
    """Run one of PostgreSQL's own statements as a migration does."""
    return connection.exec_driver_sql(text(name, **names), params or {})


def _create(connection: sa.Connection, name: str, options: str) -> None:
    if not run(connection, "may_create_roles").scalar():
        raise InvalidInput(
            "role",
            f"no such role: {name}, and this one may not create it: CREATE ROLE {quoted(name)} {options}",
        )
    run(connection, "create_role", role=quoted(name), options=options)


def see_everything(connection: sa.Connection, role: str) -> None:
    """For this migration the owner is an operator too: forced policies would hide every row from it."""
    if not _bypasses(connection):
        run(connection, "grant_role", role=quoted(operator_of(role)), to="CURRENT_USER", options="")


def see_nothing(connection: sa.Connection, role: str) -> None:
    """The owner is held to one tenant again, like everybody."""
    if not _bypasses(connection):
        run(connection, "revoke_role", role=quoted(operator_of(role)), to="CURRENT_USER")


def secure(connection: sa.Connection, role: str) -> None:
    """Force row-level security on every table, and grant the application's roles no more than they need."""
    maintain = _version(connection) >= _FIRST_WITH_MAINTAIN
    who, operator = quoted(role), quoted(operator_of(role))
    schema = quoted(str(run(connection, "this_schema").scalar()))
    for grantee in (who, operator):
        run(connection, "grant_schema", schema=schema, role=grantee)
    for row in run(connection, "every_table").all():
        table, partition, forced, has_tenant, policies = tuple(row)
        name = quoted(table)
        # The version of the schema is nobody's data: everybody may read it, only the owner writes it.
        if table == _NOBODYS:
            run(connection, "grant_rights", rights="SELECT", table=name, role=who)
            continue
        # FORCE, because PostgreSQL exempts a table's owner from its policies otherwise.
        if not forced:
            run(connection, "force_security", table=name)
        # A partition can be read past its parent's policies, so nobody but the owner has rights on it.
        # PostgreSQL checks the parent's rights when a query goes through the parent.
        if partition:
            run(connection, "revoke_everything", table=name, role=who, operator=operator)
        else:
            if has_tenant and "of_tenant" not in policies:
                run(connection, "hold_to_tenant", table=name)
            if operator_of(role) not in policies:
                run(connection, "let_operator", table=name, operator=operator)
            # Tables without a tenant (subscribers, leases) are for the operator's role alone.
            for grantee in (operator, *([who] if has_tenant else [])):
                run(connection, "grant_rights", rights=_rights(table), table=name, role=grantee)
        if maintain:
            run(connection, "grant_rights", rights="MAINTAIN", table=name, role=who)


def _rights(table: str) -> str:
    columns = _SEALED.get(table)
    if columns is None:
        return "SELECT, INSERT, UPDATE, DELETE"
    # A link may lose its content, or go with its whole tenant; what it proves is never written anew.
    named = ", ".join(quoted(text) for text in columns.split(", "))
    return f"SELECT, INSERT, DELETE, UPDATE ({named})"


def _version(connection: sa.Connection) -> int:
    return int(run(connection, "server_version").scalar_one())


def _bypasses(connection: sa.Connection) -> bool:
    return bool(run(connection, "bypasses").scalar())
