"""Result of a transfer between two stores, table by table."""

from __future__ import annotations

import msgspec


class TableSum(msgspec.Struct, frozen=True, kw_only=True):
    """Checksum of a table: its number of rows, and a SHA-256 over them that ignores their order."""

    name: str
    rows: int
    sha256: str


class Transferred(msgspec.Struct, frozen=True, kw_only=True):
    """Checksums of every table in both stores; `copied` counts the rows of this run."""

    tables: tuple[TableSum, ...]
    copied: int

    @property
    def rows(self) -> int:
        """Return the number of rows in both stores."""
        return sum(table.rows for table in self.tables)
