"""Keys of applications that act for any user of their tenant, and events without keys made of a person's words."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.rebuilt import restrict_key_roles

revision = "0015"
down_revision = "0014"

BEFORE = "role IN ('user', 'admin', 'operator', 'auditor', 'module')"
SINCE = "role IN ('user', 'service', 'admin', 'operator', 'auditor', 'module')"
PAGE = 1000
TYPES = ("memory.save_attempt", "memory.updated", "memory.deleted")
SHOWN = frozenset(
    f"{space}.{name}"
    for space, names in {
        "goals": ("target"),
        "operating": (
            "approval_rule avg_ticket business_hours cnpj delivery free_shipping invoice_rule location "
            "max_discount meeting month_close note payment_methods payment_terms pricing quote_validity "
            "return_policy rule sales_region service_scope supplier target_audience team_size units"
        ),
        "prefs": (
            "brand channels_enabled document_language format no_emojis no_meetings no_tech_terms "
            "programming_language report_format short_answers signature team_language units"
        ),
        "tenant": ("business_model name primary_goals segment"),
        "user": (
            "address age birth_year birthday car children communication_style computer contact_preference diet "
            "education email handedness languages locale location marital_status name origin phone "
            "preferred_language programming_languages pronouns role_title siblings team timezone work_email "
            "work_phone"
        ),
    }.items()
    for name in names.split()
)
"""Keys that the policy of that time wrote out whole, so that they hold no word of anybody's."""

NAMESPACES = (
    *("user", "profile", "tenant", "company", "operating", "ops", "goals", "kpis", "tools"),
    *("integrations", "people", "contacts", "projects", "project", "constraints", "prefs"),
)


def upgrade() -> None:
    restrict_key_roles(SINCE)
    _cover_keys()


def downgrade() -> None:
    op.execute("DELETE FROM api_keys WHERE role = 'service'")
    restrict_key_roles(BEFORE)


def covered(key: str) -> str:
    """A stored key by its namespace alone: there is no digest of it, for a migration does not hold the secret."""
    namespace = key.partition(".")[0]
    if key in SHOWN or "#" in key:
        return key
    return f"{namespace}.#" if namespace in NAMESPACES else "#"


def _cover_keys() -> None:
    """Take the keys that were made of a person's words out of the events that are still stored."""
    outbox = sa.table(
        "outbox", sa.column("tenant_id"), sa.column("position"), sa.column("type"), sa.column("payload")
    )
    bind = op.get_bind()
    place: tuple[str, int] = ("", -1)
    while True:
        rows = bind.execute(
            sa.select(outbox.c.tenant_id, outbox.c.position, outbox.c.payload)
            .where(outbox.c.type.in_(TYPES))
            .where(sa.tuple_(outbox.c.tenant_id, outbox.c.position) > sa.tuple_(*place))
            .order_by(outbox.c.tenant_id, outbox.c.position)
            .limit(PAGE)
        ).all()
        for tenant, position, payload in rows:
            told = json.loads(payload) if isinstance(payload, str) else payload
            if told.get("key") and covered(told["key"]) != told["key"]:
                told["key"] = covered(told["key"])
                bind.execute(
                    sa.update(outbox)
                    .where(outbox.c.tenant_id == tenant, outbox.c.position == position)
                    .values(payload=json.dumps(told, ensure_ascii=False, separators=(",", ":")))
                )
        if len(rows) < PAGE:
            return
        place = (rows[-1][0], rows[-1][1])
