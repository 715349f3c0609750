"""Tenancy: accounts, keys, usage, and answers to requests that may be repeated."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import BYTES, CLUSTERED, owner, text, whole

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "accounts",
        text("tenant_id"),
        text("name"),
        text("status"),
        text("plan"),
        sa.Column("link_secret", BYTES, nullable=False),
        whole("created_at"),
        whole("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id"),
        sa.CheckConstraint("status IN ('active', 'suspended')", name="accounts_status"),
        **CLUSTERED,
    )
    _keys()
    op.create_table(
        "usage",
        text("tenant_id"),
        text("meter"),
        whole("since"),
        whole("used"),
        sa.PrimaryKeyConstraint("tenant_id", "meter", "since"),
        **CLUSTERED,
    )
    op.create_table(
        "answers",
        *owner(),
        text("id"),
        sa.Column("fingerprint", BYTES, nullable=False),
        whole("begun_at"),
        whole("status", nullable=True),
        sa.Column("body", BYTES, nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "id"),
        **CLUSTERED,
    )
    op.create_index("answers_begun", "answers", ["begun_at"])


def _keys() -> None:
    op.create_table(
        "api_keys",
        text("tenant_id"),
        text("id"),
        sa.Column("digest", BYTES, nullable=False),
        text("role"),
        text("user_id", nullable=True),
        text("label"),
        whole("created_at"),
        whole("expires_at", nullable=True),
        whole("revoked_at", nullable=True),
        whole("used_at", nullable=True),
        text("successor", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        sa.CheckConstraint("role IN ('user', 'admin', 'operator', 'auditor')", name="api_keys_role"),
        **CLUSTERED,
    )
    # Where tenants are partitions no index is unique across them; the ids are random.
    everywhere = op.get_bind().dialect.name == "sqlite"
    op.create_index("api_keys_id", "api_keys", ["id"], unique=everywhere)


def downgrade() -> None:
    for table in ("answers", "usage", "api_keys", "accounts"):
        op.drop_table(table)
