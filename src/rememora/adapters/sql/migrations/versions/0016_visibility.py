"""Stores why an item is hidden with the item, and the source messages of memories and mentions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import CLUSTERED, TEXT, owner, text, whole

revision = "0016"
down_revision = "0015"

HIDDEN = ("messages", "conversations", "episodes", "summaries", "entities", "tasks")
JUDGED = ("messages", "entities")
WAITING = ("conversations", "entities", "tasks")
UNJUDGED = "unjudged"
CARRY_ERASED = {
    "sqlite": "UPDATE messages SET judged = 'erased', hidden = 'erased', "
    "metadata = NULLIF(json_remove(metadata, '$.silenced'), '{}') WHERE instr(metadata, '\"silenced\":true') > 0",
    "postgresql": "UPDATE messages SET judged = 'erased', hidden = 'erased', "
    "metadata = NULLIF(CAST(CAST(metadata AS jsonb) - 'silenced' AS TEXT), '{}') "
    "WHERE position('\"silenced\":true' IN metadata) > 0",
}
RETURN_ERASED = {
    "sqlite": "UPDATE messages SET metadata = json_set(COALESCE(metadata, '{}'), '$.silenced', json('true')) "
    "WHERE judged = 'erased'",
    "postgresql": "UPDATE messages SET metadata = replace(CAST("
    "COALESCE(CAST(metadata AS jsonb), CAST('{}' AS jsonb)) || CAST('{\"silenced\": true}' AS jsonb) AS TEXT), "
    "'\"silenced\": true', '\"silenced\":true') WHERE judged = 'erased'",
}


def upgrade() -> None:
    # What nobody has judged is hidden: rows from before this version, and any that a writer forgets to judge.
    unjudged = sa.text(f"'{UNJUDGED}'")
    for table in HIDDEN:
        op.add_column(table, sa.Column("hidden", TEXT, nullable=True, server_default=unjudged))
    for table in JUDGED:
        op.add_column(table, sa.Column("judged", TEXT, nullable=True, server_default=unjudged))
    op.add_column("messages", sa.Column("shown", TEXT, nullable=True))
    for table in WAITING:
        rule = sa.text(f"hidden = '{UNJUDGED}'")
        op.create_index(
            f"{table}_unjudged", table, ["tenant_id", "user_id"], sqlite_where=rule, postgresql_where=rule
        )
    op.create_table(
        "memory_sources",
        *owner(),
        text("memory_id"),
        text("conversation_id"),
        text("message_id"),
        text("hidden", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "memory_id", "conversation_id", "message_id"),
        **CLUSTERED,
    )
    op.create_index(
        "memory_sources_message", "memory_sources", ["tenant_id", "user_id", "conversation_id", "message_id"]
    )
    op.create_table(
        "mention_sources",
        *owner(),
        text("key"),
        text("conversation_id"),
        text("message_id"),
        whole("times"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "key", "conversation_id", "message_id"),
        **CLUSTERED,
    )
    op.create_index(
        "mention_sources_message", "mention_sources", ["tenant_id", "user_id", "conversation_id", "message_id"]
    )
    _run(CARRY_ERASED)


def downgrade() -> None:
    _run(RETURN_ERASED)
    op.drop_table("mention_sources")
    op.drop_table("memory_sources")
    for table in WAITING:
        op.drop_index(f"{table}_unjudged", table)
    op.drop_column("messages", "shown")
    for table in JUDGED:
        op.drop_column(table, "judged")
    for table in HIDDEN:
        op.drop_column(table, "hidden")


def _run(statements: dict[str, str]) -> None:
    """Run a statement as it stands: a colon in it is none of a parameter's."""
    connection = op.get_bind()
    connection.exec_driver_sql(statements[connection.dialect.name])
