"""Drop the words of proposals in two languages (contract), after a server that writes no more of them."""

from __future__ import annotations

import importlib

import msgspec
import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import TEXT
from rememora.domain.question import Asks, in_words

revision = "0028"
down_revision = "0027"

COLUMNS = ("question_pt", "question_en")
ASKED = sa.text("SELECT tenant_id, user_id, id, asks FROM proposals")
SAID = sa.text(
    "UPDATE proposals SET question_pt = :pt, question_en = :en"
    " WHERE tenant_id = :tenant AND user_id = :user AND id = :id"
)


def upgrade() -> None:
    # What an older server asked since the column was added.
    importlib.import_module("rememora.adapters.sql.migrations.versions.0027_asks").fill(op.get_bind())
    for column in COLUMNS:
        op.drop_column("proposals", column)


def downgrade() -> None:
    for column in COLUMNS:
        op.add_column("proposals", sa.Column(column, TEXT, nullable=False, server_default=""))
    bind = op.get_bind()
    for tenant, user, id, written in bind.execute(ASKED).fetchall():
        asks = msgspec.json.decode(written, type=Asks)
        words = {language: in_words(asks, language) for language in ("pt", "en")}
        bind.execute(SAID, {**words, "tenant": tenant, "user": user, "id": id})
