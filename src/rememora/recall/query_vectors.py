"""Cache of the vectors of recent questions, under marks that do not reveal a question."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rememora.ports.outside import Clock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 512
KEPT = timedelta(hours=1)
_MARK_BYTES = 16


class QueryVectors:
    """At most that many questions, each until it was unused for that long; their texts are kept nowhere."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # Random per process: a guessed question cannot be checked against its mark.
        self._key = secrets.token_bytes(_MARK_BYTES)
        self._vectors: OrderedDict[bytes, tuple[datetime, NDArray[np.float32]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._vectors)

    def mark(self, text: str) -> bytes:
        """Return the mark that a question is cached under."""
        return hashlib.blake2b(
            text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=_MARK_BYTES
        ).digest()

    def get(self, mark: bytes) -> NDArray[np.float32] | None:
        """Return the vector of a question, if it was asked recently."""
        now = self._clock()
        self._let_old_ones_go(now)
        entry = self._vectors.pop(mark, None)
        if entry is None:
            return None
        self._vectors[mark] = now, entry[1]
        return entry[1]

    def put(self, mark: bytes, vector: NDArray[np.float32]) -> None:
        """Keep the vector of a question that is asked now."""
        self._vectors[mark] = self._clock(), vector
        if len(self._vectors) > MOST:
            self._vectors.popitem(last=False)

    def clear(self) -> None:
        """Keep none."""
        self._vectors.clear()

    def _let_old_ones_go(self, now: datetime) -> None:
        since = now - KEPT
        while self._vectors and next(iter(self._vectors.values()))[0] < since:
            self._vectors.popitem(last=False)
