"""Add to memories the place, in their value, of the value of their attribute; none for what was kept before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import WHOLE

revision = "0032"
down_revision = "0031"

PLACES = ("attribute_start", "attribute_end")


def upgrade() -> None:
    for column in PLACES:
        op.add_column("memories", sa.Column(column, WHOLE, nullable=True))


def downgrade() -> None:
    """Drop the places; every word stays in the value."""
    for column in PLACES:
        op.drop_column("memories", column)
