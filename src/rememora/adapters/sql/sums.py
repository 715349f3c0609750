"""Checksum of a table: the same on every engine, in any order of the rows."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from hashlib import sha256

from rememora.adapters.sql.transaction import Row

_WHOLE = 1 << 256
_LENGTH = struct.Struct(">Q")
_REAL = struct.Struct(">d")


def sum_of(rows: Iterable[Row], start: int = 0) -> int:
    """The digests of the rows added up, so that neither order nor the place of a page's end matters."""
    total = start
    for row in rows:
        total += int.from_bytes(sha256(canonical(row)).digest())
    return total % _WHOLE


def canonical(row: Row) -> bytes:
    """A row as bytes: each value with its kind and its length, so that no two rows read alike."""
    return b"".join(_parts(row))


def _parts(row: Row) -> Iterator[bytes]:
    for value in row:
        kind, content = _written(value)
        yield kind
        yield _LENGTH.pack(len(content))
        yield content


def _written(value: object) -> tuple[bytes, bytes]:
    # Truth values are whole numbers in every column, and an engine may give back either.
    if isinstance(value, int):
        return b"i", str(int(value)).encode()
    if isinstance(value, str):
        return b"s", value.encode()
    if isinstance(value, float):
        return b"f", _REAL.pack(value)
    if value is None:
        return b"n", b""
    if isinstance(value, bytes | bytearray | memoryview):
        return b"b", bytes(value)
    raise TypeError(f"no column holds a {type(value).__name__}")
