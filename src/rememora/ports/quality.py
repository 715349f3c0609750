"""The seam of looking back: what was judged and kept, read without its content, and what counts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rememora.domain.quality import GateQuality, Judged, Known
from rememora.domain.scope import Scope

START = ("", "")
"""Before every place."""


class Lookback(Protocol):
    """Everything a tenant's gate decided and keeps, whoever it was for, page by page and without content."""

    def judged(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[Judged]: ...

    def known(self, scope: Scope, *, after: tuple[str, str] = START, limit: int) -> list[Known]: ...


class Tables(Protocol):
    """Counts what it is given; a passing thing that keeps nothing."""

    def add_judged(self, scope: Scope, rows: Sequence[Judged]) -> None: ...

    def add_known(self, scope: Scope, rows: Sequence[Known]) -> None: ...

    def account(self, scope: Scope | None) -> GateQuality:
        """The account of the scope's tenant, or without one that of all tenants given so far."""
        ...

    def close(self) -> None: ...
