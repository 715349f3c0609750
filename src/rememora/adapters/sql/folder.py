"""Where an embedded store lives: the folder and the file that its URL names, or the process's memory."""

from __future__ import annotations

from pathlib import Path

from rememora.errors import StoreUnavailable

MEMORY = ":memory:"
FILE = "rememora.db"


def file_of(url: str) -> Path:
    """The database file of a store's URL."""
    return Path(url.removeprefix("sqlite:///")).expanduser() / FILE


def folder_of(url: str) -> Path | None:
    """The folder of a store, or None in memory."""
    return None if url == MEMORY else file_of(url).parent


def make(folder: Path) -> None:
    """Have the folder, for its owner alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreUnavailable(f"cannot make the folder {folder}: {error.strerror}") from None
