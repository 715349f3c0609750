"""Snapshots as files of numbers in the store's folder, mapped into memory when they are opened."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rememora.domain.ids import new_id
from rememora.domain.scope import Scope

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BETWEEN = "\x1f"
_MAPPED_BYTES = 65_536


class FolderSnapshots:
    """One folder a user, under a name that tells nobody whose it is."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def load(self, scope: Scope) -> dict[str, NDArray[Any]] | None:
        """Arrays that are read as they are touched, and changed in memory only."""
        try:
            return {file.stem: _read(file) for file in self._folder(scope).iterdir()} or None
        except (OSError, ValueError, EOFError):
            return None

    def save(self, scope: Scope, parts: Mapping[str, NDArray[Any]]) -> None:
        """Written beside, then put in place: a reader sees all of the old or all of the new."""
        import numpy as np

        draft = self._root / f"{new_id()}.draft"
        self._root.mkdir(exist_ok=True, mode=0o700)
        draft.mkdir(mode=0o700)
        try:
            for name, part in parts.items():
                np.save(draft / f"{name}.npy", part, allow_pickle=False)
            self.erase(scope)
            draft.rename(self._folder(scope))
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def erase(self, scope: Scope) -> bool:
        """Leave nothing of the user behind; whether there was anything."""
        folder = self._folder(scope)
        there = folder.exists()
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise OSError(f"cannot remove {folder}")
        return there

    def _folder(self, scope: Scope) -> Path:
        mark = hashlib.sha256(f"{scope.tenant}{_BETWEEN}{scope.user}".encode()).hexdigest()
        return self._root / mark[:32]


def _read(file: Path) -> NDArray[Any]:
    """A file of any size as it is touched; a small one at once, for an empty one cannot be mapped."""
    import numpy as np

    mapped = file.stat().st_size > _MAPPED_BYTES
    found: NDArray[Any] = np.load(file, mmap_mode="c" if mapped else None, allow_pickle=False)
    return found
