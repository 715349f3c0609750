"""The right to a file that one process may have open, kept by a lock that ends with the process."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Final

from rememora.errors import StoreUnavailable

try:
    from fcntl import LOCK_EX, LOCK_NB
    from fcntl import flock as _flock

    def flock(file: IO[bytes]) -> None:
        """Lock a file, or raise at once."""
        _flock(file, LOCK_EX | LOCK_NB)

except ImportError:

    def flock(file: IO[bytes]) -> None:
        """Nothing here: DuckDB's own lock keeps other processes out."""


ONE_PROCESS: Final = "a DuckDB file is for one process, and one memory in it"


class FileLock:
    """The right to a file, also within one process, where DuckDB would let a second one in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: IO[bytes] | None = None

    def take(self) -> None:
        """Have it, or say who cannot."""
        if self._taken is not None:
            return
        taken = self._path.open("ab")
        try:
            flock(taken)
        except OSError:
            taken.close()
            raise StoreUnavailable(f"{self._path} is held: {ONE_PROCESS}") from None
        self._taken = taken

    def release(self) -> None:
        """Let others have it; the end of the process does so too."""
        if self._taken is not None:
            self._taken.close()
            self._taken = None
