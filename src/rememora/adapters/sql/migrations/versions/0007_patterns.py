"""One more kind of chore: to look at how a person talks."""

from __future__ import annotations

from alembic import op

from rememora.adapters.sql.migrations.rebuilt import restrict_chore_kinds

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    restrict_chore_kinds("kind IN ('fold', 'episode', 'patterns')")


def downgrade() -> None:
    op.execute("DELETE FROM chores WHERE kind = 'patterns'")
    restrict_chore_kinds("kind IN ('fold', 'episode')")
