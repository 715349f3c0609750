"""Location of an embedded store: the folder and the file that its URL names, or the process's memory."""

from __future__ import annotations

from pathlib import Path

from rememora.adapters import private_files
from rememora.errors import StoreUnavailable

MEMORY = ":memory:"
FILE = "rememora.db"
BESIDE = ("-wal", "-shm")


def file_of(url: str) -> Path:
    """The database file of a store's URL."""
    return Path(url.removeprefix("sqlite:///")).expanduser() / FILE


def folder_of(url: str) -> Path | None:
    """The folder of a store, or None in memory."""
    return None if url == MEMORY else file_of(url).parent


def make(file: Path) -> None:
    """Have the folder and the file of a database, and let nobody but its owner read what is written there.

    The write-ahead log and its index get the mode of the database from SQLite.
    """
    try:
        private_files.make_folder(file.parent)
    except OSError as error:
        raise StoreUnavailable(f"cannot create the folder {file.parent}: {error.strerror}") from None
    try:
        private_files.prepare(file)
    except OSError as error:
        raise StoreUnavailable(f"cannot open {file}: {error.strerror}") from None
    for suffix in BESIDE:
        private_files.tighten(file.with_name(f"{file.name}{suffix}"))
