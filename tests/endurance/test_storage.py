"""No room and no right to write: nothing acknowledged is lost, and the error has a type."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.attacks.counts import Probe
from tests.behind import behind
from tests.endurance.conftest import Campaign
from tests.house.source import ROOT

from rememora import Rememora, Settings

FULL, READ_ONLY = 40, 10


DISK = 'mount -t tmpfs -o size=24m tmpfs "$0" && exec "$@"'
"""A disk of its own for one process, in a mount namespace that ends with it."""
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Rights do not bind root, unless these are taken from it."""


def child(name: str, *words: str, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a program of `tests/children` to its end."""
    command = [*before, sys.executable, str(ROOT / "tests" / "children" / f"{name}.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)


async def stored(folder: Path) -> list[str]:
    """The ids of every message of the conversation."""
    settings = Settings.load({"store.url": str(folder), "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        return [message.id for message in (await chat.messages(limit=1000)).items]


@pytest.mark.slow
async def test_files_that_may_not_grow(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """A limit on the size of files in place of a full disk: refused with a type, and writing goes on after it."""
    for seed in campaign.seeds(FULL):
        folder = tmp_path / str(seed)
        room = random.Random(seed).randrange(900_000, 1_600_000)
        done = child("no_room", str(folder), str(seed), str(room))
        assert 0 == done.returncode, f"seed {seed}: {done.stderr}"
        document = json.loads(done.stdout)
        kept = await stored(folder)
        assert document["refused"], f"seed {seed}: there was room for everything, so that nothing was tried"
        assert min(5, len(document["acknowledged"])) == document["read"], f"seed {seed}"
        for id in [*document["acknowledged"], *document["after"]]:
            probe(kept.count(id) == 1, f"seed {seed}: {id} is there {kept.count(id)} times")
        probe([("ok",)] == behind(folder, "PRAGMA integrity_check"), f"seed {seed}: the file is damaged")


def has_own_disks(folder: Path) -> bool:
    """Return whether this machine lets a process mount a disk for itself alone."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*own_disk(folder), "true"], capture_output=True, check=False).returncode == 0


def own_disk(folder: Path) -> list[str]:
    """A command before another, which then sees a small empty disk at a folder."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", DISK, str(folder)]


@pytest.mark.slow
async def test_disks_that_are_full(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """ENOSPC amid messages, memories and erasures: refused with a type, and writing goes on after it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not has_own_disks(disk):
        pytest.skip("no process may mount a disk of its own on this machine (`unshare --map-root-user --mount`)")
    for seed in campaign.seeds(FULL):
        folder = tmp_path / str(seed)
        done = child("no_space", str(disk), str(folder), str(seed), before=own_disk(disk))
        assert 0 == done.returncode, f"seed {seed}: {done.stderr}"
        document = json.loads(done.stdout)
        assert document["refused"], f"seed {seed}: there was room for everything, so that nothing was tried"
        probe(not document["refused after"], f"seed {seed}: with room again: {document['refused after']}")
        settings = Settings.load({"store.url": str(folder), "recall.embedder": "none"}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            ana = rememora.user("ana", tenant="acme")
            kept = [message.id for message in (await ana.conversation("c1").messages(limit=1000)).items]
            known = {memory.key: memory.value for memory in (await ana.memories.list(limit=1000)).items}
            chain = await rememora.tenant("acme", acting="auditor").audit.verify()
        messages = document["messages"]
        probe(messages == kept, f"seed {seed}: {messages} were acknowledged, and {kept} are there")
        for key, value in document["memories"].items():
            probe(known.get(key) == value, f"seed {seed}: {key} is {known.get(key)}")
        for key in document["erased"]:
            probe(key not in known, f"seed {seed}: {key} is known after its erasure")
        probe(chain.intact, f"seed {seed}: the audit chain is broken")
        probe([("ok",)] == behind(folder, "PRAGMA integrity_check"), f"seed {seed}: the file is damaged")


@pytest.mark.slow
async def test_folders_that_may_not_be_written(tmp_path: Path, campaign: Campaign, probe: Probe) -> None:
    """Opening or writing is refused with a type, and the store is afterwards as it was."""
    bound = os.getuid() != 0
    if not bound and shutil.which(UNPRIVILEGED[0]) is None:
        pytest.skip("root, and no `setpriv` to take its rights from it")
    for seed in campaign.seeds(READ_ONLY):
        folder = tmp_path / str(seed)
        settings = Settings.load({"store.url": str(folder), "recall.embedder": "none"}, environ={})
        async with Rememora.open(settings=settings, background=False) as rememora:
            await rememora.user("ana", tenant="acme").conversation("c1").append("user", "antes")
        before = await stored(folder)
        modes = {path: path.stat().st_mode for path in (folder, *folder.iterdir())}
        for path in modes:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = child("no_right", str(folder), before=[] if bound else UNPRIVILEGED)
        for path, mode in modes.items():
            path.chmod(mode)
        probe(done.stdout.startswith("refused "), f"seed {seed}: {done.stdout}{done.stderr[-300:]}")
        probe(before == await stored(folder), f"seed {seed}: the store has changed")
