"""Sixteen writers on one key, in two processes: one memory stands, and the chain tells of every one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from rememora import Rememora, Settings

WRITERS, ROUNDS = 8, 6

CHILD = """
import asyncio, sys
from rememora import Rememora, Settings

async def main(url, name):
    settings = Settings.load({"store.url": url}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        async def write(writer):
            for turn in range(%d):
                await ana.remember("user.role_title", f"cargo {name} {writer} {turn}")
        await asyncio.gather(*(write(writer) for writer in range(%d)))

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


async def test_sixteen_writers_on_one_key(tmp_path: Path) -> None:
    """Exactly one is active at the end, every other one is linked behind it, and no entry is lost."""
    url = str(tmp_path / "store")
    code = CHILD % (ROUNDS, WRITERS)
    children = [subprocess.Popen([sys.executable, "-c", code, url, name]) for name in ("um", "dois")]
    codes = [await asyncio.to_thread(child.wait, 120) for child in children]

    assert [0, 0] == codes
    async with Rememora.open(settings=Settings.load({"store.url": url}, environ={}), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        versions = (await ana.memories.list(status=None, limit=1000)).items
        [active] = (await ana.memories.list()).items
        chain, by_id = [active], {memory.id: memory for memory in versions}
        while chain[-1].supersedes is not None:
            chain.append(by_id[chain[-1].supersedes])
        report = await rememora.tenant("acme", acting="boss").audit.verify()

        assert 2 * WRITERS * ROUNDS == len(versions)
        assert {memory.id for memory in versions} == {memory.id for memory in chain}
        assert {"deprecated"} == {memory.status for memory in chain[1:]}
        assert () == report.faults
        assert 2 * len(versions) - 1 == report.entries
