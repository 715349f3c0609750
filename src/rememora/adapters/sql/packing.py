"""Results of units of work as bytes and back: plain values, and structs and enumerations of this package."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from rememora.adapters.sql.renamed import RENAMED

PACKAGE = "rememora."
_PLAIN = (str, int, float, bool)


def packed(value: object) -> bytes:
    """Encode a value so that `unpacked` gives an equal one of the same type."""
    return msgspec.json.encode(_tagged(value))


def unpacked(data: bytes) -> Any:
    """Decode what `packed` wrote; a type outside this package is refused."""
    return _untagged(msgspec.json.decode(data))


def _name(kind: type) -> str:
    if not kind.__module__.startswith(PACKAGE):
        raise TypeError(f"cannot pack a {kind.__name__} of {kind.__module__}")
    return f"{kind.__module__}:{kind.__qualname__}"


@cache
def _named(name: str) -> Any:
    """The struct or enumeration of a name; only this package's, so that stored bytes cannot choose what runs."""
    module, _, kind = RENAMED.get(name, name).partition(":")
    struct = getattr(import_module(module), kind) if module.startswith(PACKAGE) else None
    if not (isinstance(struct, type) and issubclass(struct, msgspec.Struct | Enum)):
        raise TypeError(f"{name} is not a struct or enumeration of this package")
    return struct


def _tagged(value: object) -> object:
    # `type` and not `isinstance`: an enum that is also a string must keep its class.
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return {"enum": _name(type(value)), "value": value.value}
    if isinstance(value, msgspec.Struct):
        fields = {name: _tagged(getattr(value, name)) for name in value.__struct_fields__}
        return {"struct": _name(type(value)), "fields": fields}
    kind = next((writable for writable in _WRITERS if isinstance(value, writable)), None)
    if kind is None:
        raise TypeError(f"cannot pack a {type(value).__name__}")
    return {kind.__name__: _WRITERS[kind](value)}


# Looked up by `isinstance` in this order; a named tuple would count as a tuple and lose its type.
_WRITERS: dict[type, Callable[[Any], Any]] = {
    datetime: datetime.isoformat,
    bytes: lambda value: base64.b64encode(value).decode(),
    dict: lambda value: [[_tagged(key), _tagged(item)] for key, item in value.items()],
    **dict.fromkeys((list, tuple, set, frozenset), lambda value: [_tagged(item) for item in value]),
}


def _untagged(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    tag = next(iter(value))
    return _READERS[tag](value)


def _items(value: Any) -> list[Any]:
    return [_untagged(item) for item in next(iter(value.values()))]


def _struct(value: Any) -> Any:
    kind = _named(value["struct"])
    known = {name: item for name, item in value["fields"].items() if name in kind.__struct_fields__}
    return kind(**{name: _untagged(item) for name, item in known.items()})


# Every JSON object is tagged, dictionaries too, so that none can be taken for another kind.
_READERS: dict[str, Callable[[Any], Any]] = {
    "enum": lambda value: _named(value["enum"])(value["value"]),
    "struct": _struct,
    "datetime": lambda value: datetime.fromisoformat(value["datetime"]),
    "bytes": lambda value: base64.b64decode(value["bytes"]),
    "dict": lambda value: {_untagged(key): _untagged(item) for key, item in value["dict"]},
    "list": _items,
    "tuple": lambda value: tuple(_items(value)),
    "set": lambda value: set(_items(value)),
    "frozenset": lambda value: frozenset(_items(value)),
}
