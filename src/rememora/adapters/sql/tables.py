"""Every table of the schema with its key and columns, for moving whole tables from one engine to another.

`schema/tables.txt` is written from the migrations (`make schema`), so that a new table is moved like the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec


class Table(msgspec.Struct, frozen=True):
    """One table: its columns, those of its key first."""

    name: str
    key: tuple[str, ...]
    rest: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.key + self.rest

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(self.key)} | {' '.join(self.rest)}".rstrip()

    def fill(self, template: str) -> str:
        """The queries of a template for this table; a value is called as its column is."""
        return template.format(
            table=self.name,
            columns=_listed('"{}"', self.columns),
            key=_listed('"{}"', self.key),
            values=_listed(":{}", self.columns),
            after=_listed(":{}", self.key),
        )


@cache
def tables() -> tuple[Table, ...]:
    """Every table that a transfer carries, in the order they came into the schema."""
    text = (Path(__file__).parent / "schema" / "tables.txt").read_text(encoding="utf-8")
    return tuple(parse(line) for line in text.splitlines())


def parse(line: str) -> Table:
    """A table from its line."""
    name, _, columns = line.partition(": ")
    key, _, rest = columns.partition("|")
    return Table(name, tuple(key.split()), tuple(rest.split()))


def _listed(form: str, names: Iterable[str]) -> str:
    return ", ".join(map(form.format, names))
