"""Snapshots as files of numbers in the store's folder, mapped into memory when they are opened."""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import threading
from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from rememora.domain.ids import new_id
from rememora.domain.scope import SHARED, Scope

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_BETWEEN = "\x1f"
_MAPPED_BYTES = 65_536
_DRAFT = ".draft"


class FolderSnapshots:
    """One folder a user within one a tenant, under names that tell nobody whose they are."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._scratch: WeakSet[mmap.mmap] = WeakSet()
        self._scratch_lock = threading.Lock()

    def has(self, scope: Scope) -> bool:
        """Whether something is saved of a user."""
        return self._folder(scope).is_dir()

    def load(self, scope: Scope) -> dict[str, NDArray[Any]] | None:
        """Arrays that are read as they are touched, and changed in memory only."""
        try:
            return {file.stem: _read(file) for file in self._folder(scope).iterdir()} or None
        except (OSError, ValueError, EOFError):
            return None

    def save(self, scope: Scope, parts: Mapping[str, NDArray[Any]]) -> None:
        """Written beside, then put in place: a reader sees all of the old or all of the new."""
        import numpy as np

        folder = self._folder(scope)
        # Beside the user's own and named after it, so that what a dead process left goes with the user.
        draft = folder.with_name(f"{folder.name}.{new_id()}{_DRAFT}")
        for each in (self._root, folder.parent, draft):
            each.mkdir(exist_ok=True, mode=0o700)
        try:
            for name, part in parts.items():
                np.save(draft / f"{name}.npy", part, allow_pickle=False)
            _remove(folder)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def erase(self, scope: Scope) -> bool:
        """Leave nothing of the user behind, or of the whole tenant; whether there was anything."""
        return sum(_remove(folder) for folder in self._folders(scope)) > 0

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any] | None:
        """A mapped file without a name: pages go to disk when memory is short, and it dies with the process."""
        import numpy as np

        # Writing into a mapped file that the disk has no room for would end the process: it is promised first.
        promise = getattr(os, "posix_fallocate", None)
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if promise is None:
            return None
        try:
            self._root.mkdir(exist_ok=True, mode=0o700)
            with TemporaryFile(dir=self._root) as file:
                promise(file.fileno(), 0, size)
                mapped = mmap.mmap(file.fileno(), size)
        except OSError:
            return None
        with self._scratch_lock:
            self._scratch.add(mapped)
        return np.frombuffer(mapped, dtype=dtype).reshape(shape)

    def release(self) -> None:
        """The pages stay the file's: they are on disk, or on their way."""
        with self._scratch_lock:
            found = list(self._scratch)
        for mapped in found:
            mapped.madvise(mmap.MADV_DONTNEED)

    def keep_only(self, scopes: Collection[Scope]) -> int:
        """Of those who stay, what a living process has begun to save stays too."""
        kept = {self._folder(scope) for scope in scopes}
        found = [user for tenant in self._root.glob("*") for user in tenant.glob("*")]
        return sum(_remove(user) for user in found if user.with_name(user.name.partition(".")[0]) not in kept)

    def _folders(self, scope: Scope) -> list[Path]:
        folder = self._folder(scope)
        return [folder.parent] if scope.user == SHARED else [folder, *folder.parent.glob(f"{folder.name}.*")]

    def _folder(self, scope: Scope) -> Path:
        return self._root / _mark(scope.tenant) / _mark(f"{scope.tenant}{_BETWEEN}{scope.user}")


def _mark(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def _remove(folder: Path) -> bool:
    there = folder.exists()
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        raise OSError(f"cannot remove {folder}")
    return there


def _read(file: Path) -> NDArray[Any]:
    """A file of any size as it is touched; a small one at once, for an empty one cannot be mapped."""
    import numpy as np

    mapped = file.stat().st_size > _MAPPED_BYTES
    found: NDArray[Any] = np.load(file, mmap_mode="c" if mapped else None, allow_pickle=False)
    return found
