"""Fast transfer of columns to DuckDB: numbers as arrays, texts as one text that SQL splits.

Without pandas the driver searches for it again with each Python object it is handed, at a millisecond each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import NDArray

from rememora.errors import InvalidInput

if TYPE_CHECKING:
    import duckdb

BETWEEN: Final = "\x1f"
"""Stands in no name of ours."""


def joined(values: Iterable[str]) -> str:
    """A column of texts as one text."""
    column = list(values)
    text = BETWEEN.join(column)
    if text.count(BETWEEN) != len(column) - 1:
        raise InvalidInput("id", "must not hold a control character")
    return text


def apart(*names: str) -> str:
    """The select list that takes `joined` parameters of these names apart, row by row."""
    return ", ".join(f"unnest(string_split(${name}, chr(31))) AS {name}" for name in names)


@contextmanager
def lent(db: duckdb.DuckDBPyConnection, name: str, columns: Mapping[str, NDArray[Any]]) -> Iterator[None]:
    """Let statements read arrays of numbers as a table."""
    db.register(name, dict(columns))
    try:
        yield
    finally:
        db.unregister(name)
