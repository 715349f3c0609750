"""Values in columns: moments as whole microseconds, mappings as JSON text, a scope as the ids in it."""

from __future__ import annotations

from typing import Any

import msgspec

from rememora.domain.moment import to_micros, to_moment
from rememora.domain.scope import Scope

__all__ = ["from_json", "of_conversation", "of_person", "to_json", "to_micros", "to_moment"]

_decode = msgspec.json.Decoder().decode


def to_json(value: object) -> str | None:
    """JSON text; what is empty is not stored."""
    return msgspec.json.encode(value).decode() if value else None


def from_json(text: str | None) -> Any:
    """The mapping of a column; an absent one is empty."""
    return _decode(text) if text else {}


def of_person(scope: Scope) -> dict[str, object]:
    """Return the parameters that select a person's rows."""
    return {"tenant": scope.tenant, "user": scope.user}


def of_conversation(scope: Scope) -> dict[str, object]:
    """Return the parameters that select the rows of one conversation."""
    return {"tenant": scope.tenant, "user": scope.user, "conversation": scope.conversation}
