"""Marks how far the mentions of a conversation are counted; adds the counting chore and forgotten entities."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.rebuilt import restrict_chore_kinds
from rememora.adapters.sql.migrations.shapes import WHOLE

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    for table, column in (("conversations", "counted"), ("entities", "forgotten")):
        op.add_column(table, sa.Column(column, WHOLE, nullable=False, server_default=sa.text("0")))
    # What was said before this version was counted when it was said.
    op.execute("UPDATE conversations SET counted = messages")
    restrict_chore_kinds("kind IN ('fold', 'episode', 'patterns', 'mentions')")


def downgrade() -> None:
    op.execute("DELETE FROM chores WHERE kind = 'mentions'")
    restrict_chore_kinds("kind IN ('fold', 'episode', 'patterns')")
    op.execute("DELETE FROM entities WHERE forgotten = 1")
    op.drop_column("entities", "forgotten")
    op.drop_column("conversations", "counted")
