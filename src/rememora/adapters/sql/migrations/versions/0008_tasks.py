"""Tasks: work handed to modules."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import PLAIN, owner, text, whole

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "tasks",
        *owner(),
        text("id"),
        text("conversation_id"),
        text("module"),
        text("kind"),
        text("payload"),
        text("correlation_id"),
        text("key", nullable=True),
        text("status"),
        whole("attempts"),
        whole("due_at", nullable=True),
        text("owner", nullable=True),
        text("result", nullable=True),
        text("summary", nullable=True),
        text("error", nullable=True),
        whole("created_at"),
        whole("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "id"),
        sa.UniqueConstraint("tenant_id", "user_id", "key", name="tasks_key"),
        sa.CheckConstraint(
            "status IN ('waiting', 'running', 'completed', 'failed', 'cancelled')", name="tasks_status"
        ),
        **PLAIN,
    )
    op.create_index("tasks_newest", "tasks", ["tenant_id", "id"])
    due = sa.text("due_at IS NOT NULL")
    op.create_index("tasks_due", "tasks", ["module", "due_at"], sqlite_where=due, postgresql_where=due)


def downgrade() -> None:
    op.drop_table("tasks")
