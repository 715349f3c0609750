"""The result of checking a store's bytes for damage."""

from __future__ import annotations

import msgspec


class Integrity(msgspec.Struct, frozen=True, kw_only=True):
    """Result of an integrity check of a store: the method, and the faults, without any content."""

    how: str
    faults: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Return whether no fault was found."""
        return not self.faults
