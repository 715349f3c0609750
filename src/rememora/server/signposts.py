"""Which address a path leads to: fixed paths by one look, paths with names in them by their shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")


class Shape:
    """Paths of one length with their fixed parts at the same places."""

    def __init__(self, parts: list[str]) -> None:
        self.fixed = tuple(place for place, part in enumerate(parts) if not part.startswith("{"))
        self.named = tuple(place for place, part in enumerate(parts) if part.startswith("{"))

    def signs(self, parts: list[str]) -> tuple[str, ...]:
        """The fixed parts of a path."""
        return tuple(parts[place] for place in self.fixed)


class Signposts(Generic[T]):
    """Finds what stands at a path; where two templates fit, the one that is fixed earlier wins."""

    def __init__(self, places: Mapping[str, T]) -> None:
        self._fixed = {path: place for path, place in places.items() if "{" not in path}
        self._shapes: dict[int, dict[tuple[int, ...], Shape]] = {}
        self._places: dict[tuple[tuple[int, ...], tuple[str, ...]], tuple[T, tuple[str, ...]]] = {}
        for path in in_order(path for path in places if "{" in path):
            parts = path.split("/")
            shape = self._shapes.setdefault(len(parts), {}).setdefault(Shape(parts).fixed, Shape(parts))
            names = tuple(parts[place][1:-1] for place in shape.named)
            self._places[shape.fixed, shape.signs(parts)] = (places[path], names)

    def find(self, path: str) -> tuple[T, dict[str, str]] | None:
        """What stands at a path, and the names in it; None where nothing does."""
        if (fixed := self._fixed.get(path)) is not None:
            return fixed, {}
        parts = path.split("/")
        for shape in self._shapes.get(len(parts), {}).values():
            found = self._places.get((shape.fixed, shape.signs(parts)))
            given = [parts[place] for place in shape.named]
            if found is not None and all(given):
                return found[0], dict(zip(found[1], given, strict=True))
        return None


def in_order(paths: Iterable[str]) -> list[str]:
    """Fixed parts before names: `/memory/search` is no conversation."""
    return sorted(paths, key=lambda path: ["{" in part for part in path.split("/")])
