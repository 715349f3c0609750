"""Rolling summaries, episodes, and the chores that writes leave to be done."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, WHOLE, owner, text, whole

revision = "0003"
down_revision = "0002"

_EVERY_CONVERSATION = sa.text(
    "INSERT INTO chores (tenant_id, user_id, conversation_id, kind, attempts, due_at) "
    "SELECT tenant_id, user_id, id, :kind, 0, 0 FROM conversations WHERE turns > 1"
)


def upgrade() -> None:
    for name in ("folded", "cut"):
        op.add_column("conversations", sa.Column(name, WHOLE, nullable=False, server_default=sa.text("0")))
    op.create_table(
        "summaries",
        *owner(),
        text("conversation_id"),
        text("text"),
        whole("tokens"),
        whole("covered"),
        whole("last_seq"),
        whole("created_at"),
        whole("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "conversation_id"),
        **CLUSTERED,
    )
    _episodes()
    _chores()


def _episodes() -> None:
    op.create_table(
        "episodes",
        *owner(),
        text("conversation_id"),
        whole("turns"),
        text("id"),
        whole("first_seq"),
        whole("last_seq"),
        text("title"),
        text("summary"),
        whole("told"),
        whole("created_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "conversation_id", "turns"),
        **CLUSTERED,
    )
    op.create_index("episodes_id", "episodes", ["tenant_id", "user_id", "id"], unique=True)
    op.create_index("episodes_newest", "episodes", ["tenant_id", "user_id", "created_at", "id"])
    untold = sa.text("told = 0")
    op.create_index("episodes_untold", "episodes", ["created_at"], sqlite_where=untold, postgresql_where=untold)


def _chores() -> None:
    op.create_table(
        "chores",
        *owner(),
        text("conversation_id"),
        text("kind"),
        whole("attempts"),
        whole("due_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "conversation_id", "kind"),
        sa.CheckConstraint("kind IN ('fold', 'episode')", name="chores_kind"),
        **CLUSTERED,
    )
    op.create_index("chores_due", "chores", ["kind", "due_at"])
    # Conversations older than this version are looked through once; what is too short is dismissed then.
    for kind in ("fold", "episode"):
        op.execute(_EVERY_CONVERSATION.bindparams(kind=kind))


def downgrade() -> None:
    for table in ("chores", "episodes", "summaries"):
        op.drop_table(table)
    for name in ("cut", "folded"):
        op.drop_column("conversations", name)
