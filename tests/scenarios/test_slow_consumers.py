"""Consumers of a group that are killed, stand still or are only slow: others take over what is abandoned."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from tests.engines.redis import fresh_redis
from tests.happening import happen
from tests.scenarios.test_event_streams import Ear, settled

from rememora import Rememora, Settings

CHILD = Path(__file__).parents[1] / "children" / "consumer.py"
CLAIM_SECONDS = 2


@pytest.fixture
def overrides(tmp_path: Path) -> dict[str, object]:
    """Settings of a store beside a Redis whose silent consumers are soon given up on."""
    result: dict[str, object] = {"store.url": str(tmp_path / "store"), "recall.embedder": "none", **fresh_redis()}
    return result | {"redis.claim_seconds": CLAIM_SECONDS, "redis.window_seconds": 0}


@pytest.fixture
async def rememora(overrides: dict[str, object]) -> AsyncIterator[Rememora]:
    """Three events on the stream."""
    async with Rememora.open(settings=Settings.load(overrides, environ={}), background=False) as opened:
        await opened.events.relay_to_redis(from_start=True)
        await happen(opened, "c1", "c2", "c3")
        await opened.settle()
        yield opened


@pytest.fixture
def child(overrides: dict[str, object], rememora: Rememora) -> Iterator[subprocess.Popen[str]]:
    """A consumer that has taken all three and is at work on the first."""
    command = [sys.executable, str(CHILD), json.dumps(overrides), "crm", "other"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "c1" == process.stdout.readline().strip()
    yield process
    process.kill()
    process.wait()
    for end in (process.stdin, process.stdout):
        if end is not None:
            end.close()


def pending(overrides: dict[str, object]) -> int:
    """How many events a consumer of the group has taken and not done."""
    with Redis.from_url(str(overrides["redis.url"])) as client:
        result: Any = client.xpending(f"{overrides['redis.prefix']}:{{events}}:events", "crm")
    return int(result["pending"])


def lag(overrides: dict[str, object]) -> int:
    """How many events of the stream nobody of the group has taken yet."""
    key = f"{overrides['redis.prefix']}:{{events}}:events"
    with Redis.from_url(str(overrides["redis.url"])) as client:
        groups: Any = client.xinfo_groups(key)
        last = groups[0]["last-delivered-id"].decode()
        return len(client.xrange(key, min=f"({last}"))


async def test_what_a_killed_consumer_had_goes_to_another(
    rememora: Rememora, child: subprocess.Popen[str], overrides: dict[str, object]
) -> None:
    """SIGKILL in the middle of the first: all three are heard elsewhere, in order, and nothing stays taken."""
    ear = Ear()
    before = pending(overrides)
    child.kill()
    await rememora.events.consume("crm", ear, consumer="heir")
    await settled(rememora, lambda: len(ear.heard) == 3)
    await rememora.settle()

    assert 3 == before
    assert (["c1", "c2", "c3"], 0) == (ear.conversations, pending(overrides))


async def test_a_consumer_that_stood_still_is_taken_over_from_and_may_come_back(
    rememora: Rememora, child: subprocess.Popen[str], overrides: dict[str, object]
) -> None:
    """Stopped for longer than it may be silent: another hears all; woken up, it takes what comes next."""
    ear = Ear()
    os.kill(child.pid, signal.SIGSTOP)
    await rememora.events.consume("crm", ear, consumer="heir")
    await settled(rememora, lambda: len(ear.heard) == 3)
    os.kill(child.pid, signal.SIGCONT)
    assert child.stdin is not None
    child.stdin.write("\n" * 10)
    child.stdin.flush()
    await happen(rememora, "c4")
    await settled(rememora, lambda: pending(overrides) == 0 and lag(overrides) == 0)

    assert ["c1", "c2", "c3"] == ear.conversations[:3]


async def test_a_slow_consumer_keeps_what_it_is_at_work_on(
    rememora: Rememora, child: subprocess.Popen[str], overrides: dict[str, object]
) -> None:
    """It takes several times as long as a silent one is given, but it is not silent: nobody robs it."""
    ear = Ear()
    await rememora.events.consume("crm", ear, consumer="heir")
    for _ in range(2):
        await asyncio.sleep(CLAIM_SECONDS)
        await rememora.settle()

    assert ([], 3) == (ear.conversations, pending(overrides))
