"""Keys that do named modules' tasks and nothing else, and when each subscriber last came to listen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.rebuilt import restrict_key_roles
from rememora.adapters.sql.migrations.shapes import TEXT, WHOLE

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
    restrict_key_roles(SINCE)
    for column in ("seen_at", "missed"):
        op.add_column("subscribers", sa.Column(column, WHOLE, nullable=False, server_default=sa.text("0")))
    # Whoever subscribed before this version was here a moment ago, as far as anybody knows.
    op.execute(NOW[op.get_bind().dialect.name])


def downgrade() -> None:
    op.drop_column("subscribers", "missed")
    op.drop_column("subscribers", "seen_at")
    op.execute("DELETE FROM api_keys WHERE role = 'module'")
    restrict_key_roles(BEFORE)
    op.drop_column("api_keys", "modules")
