"""Marks how far the mentions of a conversation are counted; adds the counting chore and forgotten entities."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, WHOLE, owner, text, whole

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    for table, column in (("conversations", "counted"), ("entities", "forgotten")):
        op.add_column(table, sa.Column(column, WHOLE, nullable=False, server_default=sa.text("0")))
    # What was said before this version was counted when it was said.
    op.execute("UPDATE conversations SET counted = messages")
    _chores("kind IN ('fold', 'episode', 'patterns', 'mentions')")


def downgrade() -> None:
    op.execute("DELETE FROM chores WHERE kind = 'mentions'")
    _chores("kind IN ('fold', 'episode', 'patterns')")
    op.execute("DELETE FROM entities WHERE forgotten = 1")
    op.drop_column("entities", "forgotten")
    op.drop_column("conversations", "counted")


def _chores(kinds: str) -> None:
    """The same table under another rule, which SQLite cannot change in place."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("chores_kind", "chores", type_="check")
        op.create_check_constraint("chores_kind", "chores", kinds)
        return
    op.drop_index("chores_due", "chores")
    op.rename_table("chores", "chores_before")
    op.create_table(
        "chores",
        *owner(),
        text("conversation_id"),
        text("kind"),
        whole("attempts"),
        whole("due_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "conversation_id", "kind"),
        sa.CheckConstraint(kinds, name="chores_kind"),
        **CLUSTERED,
    )
    op.create_index("chores_due", "chores", ["kind", "due_at"])
    op.execute(
        "INSERT INTO chores (tenant_id, user_id, conversation_id, kind, attempts, due_at) "
        "SELECT tenant_id, user_id, conversation_id, kind, attempts, due_at FROM chores_before"
    )
    op.drop_table("chores_before")
