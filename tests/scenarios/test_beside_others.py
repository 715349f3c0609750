"""Several processes on one folder: whatever one of them does, what was acknowledged to another stays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rememora import Rememora, Settings
from rememora.adapters.sql.descriptors import Descriptor

pytestmark = pytest.mark.embedded

_OTHER = """
import json, sys
from rememora import Settings, SyncRememora
settings = Settings.load({"store.url": sys.argv[1]}, environ={})
with SyncRememora.open(settings=settings, background=False) as rememora:
    ana = rememora.user("ana", tenant="acme")
    if sys.argv[2:]:
        ana.remember(sys.argv[2], "Lisboa")
    print(json.dumps([memory.key for memory in ana.memories.list().items]))
"""


def other(settings: Settings, *written: str) -> list[str]:
    """What another process, which comes and goes, writes and sees."""
    command = [sys.executable, "-c", _OTHER, settings.store.url, *written]
    texts: list[str] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return sorted(texts)


@pytest.mark.parametrize("look", ["erase", "verify"])
async def test_looking_into_the_files_takes_nothing_from_anybody(settings: Settings, look: str) -> None:
    """An erasure reads the files for what is left: another process that comes and goes sees all, and so do we."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.name", "Rosamunda")
        receipt = await ana.erase(topic="user.name")
        if look == "verify":
            await rememora.tenant("acme", acting="boss").audit.verify_receipt(receipt)
        log = Path(settings.store.url) / "rememora.db-wal"
        before = log.stat().st_ino

        assert [] == other(settings)
        assert before == log.stat().st_ino

        await ana.remember("user.location", "Natal")

        assert ["user.company", "user.location"] == other(settings, "user.company")
        assert ["user.company", "user.location"] == sorted(m.key for m in (await ana.memories.list()).items)


async def test_a_store_that_closes_leaves_the_locks_of_another(settings: Settings) -> None:
    """Two stores of one process on one folder: the first to go takes nothing from the second."""
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        async with Rememora.open(settings=settings, background=False) as second:
            await second.user("ana", tenant="acme").erase(topic="user.name")
        other(settings)
        await ana.remember("user.location", "Natal")

        assert ["user.location"] == other(settings)


def test_a_descriptor_is_shared_and_goes_with_the_last(tmp_path: Path) -> None:
    """However many read a file, it is open once, and closed when the last lets it go."""
    file = tmp_path / "file"
    file.write_bytes(b"abcdefg")
    one, two = Descriptor(file), Descriptor(file)

    assert [b"abc", b"def", b"g"] == list(two.pieces(3))

    two.close()

    assert b"abcdefg" == b"".join(one.pieces(2))

    one.close()

    with pytest.raises(OSError, match="descriptor"):
        list(one.pieces(2))
