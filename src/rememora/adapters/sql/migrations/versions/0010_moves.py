"""An operator's long work: how far a transfer into this store is, and vectors of the next model beside these."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import BYTES, CLUSTERED, PLAIN, WHOLE, owner, text, whole

revision = "0010"
down_revision = "0009"

ITEM = ("tenant_id", "user_id", "kind", "conversation_id", "id")


def upgrade() -> None:
    op.create_table(
        "transfers",
        text("name"),
        text("origin"),
        text("place", nullable=True),
        whole("copied"),
        whole("done"),
        sa.PrimaryKeyConstraint("name"),
        **CLUSTERED,
    )
    # What is settled so far, the first run has settled.
    op.add_column("index_entries", sa.Column("run", WHOLE, nullable=False, server_default=sa.text("1")))
    _vectors_by_model()
    models = _models()
    op.drop_table("embedding_model")
    op.create_table(
        "embedding_model",
        whole("run"),
        text("name"),
        whole("dimension"),
        text("state"),
        sa.PrimaryKeyConstraint("run"),
        sa.CheckConstraint("state IN ('current', 'next', 'old')", name="embedding_model_state"),
        **CLUSTERED,
    )
    for name, dimension in models:
        _add({"run": 1, "name": name, "dimension": dimension, "state": "current"})


def downgrade() -> None:
    op.drop_table("transfers")
    op.execute(
        "DELETE FROM vectors WHERE model NOT IN "
        "(SELECT name || '/' || dimension FROM embedding_model WHERE state = 'current')"
    )
    _vectors_alone()
    op.drop_column("index_entries", "run")
    op.execute("DELETE FROM embedding_model WHERE state <> 'current'")
    models = _models()
    op.drop_table("embedding_model")
    op.create_table(
        "embedding_model", text("name"), whole("dimension"), sa.PrimaryKeyConstraint("name"), **CLUSTERED
    )
    for name, dimension in models:
        _add({"name": name, "dimension": dimension})


def _models() -> list[tuple[str, int]]:
    rows = op.get_bind().execute(sa.text("SELECT name, dimension FROM embedding_model"))
    return [(row[0], row[1]) for row in rows]


def _add(values: dict[str, str | int]) -> None:
    columns: list[sa.ColumnClause[str | int]] = [sa.column(name) for name in values]
    op.get_bind().execute(sa.table("embedding_model", *columns).insert().values(values))


def _vectors_by_model() -> None:
    """Several models may have made a vector of one item."""
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("vectors", text("model", nullable=True))
        op.execute(
            "UPDATE vectors SET model = COALESCE((SELECT MAX(name || '/' || dimension) FROM embedding_model), '')"
        )
        op.alter_column("vectors", "model", nullable=False)
        _key_anew(*ITEM, "model")
        return
    _set_aside(text("model"))
    op.execute(
        "INSERT INTO vectors (tenant_id, user_id, kind, conversation_id, id, model, vector) "
        "SELECT tenant_id, user_id, kind, conversation_id, id, "
        "COALESCE((SELECT MAX(name || '/' || dimension) FROM embedding_model), ''), vector FROM vectors_before"
    )
    op.drop_table("vectors_before")


def _vectors_alone() -> None:
    if op.get_bind().dialect.name == "postgresql":
        _key_anew(*ITEM)
        op.drop_column("vectors", "model")
        return
    _set_aside()
    op.execute(
        "INSERT INTO vectors (tenant_id, user_id, kind, conversation_id, id, vector) "
        "SELECT tenant_id, user_id, kind, conversation_id, id, vector FROM vectors_before"
    )
    op.drop_table("vectors_before")


def _key_anew(*columns: str) -> None:
    op.drop_constraint("vectors_pkey", "vectors", type_="primary")
    op.create_primary_key("vectors_pkey", "vectors", [*columns])


def _set_aside(*more: sa.Column[str]) -> None:
    """An empty table under another key, which cannot be changed in place on every engine."""
    op.rename_table("vectors", "vectors_before")
    op.create_table(
        "vectors",
        *owner(),
        text("kind"),
        text("conversation_id"),
        text("id"),
        *more,
        sa.Column("vector", BYTES, nullable=False),
        sa.PrimaryKeyConstraint(*ITEM, *(column.name for column in more)),
        **PLAIN,
    )
