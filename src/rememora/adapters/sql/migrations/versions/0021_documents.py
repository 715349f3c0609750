"""Documents of frameworks in a table of their own; before, each was the metadata of a conversation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

from rememora.adapters.sql.migrations.shapes import PLAIN, owner, text, whole

revision = "0021"
down_revision = "0016"

PAGE = 500
LANGGRAPH = "langgraph"
SPACES = (
    LANGGRAPH,
    "anthropic-memory",
    "anthropic-versions",
    "pydantic-memory",
    "pydantic-receipts",
    "mem0-extras",
)
SPELT_OUT = 150
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
Row = dict[str, Any]

_conversations = sa.table(
    "conversations",
    *map(sa.column, ("tenant_id", "user_id", "id", "channel", "messages", "turns", "metadata")),
    *map(sa.column, ("created_at", "updated_at")),
)
_documents = sa.table(
    "documents",
    *map(sa.column, ("tenant_id", "user_id", "space", "id", "key", "value", "version")),
    *map(sa.column, ("created_at", "updated_at", "expires_at")),
)


def upgrade() -> None:
    op.create_table(
        "documents",
        *owner(),
        text("space"),
        text("id"),
        text("key"),
        text("value"),
        whole("version"),
        whole("created_at"),
        whole("updated_at"),
        whole("expires_at", nullable=True),
        sa.PrimaryKeyConstraint("tenant_id", "user_id", "space", "id"),
        **PLAIN,
    )
    there = sa.and_(_conversations.c.channel.in_(SPACES), _conversations.c.messages == 0)
    connection = op.get_bind()
    for rows in _pages(connection, _conversations, there, ("tenant_id", "user_id", "id")):
        moved = [(row, made) for row in rows if (made := _document(row)) is not None]
        if moved:
            connection.execute(sa.insert(_documents), [made for _, made in moved])
            _remove(connection, _conversations, [row for row, _ in moved], ("tenant_id", "user_id", "id"))


def downgrade() -> None:
    connection = op.get_bind()
    for rows in _pages(connection, _documents, sa.true(), ("tenant_id", "user_id", "space", "id")):
        connection.execute(sa.insert(_conversations), [_conversation(row) for row in rows])
    op.drop_table("documents")


def _pages(
    connection: sa.Connection, table: sa.TableClause, rule: sa.ColumnElement[bool], key: tuple[str, ...]
) -> Iterator[list[Row]]:
    """Yield the rows of a table that meet a rule, some at a time, by key."""
    columns = sa.tuple_(*(table.c[name] for name in key))
    after: tuple[Any, ...] | None = None
    while True:
        wanted = rule if after is None else sa.and_(rule, columns > after)
        query = sa.select(table).where(wanted).order_by(*(table.c[name] for name in key)).limit(PAGE)
        rows = [dict(row) for row in connection.execute(query).mappings()]
        if not rows:
            return
        yield rows
        after = tuple(rows[-1][name] for name in key)


def _remove(connection: sa.Connection, table: sa.TableClause, rows: Iterable[Row], key: tuple[str, ...]) -> None:
    same = sa.and_(*(table.c[name] == sa.bindparam(f"of_{name}") for name in key))
    connection.execute(sa.delete(table).where(same), [{f"of_{name}": row[name] for name in key} for row in rows])


def _document(row: Row) -> Row | None:
    """Make a document of a conversation; None where it is one that somebody else named so."""
    held = json.loads(row["metadata"] or "{}")
    key, value = held.get("name"), held.get("value")
    if not isinstance(key, str) or not isinstance(value, dict) or row["id"] != f"{row['channel']}/{_id(key)}":
        return None
    created, updated, expires = row["created_at"], row["updated_at"], None
    if row["channel"] == LANGGRAPH:
        created, updated = _micros(value.pop("created")), _micros(value.pop("updated"))
        expires = value.pop("expires", None)
    return {
        "tenant_id": row["tenant_id"],
        "user_id": row["user_id"],
        "space": row["channel"],
        "id": _id(key),
        "key": key,
        "value": _json(value),
        "version": 1,
        "created_at": created,
        "updated_at": updated,
        "expires_at": None if expires is None else round(expires * 1_000_000),
    }


def _conversation(row: Row) -> Row:
    """Make the conversation again that a document was; its version and the times of others than LangGraph's go."""
    value = json.loads(row["value"])
    if row["space"] == LANGGRAPH:
        expires = row["expires_at"]
        times = {"created": _moment(row["created_at"]), "updated": _moment(row["updated_at"])}
        value |= {**times, "expires": None if expires is None else expires / 1_000_000}
    return {
        "tenant_id": row["tenant_id"],
        "user_id": row["user_id"],
        "id": f"{row['space']}/{row['id']}",
        "channel": row["space"],
        "messages": 0,
        "turns": 0,
        "metadata": _json({"name": row["key"], "value": value}),
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }


def _id(key: str) -> str:
    plain = key if key.isprintable() and 0 < len(key) <= SPELT_OUT else ""
    return plain or hashlib.sha256(key.encode()).hexdigest()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _micros(moment: str) -> int:
    return (datetime.fromisoformat(moment) - EPOCH) // MICROSECOND


def _moment(micros: int) -> str:
    return (EPOCH + micros * MICROSECOND).isoformat()
