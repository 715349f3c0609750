"""Notices that a process was forked: threads, connections and locks of the parent are of no use in the child."""

from __future__ import annotations

import os

from rememora.errors import StoreForked


class ProcessGuard:
    """The process in which something was opened."""

    def __init__(self) -> None:
        self._process = os.getpid()

    @property
    def left(self) -> bool:
        """Return whether this is another process than the one it was opened in."""
        return os.getpid() != self._process

    def check(self) -> None:
        """Refuse to go on in a forked child, where every wait would be for a thread that is not there."""
        if self.left:
            raise StoreForked
