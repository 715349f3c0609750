"""Add a column for the features that the ranking reads, beside each index entry, computed once.

Items of before have none: they are read as before, and the worker makes theirs in the background.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import raw

revision = "0025"
down_revision = "0024"

WITHOUT = sa.text("features IS NULL AND state IN ('embedded', 'failed')")


def upgrade() -> None:
    op.add_column("index_entries", raw("features", nullable=True))
    # Next to nobody is in it: what is settled has its features.
    op.create_index(
        "index_entries_featureless",
        "index_entries",
        ["tenant_id", "user_id", "number"],
        sqlite_where=WITHOUT,
        postgresql_where=WITHOUT,
    )


def downgrade() -> None:
    op.drop_index("index_entries_featureless", "index_entries")
    op.drop_column("index_entries", "features")
