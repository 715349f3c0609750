"""Accounts of people who sign in to the pages, with sessions and invitations, and figures over time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, raw, text, whole

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "logins",
        text("tenant_id"),
        text("id"),
        text("name"),
        text("role"),
        text("user_id", nullable=True),
        text("password"),
        whole("created_at"),
        whole("used_at", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        sa.CheckConstraint("role IN ('owner', 'operator', 'auditor', 'support', 'person')", name="logins_role"),
        **CLUSTERED,
    )
    op.create_index("logins_name", "logins", ["tenant_id", "name"], unique=True)
    # Whoever signs in names no tenant.
    op.create_index("logins_anywhere", "logins", ["name"])
    op.create_table(
        "login_invitations",
        text("tenant_id"),
        text("id"),
        raw("digest"),
        text("role"),
        text("user_id", nullable=True),
        text("name"),
        text("created_by"),
        whole("created_at"),
        whole("expires_at"),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        **CLUSTERED,
    )
    op.create_index("login_invitations_id", "login_invitations", ["id"])
    _sessions()
    _trends()


def _sessions() -> None:
    op.create_table(
        "login_sessions",
        text("tenant_id"),
        text("id"),
        raw("digest"),
        text("login_id"),
        whole("created_at"),
        whole("seen_at"),
        text("glass_tenant"),
        text("glass_reason"),
        whole("glass_until", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        **CLUSTERED,
    )
    op.create_index("login_sessions_id", "login_sessions", ["id"])
    op.create_table(
        "login_tries",
        text("tenant_id"),
        text("place"),
        whole("since"),
        whole("tries"),
        sa.PrimaryKeyConstraint("tenant_id", "place", "since"),
        **CLUSTERED,
    )


def _trends() -> None:
    op.create_table(
        "trends",
        text("tenant_id"),
        text("measure"),
        whole("since"),
        whole("bucket"),
        whole("amount"),
        sa.PrimaryKeyConstraint("tenant_id", "measure", "since", "bucket"),
        **CLUSTERED,
    )


def downgrade() -> None:
    for table in ("trends", "login_tries", "login_sessions", "login_invitations", "logins"):
        op.drop_table(table)
