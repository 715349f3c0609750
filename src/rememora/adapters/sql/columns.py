"""Values in columns: moments as whole microseconds, mappings as JSON text, a scope as the ids in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec

from rememora.domain.moment import to_micros, to_moment
from rememora.domain.scope import Scope

__all__ = [
    "RowDecoder",
    "from_json",
    "of_conversation",
    "of_person",
    "or_none",
    "to_json",
    "to_micros",
    "to_moment",
    "to_moment_or_none",
]
T = TypeVar("T")

_decode = msgspec.json.Decoder().decode


def to_json(value: object) -> str | None:
    """JSON text; what is empty is not stored."""
    return msgspec.json.encode(value).decode() if value else None


def from_json(text: str | None) -> Any:
    """The mapping of a column; an absent one is empty."""
    return _decode(text) if text else {}


def to_moment_or_none(micros: int | None) -> datetime | None:
    """Return the moment of a column that may be empty."""
    return None if micros is None else to_moment(micros)


def or_none(value: Any) -> Any:
    """Return None for a column that holds an empty text instead of NULL, because it is part of a key."""
    return value or None


class RowDecoder(Generic[T]):
    """Makes nouns of rows; `columns` names the field of each column, in the order of the query.

    A field that ends in `_at` is a moment. Rows that are read by the hundred (messages, memories) are decoded by
    hand instead, which takes half the time.
    """

    def __init__(self, noun: type[T], columns: str, **convert: Callable[[Any], Any]) -> None:
        self._noun, self._names = noun, columns.split()
        moments = {name: to_moment_or_none for name in self._names if name.endswith("_at")}
        self._convert = {**moments, **convert}

    def __call__(self, row: Sequence[Any], **more: str) -> T:
        """Return the noun of a row, with fields that the row does not hold."""
        fields = dict(zip(self._names, row, strict=True))
        for name, convert in self._convert.items():
            fields[name] = convert(fields[name])
        return self._noun(**fields, **more)

    def of(self, scope: Scope, row: Sequence[Any]) -> T:
        """Return the noun of a row of one person, or of a tenant if the row says whose it is."""
        if "user" in self._names:
            return self(row, tenant=scope.tenant)
        return self(row, tenant=scope.tenant, user=scope.user)


def of_person(scope: Scope) -> dict[str, object]:
    """Return the parameters that select a person's rows."""
    return {"tenant": scope.tenant, "user": scope.user}


def of_conversation(scope: Scope) -> dict[str, object]:
    """Return the parameters that select the rows of one conversation."""
    return {"tenant": scope.tenant, "user": scope.user, "conversation": scope.conversation}
