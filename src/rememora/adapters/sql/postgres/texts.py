"""PostgreSQL's own statements by name: what no other engine is asked, as the driver's cursors take it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from rememora.adapters.sql.queries import own

if TYPE_CHECKING:
    # A migration of the embedded store reads this, too, and does without the driver.
    import psycopg

_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")


def spelled(sql: str) -> str:
    """Convert `:name` to `%(name)s`; a percent sign is escaped."""
    return _PARAMETER.sub(r"%(\1)s", sql.replace("%", "%%"))


def filled(name: str, **names: object) -> str:
    """Return a statement with its tables and roles in braces filled in as SQL identifiers."""
    sql = own("postgres")[name].sql
    for placeholder, value in names.items():
        sql = sql.replace("{" + placeholder + "}", str(value))
    return sql


@cache
def text(name: str, **names: object) -> str:
    """The same, as the driver's cursors take it."""
    return spelled(filled(name, **names))


def tell(
    connection: psycopg.Connection[Any], name: str, params: dict[str, object] | None = None, **names: object
) -> psycopg.Cursor[Any]:
    """Run one of them."""
    return connection.execute(text(name, **names).encode(), params or {})
