"""The record of erasures as a file of JSON lines, apart from the database and its backups."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import msgspec

from rememora.domain.ledger import LedgerEntry
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput, StoreUnavailable

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class FileLedger:
    """Appends a line for each erasure; several processes may share the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def note(self, scope: Scope, line: LedgerEntry) -> None:
        """Written and synced before anything is erased: what cannot be noted is not erased."""
        await asyncio.to_thread(self._append, msgspec.json.encode(line) + b"\n")

    def _append(self, line: bytes) -> None:
        try:
            file = os.open(self._path, _FLAGS, 0o600)
        except OSError as error:
            raise StoreUnavailable(f"cannot record the erasure in {self._path}: {error.strerror}") from None
        try:
            # One write: lines of two processes never mix.
            os.write(file, line)
            os.fsync(file)
        finally:
            os.close(file)


def read_ledger(path: Path) -> list[LedgerEntry]:
    """The lines of a record, in order; refused whole where one cannot be read, naming its number."""
    try:
        rows = path.read_bytes().splitlines()
    except OSError as error:
        raise InvalidInput("file", f"{path}: {error.strerror}") from None
    return [_line(number, row) for number, row in enumerate(rows, 1) if row.strip()]


def _line(number: int, row: bytes) -> LedgerEntry:
    try:
        return msgspec.json.decode(row, type=LedgerEntry)
    except msgspec.MsgspecError as error:
        raise InvalidInput("file", f"line {number}: {error}") from None
