"""The result of looking through a store's bytes for damage."""

from __future__ import annotations

import msgspec


class Integrity(msgspec.Struct, frozen=True, kw_only=True):
    """How a store was checked, and what is wrong with it; never any content."""

    how: str
    faults: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Tell whether nothing was found."""
        return not self.faults
