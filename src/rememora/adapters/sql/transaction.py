"""Operations of a repository inside a transaction, on any engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

Row = tuple[Any, ...]
Params = Mapping[str, object]


class Transaction(Protocol):
    """Runs named queries; values travel as parameters, never in the text."""

    def run(self, name: str, params: Params) -> int:
        """Rows changed."""

    def send(self, name: str, params: Params) -> None:
        """Run what nobody reads an answer of: before whatever is asked next, and before the commit."""

    def many(self, name: str, params: Iterable[Params]) -> None: ...

    def one(self, name: str, params: Params) -> Row | None: ...

    def all(self, name: str, params: Params) -> list[Row]: ...
