"""Knowledge: memories, their audit chain, questions, quarantine, entities."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, PLAIN, owner, raw, real, text, whole

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _memories()
    _audit()
    _questions()
    _entities()


def _memories() -> None:
    op.create_table(
        "memories",
        text("tenant_id"),
        text("owner_id"),
        text("id"),
        text("user_id"),
        text("scope"),
        text("category"),
        text("key"),
        text("value"),
        real("confidence"),
        text("status"),
        text("source"),
        text("source_ref", nullable=True),
        text("conversation_id"),
        text("origin"),
        whole("suppressed"),
        text("supersedes", nullable=True),
        text("evidence", nullable=True),
        whole("created_at"),
        whole("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id", "owner_id", "id"),
        sa.CheckConstraint("status IN ('active', 'deprecated', 'deleted')", name="memories_status"),
        sa.CheckConstraint(
            "(scope = 'personal' AND owner_id = user_id) OR (scope = 'tenant_shared' AND owner_id = '*')",
            name="memories_scope",
        ),
        sa.CheckConstraint("confidence BETWEEN 0 AND 1", name="memories_confidence"),
        **PLAIN,
    )
    op.create_index(
        "memories_one_active",
        "memories",
        ["tenant_id", "owner_id", "scope", "key"],
        unique=True,
        sqlite_where=sa.text("status = 'active'"),
        postgresql_where=sa.text("status = 'active'"),
    )
    op.create_index("memories_by_key", "memories", ["tenant_id", "owner_id", "key", "id"])
    op.create_table(
        "memory_spans",
        text("tenant_id"),
        text("owner_id"),
        text("memory_id"),
        whole("since"),
        whole("until", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "owner_id", "memory_id", "since"),
        **CLUSTERED,
    )


def _audit() -> None:
    op.create_table(
        "audit",
        text("tenant_id"),
        whole("position"),
        whole("at"),
        text("action"),
        text("actor"),
        text("owner_id"),
        text("memory_id"),
        text("key"),
        text("why"),
        text("before", nullable=True),
        text("after", nullable=True),
        raw("salt", nullable=True),
        raw("digest"),
        raw("hash"),
        sa.PrimaryKeyConstraint("tenant_id", "position"),
        **CLUSTERED,
    )
    op.create_index("audit_by_memory", "audit", ["tenant_id", "memory_id", "position"])
    op.create_table(
        "audit_heads",
        text("tenant_id"),
        whole("position"),
        raw("hash"),
        raw("signature"),
        sa.PrimaryKeyConstraint("tenant_id"),
        **CLUSTERED,
    )


def _questions() -> None:
    op.create_table(
        "attempts",
        *owner(),
        text("id"),
        whole("at"),
        whole("worthy"),
        text("verdict"),
        text("reason"),
        text("key", nullable=True),
        text("category", nullable=True),
        text("source"),
        text("memory_id", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "id"),
        **CLUSTERED,
    )
    op.create_table(
        "proposals",
        *owner(),
        text("id"),
        text("kind"),
        text("question_pt"),
        text("question_en"),
        text("key", nullable=True),
        text("value", nullable=True),
        text("candidates", nullable=True),
        text("wish", nullable=True),
        text("reason"),
        text("status"),
        whole("created_at"),
        whole("expires_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "id"),
        **PLAIN,
    )
    op.create_table(
        "quarantine",
        *owner(),
        text("id"),
        text("content"),
        text("reason"),
        text("wish", nullable=True),
        text("origin"),
        text("source_ref", nullable=True),
        text("conversation_id"),
        text("status"),
        whole("created_at"),
        whole("reviewed_at", nullable=True),
        text("reviewed_by", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "id"),
        **PLAIN,
    )


def _entities() -> None:
    op.create_table(
        "entities",
        *owner(),
        text("key"),
        text("id"),
        text("type"),
        text("value"),
        real("confidence"),
        text("conversation_id"),
        whole("mentions"),
        whole("created_at"),
        whole("updated_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "key"),
        **PLAIN,
    )
    op.create_index("entities_by_id", "entities", ["tenant_id", "user_id", "id"], unique=True)


def downgrade() -> None:
    for table in (
        "entities",
        "quarantine",
        "proposals",
        "attempts",
        "audit_heads",
        "audit",
        "memory_spans",
        "memories",
    ):
        op.drop_table(table)
