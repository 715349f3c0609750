"""Port of snapshots: the arrays of a large user's index, saved so that they are built once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from rememora.domain.scope import Scope

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class Snapshots(Protocol):
    """Arrays by name for each user; derived, so that they may be lost at any time."""

    def has(self, scope: Scope) -> bool:
        """Return whether a snapshot of a user exists."""

    def load(self, scope: Scope) -> dict[str, NDArray[Any]] | None:
        """Return the saved arrays; None if there are none or they cannot be read."""

    def save(self, scope: Scope, parts: Mapping[str, NDArray[Any]]) -> None:
        """Save arrays, replacing the earlier ones."""

    def erase(self, scope: Scope) -> bool:
        """Erase everything of the user, or of a tenant for its shared scope; return whether there was anything."""

    def keep_only(self, scopes: Collection[Scope]) -> int:
        """Erase everything of all other users; returns how many there were."""

    def release(self) -> None:
        """Release the memory of scratch arrays; their content is read again when used."""

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any] | None:
        """Return zeros in a mapped file that ends with the process; None if there is no place for it."""
