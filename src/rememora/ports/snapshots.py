"""The seam of snapshots: what a large user's layout in memory is made of, kept so that it is made once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from rememora.domain.scope import Scope

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class Snapshots(Protocol):
    """Arrays by name for each user; derived, and gone without loss at any time."""

    def has(self, scope: Scope) -> bool:
        """Return whether a snapshot of a user exists."""
        ...

    def load(self, scope: Scope) -> dict[str, NDArray[Any]] | None:
        """Return the saved arrays, or None where there are none or they cannot be read."""
        ...

    def save(self, scope: Scope, parts: Mapping[str, NDArray[Any]]) -> None:
        """Keep these in the place of what was kept before."""
        ...

    def erase(self, scope: Scope) -> bool:
        """Leave nothing of the user behind, or of a tenant in the scope it shares; whether there was anything."""
        ...

    def keep_only(self, scopes: Collection[Scope]) -> int:
        """Leave nothing of anybody but these users; returns how many others there was something of."""
        ...

    def release(self) -> None:
        """Let the memory go that scratch arrays take just now; what is in them is read again when touched."""
        ...

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any] | None:
        """Zeros outside of the process's own memory, gone with the process; None where there is no place."""
        ...
