"""What an operator's long work leaves behind until it is done: how far a transfer into this store is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, text, whole

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "transfers",
        text("name"),
        text("origin"),
        text("place", nullable=True),
        whole("copied"),
        whole("done"),
        sa.PrimaryKeyConstraint("name"),
        **CLUSTERED,
    )


def downgrade() -> None:
    op.drop_table("transfers")
