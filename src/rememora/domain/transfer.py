"""What a transfer between two stores carried, table by table."""

from __future__ import annotations

import msgspec


class TableSum(msgspec.Struct, frozen=True, kw_only=True):
    """What a table holds: how many rows, and a SHA-256 over them in which their order does not count."""

    name: str
    rows: int
    sha256: str


class Transferred(msgspec.Struct, frozen=True, kw_only=True):
    """Every table, as both stores hold it; `copied` counts what this run carried over."""

    tables: tuple[TableSum, ...]
    copied: int

    @property
    def rows(self) -> int:
        """How many rows both stores hold."""
        return sum(table.rows for table in self.tables)
