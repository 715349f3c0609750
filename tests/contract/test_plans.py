"""How SQLite goes about a query whose cost must not grow with what else is there."""

from __future__ import annotations

import sqlite3

import pytest

from rememora.adapters.sql.queries import queries
from rememora.adapters.sql.schema import ensure_schema

KINDS = ["standing_messages", "changed_messages", "changed_memories", "changed_entities", "changed_episodes"]


@pytest.mark.parametrize("name", [*KINDS, "changed_summaries"])
def test_what_was_found_is_read_by_its_keys(name: str) -> None:
    """Of the tables no row is looked at that was not asked for, however many there are."""
    connection = sqlite3.connect(":memory:")
    ensure_schema(connection, ":memory:")
    query = {"tenant": "acme", "user": "ana", "numbers": "[1]", "model": "m/32"}
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {queries('sqlite')[name].sql}", query)]
    connection.close()
    steps = plan[: next((place for place, step in enumerate(plan) if "LIST SUBQUERY" in step), len(plan))]

    assert ["SCAN c", "SEARCH e"] == [" ".join(step.split()[:2]) for step in steps[:2]]
    assert steps[1].endswith("number=?)")
    assert {"SEARCH"} == {step.split()[0] for step in steps[1:]}


OF_ONE = {
    "sources_of_message": "message_id=?)",
    "memories_learned_from": "message_id=?)",
    "succeeded_memories": "follows=?)",
}


@pytest.mark.parametrize("name", OF_ONE)
def test_what_hangs_on_one_item_is_found_by_its_key(name: str) -> None:
    """Every turn asks about a message or a memory: not everything that the person told is looked through."""
    connection = sqlite3.connect(":memory:")
    ensure_schema(connection, ":memory:")
    named = ("tenant", "user", "owner", "conversation", "message", "id")
    query = {**dict.fromkeys(named, "one"), "messages": '[["c1", "m1"]]', "ids": '["k1"]'}
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {queries('sqlite')[name].sql}", query)]
    connection.close()

    assert any(step.endswith(OF_ONE[name]) for step in plan)
    assert not [step for step in plan if step.endswith(("user_id=?)", "owner_id=?)"))]


@pytest.mark.parametrize("name", ["drop_conversation_entries", "drop_conversation_vectors"])
def test_a_conversation_is_deleted_by_its_key(name: str) -> None:
    """Deleting looks only at the conversation's own rows, whatever else the user has."""
    connection = sqlite3.connect(":memory:")
    ensure_schema(connection, ":memory:")
    query = {"tenant": "acme", "user": "ana", "conversation": "c1"}
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {queries('sqlite')[name].sql}", query)]
    connection.close()

    assert 1 == len(plan)
    assert plan[0].endswith("(tenant_id=? AND user_id=? AND kind=? AND conversation_id=?)")


def test_the_history_of_a_memory_is_looked_up() -> None:
    """The chain of a tenant is not read for it from one end to the other."""
    connection = sqlite3.connect(":memory:")
    ensure_schema(connection, ":memory:")
    query = queries("sqlite")["audit_of_memory"].sql
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", {"tenant": "acme", "memory": "m"})]
    connection.close()

    assert any("audit_by_memory (tenant_id=? AND memory_id=?)" in step for step in plan)
