"""A number of its own for every state of a conversation, so that a copy of its newest turns is known for right."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import WHOLE

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    # 0 is no edition: what was said before this version is copied nowhere until the next message comes.
    for column in ("edition", "edition_before"):
        op.add_column("conversations", sa.Column(column, WHOLE, nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    op.drop_column("conversations", "edition_before")
    op.drop_column("conversations", "edition")
