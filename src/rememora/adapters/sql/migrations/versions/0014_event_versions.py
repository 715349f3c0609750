"""The version of the schema that an event was written in, and the id of what it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import TEXT, WHOLE

revision = "0014"
down_revision = "0013"

BATCH = 1000
EPISODE = "memory.episode.created"
OLD_NAMES: Mapping[str, Mapping[str, str]] = {
    EPISODE: {"turn_count": "turns"},
    "crm.delegation.sent": {"tenant_id": "tenant", "result_summary": "summary"},
    "crm.delegation.failed": {"tenant_id": "tenant"},
}


def upgrade() -> None:
    op.add_column("outbox", sa.Column("version", WHOLE, nullable=False, server_default=sa.text("1")))
    op.add_column("outbox", sa.Column("subject", TEXT, nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    # The version before knows the old names only, and its consumers too.
    _rename_payloads()
    op.drop_column("outbox", "subject")
    op.drop_column("outbox", "version")


def _rename_payloads() -> None:
    bind = op.get_bind()
    found = sa.text(
        "SELECT tenant_id, position, id, type, payload, subject FROM outbox "
        "WHERE version = 2 AND type IN :types ORDER BY tenant_id, position LIMIT :batch"
    ).bindparams(sa.bindparam("types", expanding=True))
    put = sa.text(
        "UPDATE outbox SET payload = :payload, version = 1 WHERE tenant_id = :tenant AND position = :position"
    )
    while rows := bind.execute(found, {"types": list(OLD_NAMES), "batch": BATCH}).all():
        for tenant, position, id, type, payload, subject in rows:
            old = json.dumps(_old(type, json.loads(payload), subject or id), ensure_ascii=False)
            bind.execute(put, {"tenant": tenant, "position": position, "payload": old})


def _old(type: str, payload: Mapping[str, Any], subject: str) -> dict[str, Any]:
    names = OLD_NAMES[type]
    if type != EPISODE:
        return {names.get(name, name): value for name, value in payload.items()}
    kept = {names.get(name, name): value for name, value in payload.items() if name in ("turn_count", "summary")}
    return {"episode": subject, **kept}
