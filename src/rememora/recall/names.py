"""Small integers for names, so that a column can hold them."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Small integers for names, so that a column can hold them."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))

    @property
    def names(self) -> Iterable[str]:
        """In the order of their codes."""
        return self._codes

    def codes(self, names: Iterable[str]) -> list[int]:
        return [self._codes[name] for name in names if name in self._codes]
