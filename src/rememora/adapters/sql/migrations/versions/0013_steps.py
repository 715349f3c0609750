"""The writes done under an idempotency key, noted in their own transactions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import BYTES

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("answers", sa.Column("steps", BYTES, nullable=True))
    # A claim without an answer says nothing of what was done under it, and would only be in the way.
    op.execute("DELETE FROM answers WHERE status IS NULL")


def downgrade() -> None:
    op.execute("DELETE FROM answers WHERE status IS NULL")
    op.drop_column("answers", "steps")
