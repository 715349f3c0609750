"""Changes since an owner's files were written: items new, changed or gone, held in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rememora.domain.hit import ItemKey
from rememora.ports.index import IndexChanges

SEGMENTED = frozenset({"message", "episode"})
"""What stays as it was once said, and so goes into segments; the rest changes often and is kept loose."""
SAID = frozenset({"message", "episode", "summary"})
"""What goes with its conversation."""
_FIRST_ROWS = 64

Matrix = NDArray[np.float32]


class Tail:
    """Vectors by key, every one compared; and which keys of the files no longer hold."""

    def __init__(self, dimension: int) -> None:
        self._matrix: Matrix = np.zeros((_FIRST_ROWS, dimension), dtype=np.float32)
        self._keys: list[ItemKey | None] = []
        self._places: dict[ItemKey, int] = {}
        self._moved: set[ItemKey] = set()
        self._gone: set[str] = set()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def marks(self) -> bool:
        """Return whether any key of the files is outdated."""
        return bool(self._moved or self._gone)

    def put(self, key: ItemKey, vector: bytes) -> None:
        """The vector of a key, in the place of an older one."""
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._keys)
            self._keys.append(key)
        if place >= len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
        values = np.frombuffer(vector, dtype=np.float32)
        self._matrix[place] = values / (float(np.linalg.norm(values)) or 1.0)

    def mark(self, changes: IndexChanges) -> None:
        """Note which keys the files are wrong about."""
        self._gone.update(changes.gone_conversations)
        self._moved.update(changes.gone)
        self._moved.update(item.key for item in changes.items)

    def apply(self, changes: IndexChanges) -> None:
        """Take in what happened."""
        self.mark(changes)
        # First what went, then what came: a conversation may be deleted and begun again in one page.
        gone = set(changes.gone_conversations)
        for key in [key for key in self._places if key.kind in SAID and key.conversation in gone]:
            self._drop(key)
        for key in changes.gone:
            self._drop(key)
        for item in changes.items:
            if item.vector is None:
                self._drop(item.key)
            else:
                self.put(item.key, item.vector)

    def holds_no_more(self, key: ItemKey) -> bool:
        """Return whether the files are outdated for a key."""
        return key in self._moved or (key.conversation in self._gone and key.kind in SAID)

    def nearest(self, vector: Matrix) -> Iterator[tuple[ItemKey, float]]:
        """Every one, with its cosine."""
        cosines = self._matrix[: len(self._keys)] @ vector
        return ((key, cosine) for key, cosine in zip(self._keys, cosines.tolist(), strict=True) if key is not None)

    def _drop(self, key: ItemKey) -> None:
        place = self._places.pop(key, None)
        if place is not None:
            self._keys[place] = None
            self._matrix[place] = 0
