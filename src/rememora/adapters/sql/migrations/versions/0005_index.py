"""The index: what can be recalled, and its vectors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, PLAIN, VECTOR, owner, text, whole

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.create_table(
        "index_entries",
        *owner(),
        text("kind"),
        text("conversation_id"),
        text("id"),
        whole("number"),
        text("state"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "kind", "conversation_id", "id"),
        sa.CheckConstraint("state IN ('waiting', 'embedded', 'failed', 'gone')", name="index_entries_state"),
        **CLUSTERED,
    )
    op.create_index("index_entries_number", "index_entries", ["tenant_id", "user_id", "number"], unique=True)
    waiting = sa.text("state = 'waiting'")
    op.create_index(
        "index_entries_waiting",
        "index_entries",
        ["tenant_id", "user_id", "number"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
    op.create_table(
        "vectors",
        *owner(),
        text("kind"),
        text("conversation_id"),
        text("id"),
        sa.Column("vector", VECTOR, nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "kind", "conversation_id", "id"),
        **PLAIN,
    )
    op.create_table(
        "embedding_model", text("name"), whole("dimension"), sa.PrimaryKeyConstraint("name"), **CLUSTERED
    )
    op.create_table(
        "leases", text("name"), text("owner"), whole("until"), sa.PrimaryKeyConstraint("name"), **CLUSTERED
    )
    op.execute(
        "INSERT INTO index_entries (tenant_id, user_id, kind, conversation_id, id, number, state) "
        "SELECT tenant_id, user_id, 'message', conversation_id, id, "
        "ROW_NUMBER() OVER (PARTITION BY tenant_id, user_id ORDER BY created_at, conversation_id, seq), 'waiting' "
        "FROM messages WHERE role <> 'system'"
    )


def downgrade() -> None:
    for table in ("leases", "embedding_model", "vectors", "index_entries"):
        op.drop_table(table)
