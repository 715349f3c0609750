"""Removes deleted bytes from SQLite's files, and searches for them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from rememora.adapters.sql.descriptors import Descriptor
from rememora.domain.receipt import Residue

CHUNK_BYTES = 1 << 20
LONGEST_WORD = 64
WORD = re.compile(rb"[0-9A-Za-z_\x80-\xff]{5,64}")
NUMBER = re.compile(rb"[0-9][0-9 ()./-]{5,30}[0-9]")
_LOCKS = "-shm"
Source = tuple[str, Iterable[bytes]]
"""A file's name, and what is in it."""


def empty_log(connection: sqlite3.Connection) -> None:
    """Move the write-ahead log into the database and cut it to nothing; busy when a reader holds it."""
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        error = sqlite3.OperationalError("the write-ahead log is in use")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error


def rebuild(connection: sqlite3.Connection) -> None:
    """Rewrite the search indexes and the file, so that only live rows remain in it."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%USING fts5%'"
    for (name,) in connection.execute(tables).fetchall():
        quoted = '"' + name.replace('"', '""') + '"'
        connection.execute(f"INSERT INTO {quoted}({quoted}) VALUES ('optimize')")
    connection.execute("VACUUM")
    empty_log(connection)


def sources(descriptor: Descriptor) -> Iterator[Source]:
    """The files of a store piece by piece, but for the one that holds locks and numbers of pages only."""
    name = descriptor.file.name
    for file in sorted(descriptor.file.parent.glob(f"{name}*")):
        if file.name == name:
            yield name, descriptor.pieces(CHUNK_BYTES)
        elif file.is_file() and not file.name.endswith(_LOCKS):
            yield file.name, _pieces(file)


def rows(connection: sqlite3.Connection) -> list[bytes]:
    """Every row of every table, for a store that is in no file."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    cells = (row for (name,) in tables for row in connection.execute(f'SELECT * FROM "{name}"').fetchall())
    return [b"\0".join(_bytes(cell) for cell in row) + b"\0" for row in cells]


def find(sources: Iterable[Source], terms: Sequence[bytes]) -> list[Residue]:
    """The first place of each term in each file that holds it."""
    longest = max(map(len, terms), default=0)
    residues: dict[tuple[str, bytes], Residue] = {}
    for name, pieces in sources:
        # Chunks overlap by the longest term, so that none is missed where two of them meet.
        for start, chunk in _chunks(pieces, overlap=longest):
            for term in terms:
                place = chunk.find(term)
                if place >= 0:
                    residues.setdefault((name, term), Residue(file=name, offset=start + place))
    return list(residues.values())


def words(sources: Iterable[Source]) -> dict[bytes, Residue]:
    """Return every word of five bytes or more and every longer number, with its first place."""
    residues: dict[bytes, Residue] = {}
    for name, pieces in sources:
        for start, chunk in _chunks(pieces, overlap=LONGEST_WORD):
            for match in chain(WORD.finditer(chunk), NUMBER.finditer(chunk)):
                if match.group() not in residues:
                    residues[match.group()] = Residue(file=name, offset=start + match.start())
    return residues


def _bytes(cell: object) -> bytes:
    return cell if isinstance(cell, bytes) else str(cell).encode()


def _pieces(file: Path) -> Iterator[bytes]:
    """A file that SQLite does not lock; read, not mapped: others may truncate it."""
    try:
        with file.open("rb") as opened:
            while piece := opened.read(CHUNK_BYTES):
                yield piece
    except FileNotFoundError:
        return


def _chunks(pieces: Iterable[bytes], *, overlap: int) -> Iterator[tuple[int, bytes]]:
    """Pieces with their places, each with the end of the one before."""
    start, tail = 0, b""
    for piece in pieces:
        chunk = tail + piece
        yield start, chunk
        tail = chunk[-overlap:] if overlap else b""
        start += len(chunk) - len(tail)
