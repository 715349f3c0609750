"""Missions, and their sections apart, so that a change rewrites only what it changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import BYTES, CLUSTERED, PLAIN, owner, text, whole

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "missions",
        *owner(),
        text("id"),
        text("session_id"),
        text("status"),
        whole("revision"),
        whole("created_at"),
        whole("expires_at"),
        whole("closed_at", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "id"),
        sa.CheckConstraint("status IN ('active', 'completed', 'timeout', 'failed')", name="missions_status"),
        **CLUSTERED,
    )
    op.create_index("missions_session", "missions", ["tenant_id", "user_id", "session_id"])
    op.create_index("missions_user_status", "missions", ["tenant_id", "user_id", "status", "created_at"])
    op.create_index("missions_due", "missions", ["status", "created_at"])
    op.create_index("missions_expiry", "missions", ["expires_at"])
    op.create_table(
        "mission_sections",
        *owner(),
        text("mission_id"),
        text("section"),
        sa.Column("body", BYTES, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "mission_id", "section"),
        **PLAIN,
    )


def downgrade() -> None:
    for table in ("mission_sections", "missions"):
        op.drop_table(table)
