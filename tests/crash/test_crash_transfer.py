"""A transfer killed at any point goes on where it was: nothing is lost and nothing doubled."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.crash.lives import Lives
from tests.filled import fill, seen, settings_of

from rememora import Rememora
from rememora.errors import Conflict

CHILD = Path(__file__).parent.parent / "children" / "carrier.py"


@pytest.fixture
def lives() -> Iterator[Lives]:
    """A warm process to fork from."""
    found = Lives(CHILD)
    yield found
    found.close()


@pytest.mark.parametrize("kills", [3, pytest.param(40, marks=pytest.mark.slow)])
async def test_a_transfer_outlives_its_process(lives: Lives, tmp_path: Path, kills: int) -> None:
    """Killed at random points and run again until it is done: both stores hold the same, people see the same."""
    source, place = str(tmp_path / "source"), settings_of(str(tmp_path))
    await fill(source, messages=800)
    dice = random.Random(kills)
    begun = [str(tmp_path / "target-0")]
    broken = 0
    while broken < kills:
        told = lives.live(source=source, target=begun[-1], lines=1, seconds=dice.uniform(0, 0.25))
        if told[-1][0] == "done":
            begun.append(str(tmp_path / f"target-{len(begun)}"))
        else:
            broken += 1
    await Rememora.transfer(source, begun[-1], settings=place)

    for target in begun:
        same = await Rememora.transfer(source, target, settings=place, verify_only=True)
        assert same.rows > 5_000
        with pytest.raises(Conflict, match="not empty"):
            await Rememora.transfer(source, target, settings=place)
    assert await seen(source) == await seen(begun[-1])
