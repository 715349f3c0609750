"""Operations of a repository inside a transaction, on any engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

Row = tuple[Any, ...]
Params = Mapping[str, object]
T = TypeVar("T")


class Transaction(Protocol):
    """Runs named queries; values travel as parameters, never in the text."""

    def run(self, name: str, params: Params) -> int:
        """Rows changed."""

    def send(self, name: str, params: Params) -> None:
        """Run what nobody reads an answer of: before whatever is asked next, and before the commit."""

    def many(self, name: str, params: Iterable[Params]) -> None: ...

    def one(self, name: str, params: Params) -> Row | None: ...

    def all(self, name: str, params: Params) -> list[Row]: ...


class Repository:
    """Rows of a few tables, read and written inside one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def _find(self, name: str, params: Params, decode: Callable[[Row], T]) -> T | None:
        """Return the only row of a query, decoded; None if there is none."""
        row = self._tx.one(name, params)
        return None if row is None else decode(row)

    def _number(self, name: str, params: Params) -> int:
        """Return the only number of a query; 0 if there is no row."""
        row = self._tx.one(name, params)
        return 0 if row is None else int(row[0])
