"""Files and folders for their owner alone, whatever the umask and whatever was there before."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

FILE_MODE, FOLDER_MODE = 0o600, 0o700
OTHERS = 0o077
"""Rights of a group and of everybody else."""


def make_folder(path: Path) -> None:
    """Have a folder, for its owner alone where it is made here; one that was there keeps its mode."""
    path.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)


def prepare(path: Path) -> None:
    """Have a file that others cannot read before anything is written into it.

    One that is there is never opened: closing it would take this process's locks on it away.
    """
    if not path.exists():
        # Another process may be as quick: then it is theirs, and as private.
        with suppress(FileExistsError):
            os.close(_created(path))
    tighten(path)


def create(path: Path) -> BinaryIO:
    """A new file to write into; `FileExistsError` where there is one."""
    return os.fdopen(_created(path), "wb")


def write(path: Path, content: bytes) -> None:
    """Put content into a file, which is made where it is missing."""
    prepare(path)
    path.write_bytes(content)


def tighten(path: Path) -> None:
    """Take every right of others from a file that is there and ours."""
    with suppress(OSError):
        if is_ours(path) and is_open_to_others(path):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)


def is_open_to_others(path: Path) -> bool:
    """Return whether anybody but the owner has any right on a file or folder."""
    return bool(stat.S_IMODE(path.stat().st_mode) & OTHERS)


def is_ours(path: Path) -> bool:
    """Return whether this process's user owns a file; always True where there are no such users."""
    return not hasattr(os, "geteuid") or path.stat().st_uid == os.geteuid()


def _created(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE_MODE)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, FILE_MODE)
    return descriptor
