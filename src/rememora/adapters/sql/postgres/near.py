"""The index of neighbours, built beside the work that goes on: partition by partition, locking nothing."""

from __future__ import annotations

from typing import Any

import psycopg

from rememora.adapters.sql.postgres.vectors import MOST_DIMENSIONS

_PARTITIONS = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = 'vectors'::regclass ORDER BY 1
"""
_UNFINISHED = """
SELECT c.relname FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
WHERE NOT x.indisvalid AND c.relkind = 'i' AND c.relname LIKE 'vectors\\_%near\\_%'
"""
_ATTACHED = """
SELECT 1 FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relname = %s
"""


def index_vectors(url: str, dimension: int) -> bool:
    """Build what is missing of the index of neighbours for vectors of one dimension; may be repeated."""
    if dimension > MOST_DIMENSIONS:
        return False
    with psycopg.connect(url, autocommit=True, application_name="rememora migrate") as connection:
        for (name,) in connection.execute(_UNFINISHED).fetchall():
            connection.execute(f"DROP INDEX {name}".encode())
        parent = f"vectors_near_{dimension}"
        partitions = connection.execute(_PARTITIONS).fetchall()
        if not partitions:
            whole = f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {parent} ON vectors {_shape(dimension)}"
            connection.execute(whole.encode())
            return True
        connection.execute(f"CREATE INDEX IF NOT EXISTS {parent} ON ONLY vectors {_shape(dimension)}".encode())
        for (partition,) in partitions:
            _index(connection, parent, partition, dimension)
    return True


def _index(connection: psycopg.Connection[Any], parent: str, partition: str, dimension: int) -> None:
    name = f"{partition}_near_{dimension}"
    connection.execute(
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {partition} {_shape(dimension)}".encode()
    )
    if connection.execute(_ATTACHED, (name,)).fetchone() is None:
        connection.execute(f"ALTER INDEX {parent} ATTACH PARTITION {name}".encode())


def _shape(dimension: int) -> str:
    return (
        f"USING hnsw ((vector::halfvec({dimension})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 100) "
        f"WHERE vector_dims(vector) = {dimension}"
    )
