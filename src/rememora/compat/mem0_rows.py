"""The shapes of mem0: its ids, its rows, its history, and its filters."""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from rememora.domain.audit import AuditEntry
from rememora.domain.memory import Memory
from rememora.language.keys import is_statement
from rememora.language.phrases import phrase

RAW_KEY = "user.notes"
"""Where texts are kept that were added unchanged."""
SCOPES = ("user_id", "agent_id", "run_id")
PROMOTED = (*SCOPES, "actor_id", "role", "expiration_date")
"""Fields that stand beside `metadata` in a row."""
BETWEEN = "@"
_JOINED = phrase(r"\s{0,3}[,;]?\s{0,3}(?:{and}|{but})\b", re.IGNORECASE)
"""The beginning of what is said next in the same sentence."""
_EVENTS = {"create": "ADD", "import": "ADD", "update": "UPDATE", "delete": "DELETE", "restore": "ADD"}


def scope_of(fields: Mapping[str, Any], *, why: str) -> dict[str, str]:
    """Return the ids that say whose memory is meant, trimmed; at least one is needed."""
    ids = {name: _id_of(name, fields[name]) for name in SCOPES if fields.get(name) is not None}
    if not ids:
        raise ValueError(f"{why} at least one of: user_id, agent_id, run_id")
    return ids


def _id_of(name: str, value: Any) -> str:
    text = str(value).strip()
    if not text or any(char.isspace() for char in text):
        raise ValueError(f"Invalid {name}: must be an identifier without spaces")
    return text


def person_of(scope: Mapping[str, str]) -> str:
    """Return the Rememora user that a scope of mem0 belongs to."""
    if "user_id" in scope:
        return scope["user_id"]
    kind = "agent" if "agent_id" in scope else "run"
    return f"{kind}:{scope[f'{kind}_id']}"


def entity_of(person: str) -> dict[str, str]:
    """Return the type and the name under which mem0 lists a Rememora user."""
    kind, colon, name = person.partition(":")
    return {"type": kind, "name": name} if colon and kind in ("agent", "run") else {"type": "user", "name": person}


def name_of(memory: str, person: str) -> str:
    """Return the public id of a memory: mem0's calls by id name no user, so that the id has to."""
    return f"{memory}{BETWEEN}{person}"


def parts_of(memory_id: str) -> tuple[str, str] | None:
    """Return the memory and the person of an id; None for one that is not ours."""
    memory, between, person = str(memory_id).partition(BETWEEN)
    return (memory, person) if memory and between and person else None


def text_of(memory: Memory) -> str:
    """Return a memory as the sentence that mem0 has in `memory`."""
    # mem0 knows sentences only. Best first: the value if it is one, the words that it was learned from, and at
    # last its key and value.
    sentence = isinstance(memory.value, str) and (" " in memory.value.strip() or memory.key.startswith(RAW_KEY))
    if sentence and is_statement(memory.key):
        return str(memory.value)
    if memory.evidence:
        return _quote(memory.evidence, memory.value)
    if sentence:
        return str(memory.value)
    return f"{memory.key.partition('.')[2].replace('_', ' ').replace('.', ' ')}: {memory.value}"


def _quote(evidence: str, value: object) -> str:
    """Return the words that a value was said in, without what comes before and after them in the sentence."""
    quote = evidence.lstrip(" ,;:.!?-") or evidence
    place = quote.find(value) if isinstance(value, str) and value else -1
    end = place + len(str(value))
    return quote[:end] if place >= 0 and _JOINED.match(quote[end:]) else quote


def row_of(memory: Memory, root: Memory, person: str, extras: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory in mem0's form; `root` is the first of the memories that it supersedes."""
    text = text_of(memory)
    row = {
        "id": name_of(root.id, person),
        "memory": text,
        "hash": hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": extras.get("metadata") or None,
        "created_at": root.created_at.isoformat(),
        "updated_at": max(memory.created_at, root.updated_at if memory is root else memory.updated_at).isoformat(),
    }
    if not person.startswith(("agent:", "run:")):
        row["user_id"] = person
    return row | {name: extras[name] for name in PROMOTED if extras.get(name) is not None}


def history_of(
    entries: Sequence[AuditEntry], memories: Mapping[str, Memory], name: str, role: str | None
) -> list[dict[str, Any]]:
    """Return what happened to a memory as mem0's list of changes, oldest first."""
    rows: list[dict[str, Any]] = []
    text: str | None = None
    begun = entries[0].at.isoformat() if entries else None
    for entry in entries:
        event = _EVENTS.get(entry.action)
        # Acts that mem0 has no word for (reading, confirming), and versions that were erased.
        if event is None or entry.memory not in memories:
            continue
        new = None if event == "DELETE" else text_of(memories[entry.memory])
        rows.append(
            {
                "id": f"{entry.position}",
                "memory_id": name,
                "old_memory": text,
                "new_memory": new,
                "event": event,
                "created_at": begun,
                "updated_at": entry.at.isoformat(),
                "is_deleted": event == "DELETE",
                "actor_id": entry.actor,
                "role": role,
            }
        )
        text = new
    return rows


def expiry_of(value: Any) -> str | None:
    """Return an expiration date as mem0 writes it; None for none."""
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value.date().isoformat()
    return (value if isinstance(value, date) else date.fromisoformat(str(value))).isoformat()


def is_expired(row: Mapping[str, Any], today: date | None = None) -> bool:
    """Return whether a row's expiration date has passed."""
    until = row.get("expiration_date")
    return until is not None and date.fromisoformat(until) < (today or datetime.now(UTC).date())


# mem0's operators, by its names; an unknown one is refused.
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda value, wanted: value in wanted,
    "nin": lambda value, wanted: value not in wanted,
    "contains": lambda value, wanted: wanted in value,
    "icontains": lambda value, wanted: str(wanted).lower() in str(value).lower(),
}


def matches(filters: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    """Return whether a row matches a filter of mem0: its operators, AND, OR, NOT and `*`."""
    known = {**(row.get("metadata") or {}), **{name: row.get(name) for name in PROMOTED}}
    return all(_meets(name, condition, known, row) for name, condition in filters.items())


def _meets(name: str, filters: Any, known: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    if name in ("AND", "OR", "NOT", "$and", "$or", "$not"):
        parts = [matches(condition, row) for condition in filters]
        if name in ("AND", "$and"):
            return all(parts)
        return any(parts) if name in ("OR", "$or") else not any(parts)
    value = known.get(name)
    # mem0: any value, as long as there is one.
    if filters == "*":
        return value is not None
    if not isinstance(filters, Mapping):
        return bool(value == filters)
    return all(_compared(operation, value, against) for operation, against in filters.items())


def _compared(operation: str, value: Any, against: Any) -> bool:
    if operation not in _COMPARED:
        raise ValueError(f"Unsupported metadata filter operator: {operation}")
    if value is None:
        return operation in ("ne", "nin")
    try:
        return bool(_COMPARED[operation](value, against))
    except TypeError:
        return False
