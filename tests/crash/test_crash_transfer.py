"""A transfer killed at any point goes on where it was: nothing is lost and nothing doubled."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from tests.crash.lives import Lives
from tests.engines.postgres import databases
from tests.filled import fill, seen, settings_of

from rememora import Rememora
from rememora.errors import Conflict

CHILD = "carrier"
KILLS = (2, pytest.param(40, marks=pytest.mark.slow))
"""Kills in a daily run, and in `make soak`."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store that takes a while to carry; nothing here changes it."""
    folder = str(tmp_path_factory.mktemp("filled") / "source")
    asyncio.run(fill(folder, messages=800))
    return folder


class Targets:
    """One empty store after another, in folders or on a server."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self.urls: list[str] = []
        self.another()

    def another(self) -> None:
        """A new one to fill."""
        server = self._engine == "postgres"
        made = databases().url(databases().take()) if server else str(Path(f"target-{len(self.urls)}").resolve())
        self.urls.append(made)


@pytest.mark.parametrize("engine", ["folder", pytest.param("postgres", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kills", KILLS)
async def test_a_transfer_outlives_its_process(
    lives: Lives, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int, engine: str
) -> None:
    """Killed at random points and run again until it is done: both stores hold the same, people see the same."""
    monkeypatch.chdir(tmp_path)
    place, targets = settings_of(str(tmp_path)), Targets(engine)
    dice = random.Random(kills)
    broken = 0
    while broken < kills:
        order = {"folder": str(tmp_path), "source": source, "target": targets.urls[-1]}
        reply = lives.live(**order, lines=1, seconds=dice.uniform(0, 0.25 if engine == "folder" else 0.6))
        if reply[-1][0] == "done":
            targets.another()
        else:
            broken += 1
    await Rememora.transfer(source, targets.urls[-1], settings=place)

    for target in targets.urls:
        same = await Rememora.transfer(source, target, settings=place, verify_only=True)
        assert same.rows > 5_000
        with pytest.raises(Conflict, match="not empty"):
            await Rememora.transfer(source, target, settings=place)
    assert await seen(source) == await seen(targets.urls[-1])
