"""Keep what a proposal asks as a form with its parameters (expand): the words are those of whoever reads it."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import TEXT

revision = "0027"
down_revision = "0026"

WAITING = sa.text("SELECT tenant_id, user_id, id, question_pt, question_en FROM proposals WHERE asks IS NULL")
FILL = sa.text("UPDATE proposals SET asks = :asks WHERE tenant_id = :tenant AND user_id = :user AND id = :id")


def upgrade() -> None:
    op.add_column("proposals", sa.Column("asks", TEXT, nullable=True))
    fill(op.get_bind())


def fill(bind: sa.Connection) -> None:
    """Keep the words of questions that were asked in words."""
    for tenant, user, id, pt, en in bind.execute(WAITING).fetchall():
        asks = json.dumps({"form": "text", "texts": {"pt": pt, "en": en}}, ensure_ascii=False)
        bind.execute(FILL, {"asks": asks, "tenant": tenant, "user": user, "id": id})


def downgrade() -> None:
    op.drop_column("proposals", "asks")
