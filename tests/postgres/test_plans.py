"""How the server finds what it is asked for: by key, whatever its statistics say."""

from __future__ import annotations

import psycopg
import pytest
from tests.postgres.conftest import Place

from rememora.adapters.sql.postgres.texts import spelled
from rememora.adapters.sql.queries import queries

CHANGED = ["changed_entities", "changed_episodes", "changed_memories", "changed_messages", "changed_summaries"]
ASKED = {"tenant": "acme", "user": "ana", "numbers": "[1, 2]", "model": "m/32"}


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_item_is_looked_up_by_its_key(place: Place, name: str) -> None:
    """On a store that was never analysed no item is compared with every other of its user."""
    with psycopg.connect(place.admin) as connection:
        rows = connection.execute(b"EXPLAIN " + spelled(queries("postgres")[name].sql).encode(), ASKED).fetchall()
    plan = "\n".join(row[0] for row in rows)

    assert "Join Filter" not in plan
    assert "= e.id)" in plan
