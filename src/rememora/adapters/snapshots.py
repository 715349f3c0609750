"""Snapshots as files of numbers in the store's folder, mapped into memory when they are opened."""

from __future__ import annotations

import hashlib
import mmap
import os
import shutil
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from time import time
from typing import TYPE_CHECKING, Any, BinaryIO
from weakref import WeakSet

import msgspec

from rememora.adapters import private_files
from rememora.domain.ids import new_id
from rememora.domain.scope import SHARED, Scope

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_BETWEEN = "\x1f"
MAPPED_BYTES = 8 * 1024 * 1024
"""Size from which a file is mapped; each that is takes one of the few files that a process may have open."""
_FILE = "layout"
_BEGUN_SECONDS = 3_600
_TRIES = 3
_ALIGNED = 64
_LENGTH_BYTES = 8


class _Part(msgspec.Struct, frozen=True, array_like=True):
    """Position of an array in the file, and its type."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int


class _Contents(msgspec.Struct, frozen=True, array_like=True):
    parts: list[_Part]
    size: int


class FolderSnapshots:
    """One folder per user inside one per tenant, under names that do not reveal whose they are."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._scratch: WeakSet[mmap.mmap] = WeakSet()
        self._scratch_lock = threading.Lock()

    def has(self, scope: Scope) -> bool:
        """Return whether a snapshot of a user exists."""
        # Asked at every first question: to join strings costs a tenth of joining paths.
        return os.path.isfile(f"{self._root}{os.sep}{_place(scope)}{os.sep}{_FILE}")  # noqa: PTH113

    def load(self, scope: Scope) -> dict[str, NDArray[Any]] | None:
        """Arrays that are read as they are touched, and changed in memory only."""
        try:
            return _read(self._folder(scope) / _FILE)
        except (OSError, ValueError, TypeError, IndexError, msgspec.MsgspecError):
            return None

    def save(self, scope: Scope, parts: Mapping[str, NDArray[Any]]) -> None:
        """Write to a temporary file and move it in place: a reader sees all of the old or all of the new."""
        folder = self._folder(scope)
        # In the user's own folder, so that what a dead process left goes with the user.
        draft = folder / new_id()
        # Whoever is erased meanwhile has neither any more.
        with suppress(FileNotFoundError):
            for parent in (self._root, folder.parent, folder):
                parent.mkdir(exist_ok=True, mode=0o700)
            try:
                with private_files.create(draft) as file:
                    _write(file, parts)
                draft.replace(folder / _FILE)
            finally:
                draft.unlink(missing_ok=True)

    def erase(self, scope: Scope) -> bool:
        """Leave nothing of the user behind, or of the whole tenant; whether there was anything."""
        folder = self._folder(scope)
        return _remove(folder.parent if scope.user == SHARED else folder)

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
            mappings = list(self._scratch)
        for mapped in mappings:
            mapped.madvise(mmap.MADV_DONTNEED)

    def keep_only(self, scopes: Collection[Scope]) -> int:
        """Of those who stay, what a living process has begun to save stays too."""
        kept = {self._folder(scope) for scope in scopes}
        users = [user for tenant in self._root.glob("*") for user in tenant.glob("*")]
        for draft in (file for user in users if user in kept for file in user.glob("*") if file.name != _FILE):
            _remove_old(draft)
        return sum(_remove(user) for user in users if user not in kept)

    def _folder(self, scope: Scope) -> Path:
        return self._root / _place(scope)


def _place(scope: Scope) -> str:
    return f"{_mark(scope.tenant)}{os.sep}{_mark(f'{scope.tenant}{_BETWEEN}{scope.user}')}"


def _mark(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def _remove(folder: Path) -> bool:
    there = folder.exists()
    # Somebody who saves may have put one more file there while the others went.
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return there
    raise OSError(f"cannot remove {folder}")


def _remove_old(draft: Path) -> None:
    """Nobody writes for so long: who began with it is dead."""
    with suppress(FileNotFoundError):
        if draft.stat().st_mtime < time() - _BEGUN_SECONDS:
            draft.unlink()


def _write(file: BinaryIO, parts: Mapping[str, NDArray[Any]]) -> None:
    """Write the table of contents, then each array at an aligned position, so that it can be mapped."""
    listed, size = [], 0
    for name, part in parts.items():
        listed.append(_Part(name, part.dtype.str, part.shape, size))
        size = _aligned(size + part.nbytes)
    contents = msgspec.msgpack.encode(_Contents(listed, size))
    begin = _aligned(_LENGTH_BYTES + len(contents))
    file.write(len(contents).to_bytes(_LENGTH_BYTES, "little") + contents)
    for entry in listed:
        file.seek(begin + entry.start)
        parts[entry.name].tofile(file)
    file.truncate(begin + size)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    """A file of any size as it is touched; a small one at once."""
    import numpy as np

    mapped = path.stat().st_size > MAPPED_BYTES
    whole = np.memmap(path, dtype=np.uint8, mode="c") if mapped else np.fromfile(path, dtype=np.uint8)
    end = _LENGTH_BYTES + int.from_bytes(whole[:_LENGTH_BYTES].tobytes(), "little")
    contents = msgspec.msgpack.decode(whole[_LENGTH_BYTES:end].tobytes(), type=_Contents)
    cells = whole[_aligned(end) :]
    if len(cells) != contents.size:
        raise ValueError("the file is incomplete")
    parts = {}
    for part in contents.parts:
        dtype = np.dtype(part.dtype)
        size = int(np.prod(part.shape, dtype=np.int64)) * dtype.itemsize
        parts[part.name] = cells[part.start : part.start + size].view(dtype).reshape(part.shape)
    return parts


def _aligned(place: int) -> int:
    return -(-place // _ALIGNED) * _ALIGNED
