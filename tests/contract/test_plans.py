"""How SQLite goes about a query whose cost must not grow with what else is there."""

from __future__ import annotations

import sqlite3

from rememora.adapters.sql.queries import queries
from rememora.adapters.sql.schema import ensure_schema


def test_what_was_found_is_read_by_its_keys() -> None:
    """Of the tables no row is looked at that was not asked for, however many there are."""
    connection = sqlite3.connect(":memory:")
    ensure_schema(connection, ":memory:")
    asked = {"tenant": "acme", "user": "ana", "numbers": "[1]"}
    query = queries("sqlite")["standing_messages"].sql
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", asked)]
    connection.close()

    assert ["SCAN n", "SEARCH e", "SEARCH m"] == [" ".join(step.split()[:2]) for step in plan]
    assert ["number=?)", "id=?)"] == [step.split()[-1] for step in plan[1:]]


def test_the_history_of_a_memory_is_looked_up() -> None:
    """The chain of a tenant is not read for it from one end to the other."""
    connection = sqlite3.connect(":memory:")
    ensure_schema(connection, ":memory:")
    query = queries("sqlite")["audit_of_memory"].sql
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", {"tenant": "acme", "memory": "m"})]
    connection.close()

    assert any("audit_by_memory (tenant_id=? AND memory_id=?)" in step for step in plan)
