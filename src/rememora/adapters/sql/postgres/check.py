"""The self-check before a store is served: nothing that could see past the walls between tenants is let in."""

from __future__ import annotations

from typing import Any

import msgspec
import psycopg

from rememora.adapters.sql.postgres.roles import OPERATOR_SUFFIX, operator_of
from rememora.adapters.sql.postgres.texts import tell
from rememora.adapters.sql.schema import newest_version
from rememora.errors import SchemaOutdated, UnsafeRole

WALL = "(tenant_id = current_setting('rememora.tenant'::text, true))"
"""The policy of every table with tenants, as the server spells it."""


class ConnectedRole(msgspec.Struct, frozen=True):
    """Connected role and its privileges, read in one query before anything is served."""

    user: str
    acting: str
    backend: int
    vector: int | None
    superuser: bool
    bypasses: bool
    owns: bool
    member: bool
    inherits: bool
    unlocked: str | None
    has_schema: bool
    itself: str


def check_store(connection: psycopg.Connection[Any], *, url: str) -> ConnectedRole:
    """Refuse a schema of another version, a role that bypasses row-level security, and a table without it."""
    row = tell(connection, "standing", {"suffix": OPERATOR_SUFFIX, "wall": WALL}).fetchone()
    assert row is not None
    role = ConnectedRole(*row)
    user = role.user
    command = f"rememora migrate --url {url} --role {user}"
    if role.acting != user:
        # What the other role may do is not asked: a session begins as nobody but itself.
        raise UnsafeRole(f"the role {user} acts as {role.acting}", role.itself)
    _check_version(connection, role, command)
    wrong = {
        "is a superuser": role.superuser,
        "has BYPASSRLS": role.bypasses,
        "owns the tables": role.owns,
        f"is no member of {operator_of(user)}": not role.member,
        f"inherits the rights of {operator_of(user)}": role.inherits,
    }
    for reason in (reason for reason, applies in wrong.items() if applies):
        raise UnsafeRole(f"the role {user} {reason}", f"rememora migrate --url {url} --role APP_ROLE")
    _check_policies(connection, command)
    if role.unlocked is not None:
        raise UnsafeRole(f"the table {role.unlocked} is not closed by forced row-level security", command)
    return role


def _check_policies(connection: psycopg.Connection[Any], command: str) -> None:
    """One policy more that permits is a hole in the wall, and so is a wall that was changed."""
    stray = tell(connection, "stray_policy", {"suffix": OPERATOR_SUFFIX, "wall": WALL}).fetchone()
    if stray is not None:
        table, policy, drop = stray
        raise UnsafeRole(f"the policy {policy} opens the table {table}", f"{drop}; {command}")


def _check_version(connection: psycopg.Connection[Any], role: ConnectedRole, command: str) -> None:
    row = tell(connection, "schema_version").fetchone() if role.has_schema else None
    expected = newest_version("sqlite")
    if row is None:
        raise SchemaOutdated("the database has no schema of Rememora", command)
    version = str(row[0])
    if version < expected:
        raise SchemaOutdated(f"the store has schema {version}, this version of Rememora needs {expected}", command)
    if version > expected:
        raise SchemaOutdated(
            f"the store has schema {version}, newer than the {expected} this version of Rememora knows",
            "pip install --upgrade rememora",
        )
