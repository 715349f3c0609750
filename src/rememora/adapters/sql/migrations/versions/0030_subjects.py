"""Fill in subject and attribute of memories that were kept before statements had them; drop an unused index.

Both are read from the key, as keeping a memory does. The rule is written out and not imported, because a migration
must do the same whatever becomes of the code. The index on the source of memories is of no use: queries that used
it lost their tenant unnoticed, and were taken back.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"

SUBJECTS: Final = {
    "user": "me",
    "prefs": "me",
    "profile": "me",
    "tenant": "company",
    "company": "company",
    "operating": "company",
    "tools": "company",
    "goals": "company",
}
"""Subject of a key by its first segment, where the key does not name one."""
NAMED: Final = ("people", "projects")
"""First segments after which the second one names the subject."""
BATCH: Final = 500
INDEX: Final = "memories_by_source_ref"
LEARNED: Final = sa.text("source_ref IS NOT NULL")
WITHOUT: Final = sa.text(
    "SELECT tenant_id, owner_id, id, key FROM memories WHERE subject IS NULL ORDER BY tenant_id, owner_id, id"
)
FILL: Final = sa.text(
    "UPDATE memories SET subject = :subject, attribute = :attribute "
    "WHERE tenant_id = :tenant AND owner_id = :owner AND id = :id"
)


def upgrade() -> None:
    connection = op.get_bind()
    rows = [
        {
            "tenant": row.tenant_id,
            "owner": row.owner_id,
            "id": row.id,
            "subject": _subject(row.key),
            "attribute": row.key.rpartition(".")[2],
        }
        for row in connection.execute(WITHOUT)
    ]
    for start in range(0, len(rows), BATCH):
        connection.execute(FILL, rows[start : start + BATCH])
    op.drop_index(INDEX, "memories")


def downgrade() -> None:
    """Bring the index back, and keep the values: the version below writes the same ones itself."""
    op.create_index(
        INDEX,
        "memories",
        ["tenant_id", "owner_id", "source_ref"],
        sqlite_where=LEARNED,
        postgresql_where=LEARNED,
    )


def _subject(key: str) -> str:
    first, _, rest = key.partition(".")
    name, dot, _ = rest.partition(".")
    return name.replace("_", " ") if first in NAMED and dot else SUBJECTS.get(first, "")
