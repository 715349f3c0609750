"""Partitions every table that a migration creates in PostgreSQL by the hash of its tenant.

It listens to the creation of tables instead of changing each migration, so that no migration can forget it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from rememora.adapters.sql.postgres.texts import text

TENANT = "tenant_id"
PARTITIONS = 8


@contextmanager
def partitioned(number: int) -> Iterator[None]:
    """Tables created meanwhile that have a tenant are split in `number` by its hash; 0 leaves them whole."""

    # Migrations say nothing of partitions: listeners add them to each table that Alembic creates, so that the
    # same migrations serve both layouts.
    def before(table: sa.Table, *_: object, **__: object) -> None:
        if number and TENANT in table.c:
            table.dialect_options["postgresql"]["partition_by"] = f"HASH ({TENANT})"

    def after(table: sa.Table, connection: sa.Connection, **_: object) -> None:
        if TENANT in table.c:
            for place in range(number):
                names = {"table": f'"{table.name}"', "partition": f'"{table.name}_p{place}"'}
                connection.exec_driver_sql(text("create_partition", number=number, place=place, **names))

    sa.event.listen(sa.Table, "before_create", before)
    sa.event.listen(sa.Table, "after_create", after)
    try:
        yield
    finally:
        sa.event.remove(sa.Table, "before_create", before)
        sa.event.remove(sa.Table, "after_create", after)


def partitions_in_use(connection: sa.Connection) -> int | None:
    """Return the number of partitions of this store's tables; None where there is no table yet."""
    if not connection.exec_driver_sql(text("has_tables")).scalar():
        return None
    return int(connection.exec_driver_sql(text("count_partitions")).scalar_one())
