"""Add columns to memories: subject, attribute, validity, lineage, rule and doubt."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import TEXT, WHOLE

revision = "0026"
down_revision = "0025"

WORDS = ("subject", "attribute", "follows", "because", "doubted_by")
TIMES = ("valid_from", "valid_to", "doubted_at")


def upgrade() -> None:
    for column in WORDS:
        op.add_column("memories", sa.Column(column, TEXT, nullable=True))
    for column in TIMES:
        op.add_column("memories", sa.Column(column, WHOLE, nullable=True))
    for column in ("supersedes", "follows", "because", "doubted_by"):
        op.create_index(
            f"memories_by_{column}",
            "memories",
            ["tenant_id", "owner_id", column],
            sqlite_where=sa.text(f"{column} IS NOT NULL"),
            postgresql_where=sa.text(f"{column} IS NOT NULL"),
        )


def downgrade() -> None:
    for column in ("supersedes", "follows", "because", "doubted_by"):
        op.drop_index(f"memories_by_{column}", "memories")
    for column in (*WORDS, *TIMES):
        op.drop_column("memories", column)
