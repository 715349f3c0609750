"""History, and the outbox beneath everything."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, owner, text, whole

revision = "0001"
down_revision = None


def upgrade() -> None:
    _history()
    _outbox()


def _history() -> None:
    op.create_table(
        "conversations",
        *owner(),
        text("id"),
        text("channel"),
        whole("messages"),
        whole("turns"),
        text("metadata", nullable=True),
        whole("created_at"),
        whole("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "id"),
        **CLUSTERED,
    )
    op.create_index("conversations_newest", "conversations", ["tenant_id", "user_id", "updated_at", "id"])
    op.create_table(
        "messages",
        *owner(),
        text("conversation_id"),
        whole("seq"),
        text("id"),
        text("role"),
        text("content"),
        text("modality"),
        text("attachments", nullable=True),
        text("metadata", nullable=True),
        whole("created_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "conversation_id", "seq"),
        sa.CheckConstraint("role IN ('user', 'assistant', 'system', 'tool')", name="messages_role"),
        sa.CheckConstraint("modality IN ('chat', 'voice')", name="messages_modality"),
        **CLUSTERED,
    )
    op.create_index("messages_id", "messages", ["tenant_id", "user_id", "conversation_id", "id"], unique=True)


def _outbox() -> None:
    op.create_table(
        "tenants",
        text("tenant_id"),
        whole("outbox_position"),
        whole("created_at"),
        sa.PrimaryKeyConstraint("tenant_id"),
        **CLUSTERED,
    )
    op.create_table(
        "outbox",
        text("tenant_id"),
        whole("position"),
        text("id"),
        text("type"),
        text("user_id"),
        text("conversation_id"),
        text("payload"),
        whole("occurred_at"),
        sa.PrimaryKeyConstraint("tenant_id", "position"),
        **CLUSTERED,
    )
    op.create_table(
        "subscribers",
        text("name"),
        text("lease_owner", nullable=True),
        whole("lease_until"),
        sa.PrimaryKeyConstraint("name"),
        **CLUSTERED,
    )
    op.create_table(
        "cursors",
        text("tenant_id"),
        text("subscriber"),
        whole("position"),
        sa.PrimaryKeyConstraint("tenant_id", "subscriber"),
        **CLUSTERED,
    )
    op.create_table(
        "parked",
        text("tenant_id"),
        text("subscriber"),
        whole("position"),
        text("user_id"),
        text("conversation_id"),
        whole("attempts"),
        whole("retry_at"),
        whole("dead"),
        text("error", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "subscriber", "position"),
        **CLUSTERED,
    )
    op.create_index("parked_due", "parked", ["subscriber", "dead", "retry_at"])


def downgrade() -> None:
    for table in ("parked", "cursors", "subscribers", "outbox", "tenants", "messages", "conversations"):
        op.drop_table(table)
