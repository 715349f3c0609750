"""Validation of input that every noun shares; each error names the field."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from rememora.errors import InvalidInput

NAME_CHARACTERS = 255
METADATA_BYTES = 64 * 1024
_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def check_name(field: str, value: object) -> str:
    """Check an id or label: text of 1 to 255 characters without control characters."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if not value or len(value) > NAME_CHARACTERS:
        raise InvalidInput(field, f"must have 1 to {NAME_CHARACTERS} characters")
    if value.isspace():
        raise InvalidInput(field, "must not be blank")
    # Ids appear in logs, headers and file names: control characters could forge lines there.
    if not value.isprintable():
        raise InvalidInput(field, "must have no control characters and no lone surrogates")
    return value


def check_text(field: str, value: object, *, max_bytes: int) -> str:
    """Check prose: not empty, encodable as UTF-8, without NUL, and within `max_bytes`."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if not value or value.isspace():
        raise InvalidInput(field, "must not be empty")
    if "\x00" in value:
        raise InvalidInput(field, "must not hold NUL characters")
    try:
        # ASCII needs no copy to be measured; most text is long and plain.
        size = len(value) if value.isascii() else len(value.encode())
    except UnicodeEncodeError:
        raise InvalidInput(field, "must not hold lone surrogates") from None
    if size > max_bytes:
        raise InvalidInput(field, f"must have at most {max_bytes} bytes, not {size}")
    return value


def check_time(field: str, value: object) -> datetime:
    """Check a moment with a time zone, and convert it to UTC."""
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidInput(field, "must have a time zone")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "must be from year 1 to 9999 in UTC") from None


def check_json(field: str, value: object, *, max_bytes: int = METADATA_BYTES) -> bytes:
    """Encode a value as JSON; refuse one that cannot be encoded or is too long."""
    try:
        encoded = msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"must be plain JSON ({error})") from None
    if len(encoded) > max_bytes:
        raise InvalidInput(field, f"must have at most {max_bytes} bytes as JSON, not {len(encoded)}")
    if _ESCAPED_NUL.search(encoded):
        raise InvalidInput(field, "must not hold NUL characters")
    # msgspec writes NaN and infinity as null, which would come back as another value.
    if b"null" in encoded and not _finite(value):
        raise InvalidInput(field, "must be plain JSON (numbers must be finite)")
    return encoded


def check_mapping(field: str, value: object) -> dict[str, Any]:
    """Check a JSON object, and return it as it will be decoded: tuples become lists, keys become text."""
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a mapping, not {type(value).__name__}")
    mapping: dict[str, Any] = msgspec.json.decode(check_json(field, dict(value)))
    return mapping


def check_whole(field: str, value: object, low: int, high: int) -> int:
    """Check a whole number and its range; booleans are refused."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidInput(field, f"must be a whole number from {low} to {high}")
    return value


def check_between(field: str, value: object, low: float, high: float) -> None:
    """Check a number and its range; booleans are refused."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(field, f"must be a number from {low} to {high}")


def _finite(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    return not isinstance(value, list | tuple) or all(map(_finite, value))
