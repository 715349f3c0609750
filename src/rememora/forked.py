"""Detection of forks: threads, connections and locks of the parent cannot be used in the child."""

from __future__ import annotations

import os

from rememora.errors import StoreForked


class ProcessGuard:
    """The process in which something was opened."""

    def __init__(self) -> None:
        self._process = os.getpid()

    @property
    def left(self) -> bool:
        """Return whether this is a different process from the one it was opened in."""
        return os.getpid() != self._process

    def check(self) -> None:
        """Refuse to continue in a forked child, which would wait for a thread that it does not have."""
        if self.left:
            raise StoreForked
