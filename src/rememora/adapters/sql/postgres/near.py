"""Builds the index of neighbours online: partition by partition, without locks."""

from __future__ import annotations

from typing import Any

import psycopg

from rememora.adapters.sql.postgres.texts import tell
from rememora.adapters.sql.postgres.vectors import MOST_DIMENSIONS

FAILURES = (psycopg.Error,)
"""Errors of the driver."""


def index_vectors(url: str, dimension: int) -> bool:
    """Build what is missing of the index of neighbours for vectors of one dimension; may be repeated."""
    if dimension > MOST_DIMENSIONS:
        return False
    with psycopg.connect(url, autocommit=True, application_name="rememora migrate") as connection:
        # An interrupted build leaves an invalid index behind, which would be in the way.
        for (name,) in tell(connection, "unfinished_indexes").fetchall():
            tell(connection, "drop_index", index=name)
        above = f"vectors_near_{dimension}"
        partitions = tell(connection, "partitions_of_vectors").fetchall()
        if not partitions:
            tell(connection, "index_table", index=above, table="vectors", dimension=dimension)
            return True
        tell(connection, "index_above", index=above, dimension=dimension)
        for (partition,) in partitions:
            _index(connection, above, partition, dimension)
    return True


def _index(connection: psycopg.Connection[Any], above: str, partition: str, dimension: int) -> None:
    name = f"{partition}_near_{dimension}"
    tell(connection, "index_table", index=name, table=partition, dimension=dimension)
    if tell(connection, "attached_index", {"name": name}).fetchone() is None:
        tell(connection, "attach_index", above=above, index=name)
