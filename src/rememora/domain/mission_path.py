"""Paths into a mission: read against the schema, so that what does not exist there cannot be named."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import msgspec

from rememora.caches import person_cache
from rememora.domain.mission import Mission
from rememora.domain.mission_codec import SECTIONS, blame
from rememora.errors import InvalidInput

# What a guard relies on is written by that guard alone, or the guard would guard nothing.
CLOSED: Final = ("intake.query", "bus", "orchestrator.budget", "orchestrator.spent",
                 "orchestrator.timeout_s", "orchestrator.deadline")  # fmt: skip


class Path(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the document and the type of what may stand there."""

    text: str
    keys: tuple[str, ...]
    kind: Any


def update(mission: Mission, path: str, value: object) -> Mission:
    """Put `value` at `path`."""
    place = resolve(path)
    checked = _convert(value, place.kind, path)
    return _rebuild(mission, place, lambda _: checked)


def push(mission: Mission, path: str, item: object) -> Mission:
    """Add `item` at the end of the list at `path`."""
    place = resolve(path)
    checked = _convert(item, _item_kind(place), path)
    return _rebuild(mission, place, lambda items: (*items, checked))


def increment(mission: Mission, path: str, by: float) -> Mission:
    """Add `by` to the number at `path`; a key that is not there yet counts from zero."""
    place = resolve(path)
    if _bare(place.kind) not in (int, float):
        raise InvalidInput(path, "not a number")
    return _rebuild(mission, place, lambda number: _convert((number or 0) + by, place.kind, path))


def pull(mission: Mission, path: str, match: object) -> Mission:
    """Take every item like `match` out of the list at `path`; of objects, `match` names some fields."""
    place = resolve(path)
    kind = _item_kind(place)
    fits = _matcher(match, kind, path)
    return _rebuild(mission, place, lambda items: tuple(item for item in items if not fits(item)))


def read(mission: Mission, path: str) -> Any:
    """Return what stands at `path`."""
    node: Any = mission
    for key in resolve(path, writing=False).keys:
        node = node.get(key) if isinstance(node, dict) else getattr(node, key, None)
    return node


@person_cache(maxsize=2048)
def resolve(text: str, *, writing: bool = True) -> Path:
    """Read a dotted path against the schema, or refuse it by name."""
    keys = tuple(text.split("."))
    if keys[0] not in SECTIONS:
        raise InvalidInput(text, f"starts with none of {', '.join(SECTIONS)}")
    if writing and (closed := _closed(text)):
        raise InvalidInput(text, f"{closed} is not written by path")
    kind: Any = Mission
    for key in keys:
        kind = _inside(_bare(kind), key, text)
    return Path(text=text, keys=keys, kind=kind)


def _closed(text: str) -> str | None:
    for closed in CLOSED:
        if f"{text}.".startswith(f"{closed}.") or closed.startswith(f"{text}."):
            return closed
    return None


def _inside(kind: Any, key: str, text: str) -> Any:
    if get_origin(kind) is dict:
        key_kind, value_kind = get_args(kind)
        _convert(key, key_kind, text)
        return value_kind
    hints = _fields(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else {}
    if key not in hints:
        raise InvalidInput(text, f"there is no {key!r} in the schema")
    return hints[key]


@lru_cache(maxsize=128)
def _fields(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _bare(kind: Any) -> Any:
    """Strip the constraints and the `| None` of a type."""
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        some = [option for option in get_args(kind) if option is not types.NoneType]
        return _bare(some[0]) if len(some) == 1 else kind
    return kind


def _item_kind(place: Path) -> Any:
    kind = _bare(place.kind)
    if get_origin(kind) is not tuple:
        raise InvalidInput(place.text, "not a list")
    return get_args(kind)[0]


def _matcher(match: object, kind: Any, path: str) -> Callable[[Any], bool]:
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        same = _convert(match, kind, path)
        return lambda item: bool(item == same)
    if not isinstance(match, Mapping) or not match:
        raise InvalidInput(path, "says no field to match")
    wanted = {key: _convert(value, _inside(kind, key, path), path) for key, value in match.items()}
    return lambda item: all(getattr(item, key) == value for key, value in wanted.items())


def _convert(value: object, kind: Any, path: str) -> Any:
    try:
        return msgspec.convert(value, kind)
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
        raise InvalidInput(place.text, f"there is no {place.keys[depth - 1]!r} yet")
    if isinstance(node, dict):
        return {**node, key: _replace(node.get(key), place, depth + 1, leaf)}
    return msgspec.structs.replace(node, **{key: _replace(getattr(node, key), place, depth + 1, leaf)})
