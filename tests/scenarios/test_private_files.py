"""Files of a store: for their owner alone, in a folder that was there before, under any umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rememora import Rememora, Settings
from rememora.adapters import private_files
from rememora.adapters.sql.folder import FILE
from rememora.adapters.usearch.files import IndexFolder, SegmentWriter
from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope

pytestmark = pytest.mark.embedded


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o177])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """A umask of the test's own."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The mode of each file directly in a folder."""
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir() if path.is_file()}


async def write(settings: Settings) -> dict[str, int]:
    """Something of everything, and the modes while it is open."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append("user", "oi")
        await ana.remember("user.name", "Ana")
        return modes(Path(settings.store.url))


async def test_a_folder_that_was_there_gets_private_files(tmp_path: Path, umask: int) -> None:
    """Database, log, its index and the key are the owner's alone, whatever the folder lets others do."""
    folder = tmp_path / "store"
    folder.mkdir()
    folder.chmod(0o777)
    settings = Settings.load({"store.url": str(folder), "recall.embedder": "none"}, environ={})
    result = await write(settings)

    assert {FILE, f"{FILE}-wal", f"{FILE}-shm", "signing.key"} == result.keys()
    assert {0o600} == set(result.values()), umask


async def test_files_that_others_may_read_are_tightened(tmp_path: Path) -> None:
    """A store of an earlier version is closed to others when it is opened, its log and key as well."""
    settings = Settings.load({"store.url": str(tmp_path), "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        await rememora.user("ana", tenant="acme").remember("user.name", "Ana")
        for file in tmp_path.iterdir():
            file.chmod(0o664)
        result = await write(settings)

    assert {0o600} == set(result.values())


def test_files_of_vectors_are_private(tmp_path: Path, umask: int) -> None:
    """Every file of an index is its owner's alone."""
    folder = IndexFolder(tmp_path / "indexes", Scope("acme", "ana"))
    draft = SegmentWriter(2)
    draft.add([ItemKey("message", "m1", "c1")], [b"\0\0\x80\x3f\0\0\0\0"])
    folder.write_segment(draft, after=0, until=1)
    folder.write_loose({ItemKey("message", "m2", "c1"): b"1234"})

    assert {0o600} == set(modes(folder.path).values()), umask


def test_a_file_of_somebody_else_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another user owns keeps its mode: to change it would fail, or take it from them."""
    file = tmp_path / "theirs"
    file.touch()
    file.chmod(0o644)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    private_files.tighten(file)

    assert 0o644 == file.stat().st_mode & 0o777
