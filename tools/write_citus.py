"""Writes the statements that spread the tables over a Citus cluster, from the schema (`make schema`)."""

from __future__ import annotations

import re
from pathlib import Path

from rememora.adapters.sql.schema import snapshot

TARGET = Path(__file__).parent.parent / "docs/how-to/citus.sql"
HEAD = """-- Spreads Rememora over a Citus cluster, by tenant: each key starts with tenant_id, so a tenant's rows
-- lie on one node and a transaction of one tenant stays there. Written by `make schema`.
-- Run it once as the owner, in an empty database that was migrated with `rememora migrate --partitions 0`.
CREATE EXTENSION IF NOT EXISTS citus;
"""


def citus() -> str:
    """A statement for each table: spread where it has a tenant, copied to every node where it has none."""
    tables = re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", snapshot("sqlite"), re.DOTALL)
    spread = sorted(name for name, columns in tables if "tenant_id" in columns)
    copied = sorted(name for name, columns in tables if "tenant_id" not in columns and name != "alembic_version")
    first, *others = spread
    lines = [f"SELECT create_distributed_table('{first}', 'tenant_id');"]
    lines += [
        f"SELECT create_distributed_table('{name}', 'tenant_id', colocate_with => '{first}');" for name in others
    ]
    lines += [f"SELECT create_reference_table('{name}');" for name in copied]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(citus(), encoding="utf-8")
