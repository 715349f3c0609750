"""One more kind of chore: to look at how a person talks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, owner, text, whole

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    _chores("kind IN ('fold', 'episode', 'patterns')")


def downgrade() -> None:
    op.execute("DELETE FROM chores WHERE kind = 'patterns'")
    _chores("kind IN ('fold', 'episode')")


def _chores(kinds: str) -> None:
    """The same table under another rule; a rule cannot be changed in place on every engine."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("chores_kind", "chores")
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
