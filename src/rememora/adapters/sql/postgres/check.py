"""The self-check before a store is served: nothing that could see past the walls between tenants is let in."""

from __future__ import annotations

from typing import Any

import msgspec
import psycopg

from rememora.adapters.sql.postgres.roles import OPERATOR_SUFFIX, operator_of
from rememora.adapters.sql.postgres.texts import tell
from rememora.adapters.sql.schema import newest_version
from rememora.errors import SchemaOutdated, UnsafeRole


class Standing(msgspec.Struct, frozen=True):
    """Who is connected, and what they could do: asked in one go, before anything is served."""

    user: str
    backend: int
    vector: int | None
    superuser: bool
    bypasses: bool
    owns: bool
    member: bool
    inherits: bool
    unlocked: str | None
    has_schema: bool


def check_store(connection: psycopg.Connection[Any], *, url: str) -> Standing:
    """Refuse a schema of another version, a role that bypasses row-level security, and a table without it."""
    row = tell(connection, "standing", {"suffix": OPERATOR_SUFFIX}).fetchone()
    assert row is not None
    standing = Standing(*row)
    user = standing.user
    command = f"rememora migrate --url {url} --role {user}"
    _check_version(connection, standing, command)
    wrong = {
        "is a superuser": standing.superuser,
        "has BYPASSRLS": standing.bypasses,
        "owns the tables": standing.owns,
        f"is no member of {operator_of(user)}": not standing.member,
        f"inherits the rights of {operator_of(user)}": standing.inherits,
    }
    for reason in (reason for reason, found in wrong.items() if found):
        raise UnsafeRole(f"the role {user} {reason}", f"rememora migrate --url {url} --role APP_ROLE")
    if standing.unlocked is not None:
        raise UnsafeRole(f"the table {standing.unlocked} is not closed by forced row-level security", command)
    return standing


def _check_version(connection: psycopg.Connection[Any], standing: Standing, command: str) -> None:
    row = tell(connection, "schema_version").fetchone() if standing.has_schema else None
    expected = newest_version("sqlite")
    if row is None:
        raise SchemaOutdated("the database has no schema of Rememora", command)
    found = str(row[0])
    if found < expected:
        raise SchemaOutdated(f"the store has schema {found}, this version of Rememora needs {expected}", command)
    if found > expected:
        raise SchemaOutdated(
            f"the store has schema {found}, newer than the {expected} this version of Rememora knows",
            "pip install --upgrade rememora",
        )
