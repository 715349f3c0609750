"""Add an index on the message that each memory was learned from.

Whether a message still stands is asked for every message that is indexed: without the index, all memories of the
person are looked through each time.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

LEARNED = sa.text("source_ref IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "memories_by_source_ref",
        "memories",
        ["tenant_id", "owner_id", "source_ref"],
        sqlite_where=LEARNED,
        postgresql_where=LEARNED,
    )


def downgrade() -> None:
    op.drop_index("memories_by_source_ref", "memories")
