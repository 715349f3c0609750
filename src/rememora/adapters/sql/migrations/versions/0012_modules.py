"""Keys that do named modules' tasks and nothing else, and when each subscriber last came to listen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import BYTES, CLUSTERED, TEXT, WHOLE, text, whole

revision = "0012"
down_revision = "0011"

BEFORE = "role IN ('user', 'admin', 'operator', 'auditor')"
SINCE = "role IN ('user', 'admin', 'operator', 'auditor', 'module')"
NOW = {
    "sqlite": "UPDATE subscribers SET seen_at = unixepoch() * 1000000",
    "postgresql": "UPDATE subscribers SET seen_at = CAST(extract(epoch FROM now()) AS BIGINT) * 1000000",
}


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("modules", TEXT, nullable=False, server_default=sa.text("'[]'")))
    _roles(SINCE)
    for column in ("seen_at", "missed"):
        op.add_column("subscribers", sa.Column(column, WHOLE, nullable=False, server_default=sa.text("0")))
    # Whoever subscribed before this version was here a moment ago, as far as anybody knows.
    op.execute(NOW[op.get_bind().dialect.name])


def downgrade() -> None:
    op.drop_column("subscribers", "missed")
    op.drop_column("subscribers", "seen_at")
    op.execute("DELETE FROM api_keys WHERE role = 'module'")
    _roles(BEFORE)
    op.drop_column("api_keys", "modules")


def _roles(allowed: str) -> None:
    """The same table under another rule, which SQLite cannot change in place."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("api_keys_role", "api_keys", type_="check")
        op.create_check_constraint("api_keys_role", "api_keys", allowed)
        return
    op.drop_index("api_keys_id", "api_keys")
    op.rename_table("api_keys", "api_keys_before")
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
        sa.Column("modules", TEXT, nullable=False, server_default=sa.text("'[]'")),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        sa.CheckConstraint(allowed, name="api_keys_role"),
        **CLUSTERED,
    )
    op.create_index("api_keys_id", "api_keys", ["id"], unique=True)
    op.execute(
        "INSERT INTO api_keys (tenant_id, id, digest, role, user_id, label, created_at, expires_at, revoked_at, "
        "used_at, successor, modules) SELECT tenant_id, id, digest, role, user_id, label, created_at, expires_at, "
        "revoked_at, used_at, successor, modules FROM api_keys_before"
    )
    op.drop_table("api_keys_before")
