"""Cut the digest off attributes of statements that 0030 filled in, and take back the subjects that it guessed.

0030 took the last segment of a statement's key as it stands (`relation_s1a2b3c4`), where keeping a memory leaves
the digest of its words out, so that no timeline of that attribute found it. The subject of such a memory was read
from its key alone: a statement under `user` may be about anybody, so that its subject is not known.
"""

from __future__ import annotations

import re
from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

DIGEST: Final = re.compile(r"_s[0-9a-f]{7}\Z")
NAMED: Final = ("people", "projects")
"""First segments after which the second one names the subject."""
BATCH: Final = 500
FILLED: Final = sa.text(
    "SELECT tenant_id, owner_id, id, key, subject, attribute FROM memories "
    "WHERE attribute LIKE '%!_s_______' ESCAPE '!' ORDER BY tenant_id, owner_id, id"
)
MEND: Final = sa.text(
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
            "subject": row.subject if _names(row.key) else None,
            "attribute": DIGEST.sub("", row.attribute),
        }
        for row in connection.execute(FILLED)
        # An attribute that a host named so has another key.
        if DIGEST.search(row.attribute) and row.key.endswith(f".{row.attribute}")
    ]
    for start in range(0, len(rows), BATCH):
        connection.execute(MEND, rows[start : start + BATCH])


def downgrade() -> None:
    """Keep the values: the version below writes the same ones itself."""


def _names(key: str) -> bool:
    """Return whether a key names its subject: `people.ana.relation_s1a2b3c4`."""
    first, _, rest = key.partition(".")
    return first in NAMED and "." in rest
