"""Two processes on one store and one Redis: what either writes, the other reads next, whatever is hot."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engines.redis import RedisEngine, running

CHILD = Path(__file__).parents[1] / "children" / "windows.py"
WINDOW = 20


class Process:
    """A child that does one thing at a time."""

    def __init__(self, settings: dict[str, object]) -> None:
        self._child = subprocess.Popen(
            [sys.executable, str(CHILD), json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def do(self, act: str, conversation: str, content: str = "") -> object:
        """What came of it."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps([act, conversation, content]) + "\n")
        self._child.stdin.flush()
        return json.loads(self._line())

    def _line(self) -> str:
        assert self._child.stdout is not None
        return self._child.stdout.readline().strip()

    def end(self) -> int:
        """The exit code of an orderly end."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        return self._child.wait(60)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RedisEngine]:
    with running(tmp_path / "redis") as started:
        yield started


@pytest.fixture(params=[0, 100], ids=["asked", "trusted"])
def pair(request: pytest.FixtureRequest, engine: RedisEngine, tmp_path: Path) -> Iterator[list[Process]]:
    overrides: dict[str, object] = {"store.url": str(tmp_path / "store"), "store.synchronous": "normal"}
    overrides |= {
        "redis.url": engine.url,
        "redis.rest_seconds": 0,
        "redis.trust_ms": request.param,
        "recall.embedder": "none",
    }
    overrides |= {"layers.summarization": False, "layers.vector_store": False, "context.deadline_ms": 10_000}
    processes = [Process(overrides) for _ in range(2)]
    yield processes
    assert [0, 0] == [process.end() for process in processes]


def test_what_one_writes_the_other_reads(pair: list[Process]) -> None:
    """Hot in both, then written, deleted and begun again by one: the other is never behind."""
    one, two = pair
    one.do("append", "c1", "um")
    before = [process.do("read", "c1") for process in pair]
    two.do("append", "c1", "dois")
    written = [process.do("read", "c1") for process in pair]
    two.do("delete", "c1")
    deleted = [process.do("read", "c1") for process in pair]
    one.do("append", "c1", "um")
    one.do("append", "c1", "another")
    again = [process.do("read", "c1") for process in pair]

    assert [["um"]] * 2 == before
    assert [["um", "dois"]] * 2 == written
    assert [[]] * 2 == deleted
    assert [["um", "another"]] * 2 == again


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_any_order_of_acts_in_either_reads_as_in_one(pair: list[Process], engine: RedisEngine, seed: int) -> None:
    """Writes, reads, packs and deletions by whichever process, with Redis emptied or killed in between."""
    chance = random.Random(seed)
    said: dict[str, list[str]] = {"c1": [], "c2": []}
    for number in range(150):
        process, name = chance.choice(pair), chance.choice(sorted(said))
        act = chance.choices(["append", "read", "pack", "delete", "flush", "kill"], [8, 8, 3, 1, 0.5, 0.3])[0]
        if act == "append":
            process.do("append", name, f"m{len(said[name]) % 7}-{number}")
            said[name].append(f"m{len(said[name]) % 7}-{number}")
        elif act == "delete":
            assert len(said[name]) == process.do("delete", name)
            said[name] = []
        elif act == "flush":
            engine.flush()
        elif act == "kill":
            engine.kill()
            engine.start()
        else:
            assert said[name][-WINDOW:] == process.do(act, name)
