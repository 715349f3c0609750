"""Inspection of a mission's schema: fields, items, defaults, and the free part of a section (W13)."""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from rememora.domain.mission_intake import OpenPart
from rememora.errors import InvalidInput


def bare(kind: Any) -> Any:
    """Strip the constraints and the `| None` of a type."""
    if get_origin(kind) is Annotated:
        return bare(get_args(kind)[0])
    options = options_of(kind)
    return bare(options[0]) if len(options) == 1 else kind


def options_of(kind: Any) -> list[Any]:
    """Return the types that a union allows, without None; nothing for any other type."""
    if get_origin(kind) not in (Union, types.UnionType):
        return []
    return [option for option in get_args(kind) if option is not types.NoneType]


def struct_of(kind: Any) -> type[msgspec.Struct] | None:
    """Return the struct that a type is or may be; a union has at most one."""
    plain = bare(kind)
    candidates = [plain, *map(bare, options_of(plain))]
    return next(
        (
            candidate
            for candidate in candidates
            if isinstance(candidate, type) and issubclass(candidate, msgspec.Struct)
        ),
        None,
    )


@lru_cache(maxsize=128)
def fields_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the fields of a struct with their annotated types."""
    return get_type_hints(kind, include_extras=True)


def item_kind(kind: Any) -> Any:
    """Return the type of a list's items; None if the type is not a list."""
    plain = bare(kind)
    if plain is Any:
        return Any
    return get_args(plain)[0] if get_origin(plain) is tuple else None


def empty(kind: Any, path: str, step: str) -> Any:
    """Return the initial value of a missing step of a path; refused if the schema has required fields there."""
    plain = bare(kind)
    if plain is Any or get_origin(plain) is dict:
        return {}
    struct = struct_of(plain)
    if struct is None:
        raise InvalidInput(path, f"{step!r} does not exist yet and has no fields")
    # An object with required fields cannot be made out of one of them.
    needed = [field.name for field in msgspec.structs.fields(struct) if field.required]
    if needed:
        raise InvalidInput(path, f"{step!r} is not there yet; put it there whole, with {', '.join(needed)}")
    return struct()


def with_free_part(value: Any, kind: Any) -> Any:
    """Move fields that the schema does not know into the `extra` of their object.

    An object without a free part keeps them, so that the schema refuses them by name.
    """
    plain = bare(kind)
    if get_origin(plain) is dict and isinstance(value, Mapping):
        return {key: with_free_part(inner, get_args(plain)[1]) for key, inner in value.items()}
    if get_origin(plain) is tuple and isinstance(value, list | tuple):
        return [with_free_part(inner, get_args(plain)[0]) for inner in value]
    struct = struct_of(plain)
    return value if struct is None or not isinstance(value, Mapping) else _freed(value, struct)


def _freed(value: Mapping[str, Any], struct: type[msgspec.Struct]) -> dict[str, Any]:
    hints = fields_of(struct)
    known = {name: with_free_part(inner, hints[name]) for name, inner in value.items() if name in hints}
    unknown = {name: inner for name, inner in value.items() if name not in hints}
    if not unknown:
        return known
    extra = known.get("extra", {})
    # A strict part keeps the unknown field, so that its check refuses it by name instead of dropping it.
    if not issubclass(struct, OpenPart) or not isinstance(extra, Mapping):
        return {**known, **unknown}
    return {**known, "extra": {**extra, **unknown}}
