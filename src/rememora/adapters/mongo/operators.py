"""Computes MongoDB update operators between two versions of a section, as small as the change allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rememora.adapters.mongo.documents import Document

SET, UNSET, PUSH, INC = "$set", "$unset", "$push", "$inc"
_ABSENT: Final = object()


def plan_update(before: Document, after: Document) -> Document:
    """The update that makes the sections in `after` of those in `before`; sections not in `after` stay."""
    update: Document = {}
    for name, tree in after.items():
        for operator, path, value in _steps(before.get(name, _ABSENT), tree, f"sections.{name}"):
            update.setdefault(operator, {})[path] = value
    return update


def _steps(before: Any, after: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    """Each step names a path of its own; none lies below another's."""
    # BSON objects are ordered and an update appends new keys: if the order would change, the whole is written.
    if isinstance(before, dict) and isinstance(after, dict) and _keeps_order(before, after):
        for key in before.keys() - after.keys():
            yield UNSET, f"{path}.{key}", ""
        for key, inner in after.items():
            yield from _steps(before.get(key, _ABSENT), inner, f"{path}.{key}")
    # Logs of a mission only grow: pushing the tail keeps an update small, however long the log is.
    elif isinstance(before, list) and isinstance(after, list) and _longer(before, after):
        yield PUSH, path, {"$each": after[len(before) :]}
    elif _is_number(before) and _is_number(after):
        if after != before:
            yield INC, path, after - before
    elif not same(before, after):
        yield SET, path, after


def _keeps_order(before: Document, after: Document) -> bool:
    """Return whether fields written one by one keep their order: one new field at the end, never two."""
    new = [key for key in after if key not in before]
    return len(new) <= 1 and list(after) == [*(key for key in before if key in after), *new]


def _longer(before: list[Any], after: list[Any]) -> bool:
    return len(after) > len(before) and same(before, after[: len(before)])


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def same(one: Any, other: Any) -> bool:
    """Equality of what lies in a document, where 1 is neither 1.0 nor true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return isinstance(one, float) and isinstance(other, float) and repr(one) == repr(other)
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
