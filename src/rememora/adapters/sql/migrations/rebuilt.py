"""Tables that several migrations made again under another rule, in the shape that they had then."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import BYTES, CLUSTERED, TEXT, owner, text, whole


def restrict_key_roles(allowed: str) -> None:
    """Make the table of keys again with other roles: SQLite cannot change a check in place."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("api_keys_role", "api_keys", type_="check")
        op.create_check_constraint("api_keys_role", "api_keys", allowed)
        return
    op.drop_index("api_keys_id", "api_keys")
    op.rename_table("api_keys", "api_keys_before")
    op.create_table(
        "api_keys",
        text("tenant_id"),
        text("id"),
        sa.Column("digest", BYTES, nullable=False),
        text("role"),
        text("user_id", nullable=True),
        text("label"),
        whole("created_at"),
        whole("expires_at", nullable=True),
        whole("revoked_at", nullable=True),
        whole("used_at", nullable=True),
        text("successor", nullable=True),
        sa.Column("modules", TEXT, nullable=False, server_default=sa.text("'[]'")),
        sa.PrimaryKeyConstraint("tenant_id", "id"),
        sa.CheckConstraint(allowed, name="api_keys_role"),
        **CLUSTERED,
    )
    op.create_index("api_keys_id", "api_keys", ["id"], unique=True)
    op.execute(
        "INSERT INTO api_keys (tenant_id, id, digest, role, user_id, label, created_at, expires_at, revoked_at, "
        "used_at, successor, modules) SELECT tenant_id, id, digest, role, user_id, label, created_at, expires_at, "
        "revoked_at, used_at, successor, modules FROM api_keys_before"
    )
    op.drop_table("api_keys_before")


def restrict_chore_kinds(kinds: str) -> None:
    """Make the table of chores again with other kinds: SQLite cannot change a check in place."""
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("chores_kind", "chores", type_="check")
        op.create_check_constraint("chores_kind", "chores", kinds)
        return
    op.drop_index("chores_due", "chores")
    op.rename_table("chores", "chores_before")
    op.create_table(
        "chores",
        *owner(),
        text("conversation_id"),
        text("kind"),
        whole("attempts"),
        whole("due_at"),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "conversation_id", "kind"),
        sa.CheckConstraint(kinds, name="chores_kind"),
        **CLUSTERED,
    )
    op.create_index("chores_due", "chores", ["kind", "due_at"])
    op.execute(
        "INSERT INTO chores (tenant_id, user_id, conversation_id, kind, attempts, due_at) "
        "SELECT tenant_id, user_id, conversation_id, kind, attempts, due_at FROM chores_before"
    )
    op.drop_table("chores_before")
