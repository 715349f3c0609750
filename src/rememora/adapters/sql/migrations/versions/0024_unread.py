"""Messages that a language model is still to read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, owner, text, whole

revision = "0024"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "unread",
        *owner(),
        text("conversation_id"),
        text("message_id"),
        whole("attempts"),
        whole("due_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "conversation_id", "message_id"),
        **CLUSTERED,
    )
    op.create_index("unread_due", "unread", ["due_at"])


def downgrade() -> None:
    op.drop_table("unread")
