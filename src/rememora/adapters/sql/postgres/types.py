"""Type conversion between Python and PostgreSQL: whole numbers as one type, vectors as raw floats."""

from __future__ import annotations

import sys
from array import array
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8BinaryDumper

_HEAD_BYTES = 4
_FLOAT_BYTES = 4
_SWAPS = sys.byteorder == "little"


class Vector(bytes):
    """Floats of 32 bits as this machine holds them, to be stored in a column of vectors."""

    __slots__ = ()


class VectorDumper(Dumper):
    """pgvector's own format: the number of floats, two unused bytes, and each float in network order."""

    format = pq.Format.BINARY

    def dump(self, obj: Vector) -> Buffer:
        head = (len(obj) // _FLOAT_BYTES).to_bytes(2, "big") + b"\0\0"
        return head + _swapped(obj)


class VectorLoader(Loader):
    """The floats of a vector, as this machine holds them."""

    format = pq.Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return _swapped(bytes(data)[_HEAD_BYTES:])


def _swapped(floats: bytes) -> bytes:
    if not _SWAPS:
        return floats
    swapped = array("f", floats)
    swapped.byteswap()
    return swapped.tobytes()


def learn_types(connection: psycopg.Connection[Any], vector: TypeInfo | None) -> None:
    """Teach one connection our types; the extension has its own numbers in every database."""
    # One type for every whole number: the driver would take the shortest, and prepare a statement for each.
    connection.adapters.register_dumper(int, Int8BinaryDumper)
    if vector is not None:
        vector.register(connection)
        dumper = type("VectorDumper", (VectorDumper,), {"oid": vector.oid})
        connection.adapters.register_dumper(Vector, dumper)
        connection.adapters.register_loader(vector.oid, VectorLoader)
