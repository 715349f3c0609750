"""Paths into a mission, checked against the schema, so that only existing fields can be named.

A path creates missing objects on its way; unknown fields are kept in the free part of their object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, get_args, get_origin

import msgspec

from rememora.caches import person_cache
from rememora.domain.mission import Mission
from rememora.domain.mission_codec import SECTIONS, blame
from rememora.domain.mission_shape import bare, empty, fields_of, item_kind, struct_of, with_free_part
from rememora.errors import InvalidInput

# What a guard relies on is written by that guard alone, or the guard would guard nothing.
CLOSED: Final = ("intake.query", "bus", "orchestrator.budget", "orchestrator.spent",
                 "orchestrator.timeout_s", "orchestrator.deadline")  # fmt: skip


class Path(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed path: its steps, their types, and the type of its value."""

    text: str
    keys: tuple[str, ...]
    kinds: tuple[Any, ...]

    @property
    def kind(self) -> Any:
        """Return the type at the end of the path."""
        return self.kinds[-1]


def update(mission: Mission, path: str, value: object) -> Mission:
    """Set `value` at `path`."""
    place = resolve(path)
    checked = _convert(value, place.kind, path)
    return _rebuild(mission, place, lambda _: checked)


def push(mission: Mission, path: str, item: object) -> Mission:
    """Append `item` to the list at `path`."""
    place = resolve(path)
    checked = _convert(item, _item_kind(place), path)
    return _rebuild(mission, place, lambda items: (*_items(items, path), checked))


def increment(mission: Mission, path: str, by: float) -> Mission:
    """Add `by` to the number at `path`; a missing number counts as zero."""
    place = resolve(path)
    if bare(place.kind) not in (int, float, Any):
        raise InvalidInput(path, "not a number")
    return _rebuild(mission, place, lambda number: _convert(_number(number, path) + by, place.kind, path))


def pull(mission: Mission, path: str, match: object) -> Mission:
    """Remove every matching item from the list at `path`; for objects, `match` names some fields.

    Where nothing matches, nothing is made on the way to it.
    """
    place = resolve(path)
    kind = _item_kind(place)
    fits = _matcher(match, kind, path)
    if not any(map(fits, _items(read(mission, path), path))):
        return mission
    return _rebuild(mission, place, lambda items: tuple(item for item in _items(items, path) if not fits(item)))


def read(mission: Mission, path: str) -> Any:
    """Return the value at `path`."""
    node: Any = mission
    for key in resolve(path, writing=False).keys:
        node = _step(node, key)
    return node


def _step(node: Any, key: str) -> Any:
    if isinstance(node, dict):
        return node.get(key)
    return getattr(node, key, None) if isinstance(node, msgspec.Struct) else None


@person_cache(maxsize=2048)
def resolve(text: str, *, writing: bool = True) -> Path:
    """Parse a dotted path against the schema, or refuse it by name."""
    keys = tuple(text.split("."))
    if keys[0] not in SECTIONS:
        raise InvalidInput(text, f"must start with one of {', '.join(SECTIONS)}")
    if writing and (closed := _closed(text)):
        raise InvalidInput(text, f"{closed} is not written by path")
    kinds: list[Any] = [Mission]
    for key in keys:
        kinds.append(_inside(bare(kinds[-1]), key, text))
    return Path(text=text, keys=keys, kinds=tuple(kinds))


def _closed(text: str) -> str | None:
    for closed in CLOSED:
        if f"{text}.".startswith(f"{closed}.") or closed.startswith(f"{text}."):
            return closed
    return None


def _inside(kind: Any, key: str, text: str) -> Any:
    if not key:
        raise InvalidInput(text, "has an empty step")
    # Below a free part nothing is known, so nothing is refused.
    if kind is Any:
        return Any
    if get_origin(kind) is dict:
        key_kind, value_kind = get_args(kind)
        _convert(key, key_kind, text)
        return value_kind
    struct = struct_of(kind)
    hints = fields_of(struct) if struct else {}
    if key not in hints:
        free = f"; what no schema knows goes under {'extra'!r}" if "extra" in hints else ""
        raise InvalidInput(text, f"there is no {key!r} in the schema{free}")
    return hints[key]


def _item_kind(place: Path) -> Any:
    kind = item_kind(place.kind)
    if kind is None:
        raise InvalidInput(place.text, "not a list")
    return kind


def _items(value: Any, path: str) -> tuple[Any, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise InvalidInput(path, "not a list")
    return tuple(value)


def _number(value: Any, path: str) -> float:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(path, "not a number")
    return value


def _matcher(match: object, kind: Any, path: str) -> Callable[[Any], bool]:
    struct = struct_of(kind)
    if struct is None or not isinstance(match, Mapping):
        # A plain value matches an equal one; for an item with fields, some of them are enough to name it.
        same = _convert(match, kind, path)
        if struct is not None and isinstance(same, struct):
            raise InvalidInput(path, "must name at least one field to match")
        return lambda item: bool(item == same)
    if not match:
        raise InvalidInput(path, "must name at least one field to match")
    expected = {key: _convert(value, _inside(struct, key, path), path) for key, value in match.items()}
    return lambda item: (
        isinstance(item, struct) and all(getattr(item, key) == value for key, value in expected.items())
    )


def _convert(value: object, kind: Any, path: str) -> Any:
    try:
        return msgspec.convert(with_free_part(value, kind), kind)
    except msgspec.ValidationError as error:
        raise blame(error, path) from None


def _rebuild(mission: Mission, place: Path, leaf: Callable[[Any], Any]) -> Mission:
    rebuilt: Mission = _replace(mission, place, 0, leaf)
    return rebuilt


def _replace(node: Any, place: Path, depth: int, leaf: Callable[[Any], Any]) -> Any:
    if depth == len(place.keys):
        return leaf(node)
    key = place.keys[depth]
    if node is None:
        node = empty(place.kinds[depth], place.text, place.keys[depth - 1])
    if isinstance(node, dict):
        return {**node, key: _replace(node.get(key), place, depth + 1, leaf)}
    if not isinstance(node, msgspec.Struct):
        raise InvalidInput(place.text, f"{place.keys[depth - 1]!r} holds a value and has no fields")
    return msgspec.structs.replace(node, **{key: _replace(getattr(node, key), place, depth + 1, leaf)})
