"""Two server processes and two workers on one database: one history, and every event once in its order."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.postgres.conftest import Place
from tests.postgres.history import TENANTS, Noted, begin, check, write

from rememora import Event, Rememora

CHILD = Path(__file__).parent.parent / "children" / "writers.py"
WANTED = {"episodes.threshold": 10, "recall.embedder": "none"}


async def test_two_hosts_share_one_history(place: Place) -> None:
    """Both write and both work: no place is taken twice, each episode is cut once, each event told in order."""
    events: list[Event] = []
    one, two = Noted(), Noted()
    expected = place.settings(WANTED)
    async with Rememora.open(settings=expected) as first, Rememora.open(settings=expected) as second:
        for host in (first, second):
            await host.events.subscribe("both", events.append, from_start=True)
        writers = [*begin(first, one), *begin_others(second, two)]
        while min(one.acknowledged, two.acknowledged) < 60:
            await asyncio.sleep(0.02)
        one.stop = two.stop = True
        await asyncio.gather(*writers)
        await first.settle()
        await second.settle()
        wrong = [*await check(first, one), *await check(second, two)]
        cut = await episodes(first)

    seen = Counter(event.id for event in events)
    assert [] == wrong
    assert cut == {name: [*range(10, count + 1, 10)] for name, count in counts(one, two).items()}
    assert {1} == set(seen.values())
    for tenant in ("acme", "other"):
        places = [event.position for event in events if event.tenant == tenant]
        assert places == sorted(places)


def begin_others(rememora: Rememora, noted: Noted) -> list[asyncio.Task[None]]:
    """The second host's people write in conversations of their own name."""
    return [asyncio.create_task(write(rememora, noted, tenant, "c3")) for tenant in TENANTS]


def counts(*noted: Noted) -> dict[tuple[str, str], int]:
    return {name: len(kept) for item in noted for name, kept in item.kept.items()}


async def episodes(rememora: Rememora) -> dict[tuple[str, str], list[int]]:
    """The turns at which each conversation was cut."""
    result = {}
    for tenant in ("acme", "other"):
        ana = rememora.user("ana", tenant=tenant)
        for name in ("c1", "c2", "c3"):
            cut = await ana.conversations.episodes(conversation=name, limit=1000)
            result[tenant, name] = sorted(item.turns for item in cut)
    return result


@pytest.mark.slow
async def test_processes_write_one_conversation(place: Place) -> None:
    """Four writers in each of two processes: every message is there, in the order of each writer."""
    children = [
        await asyncio.create_subprocess_exec(
            *command(place, name), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=place.folder
        )
        for name in "ab"
    ]
    for child in children:
        assert child.stdout is not None
        assert b"ready\n" == await child.stdout.readline()
    await asyncio.gather(*(child.communicate(b"\n") for child in children))
    async with Rememora.open(settings=place.settings(WANTED), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        stored = (await chat.messages(limit=1000)).items

    assert [0, 0] == [child.returncode for child in children]
    assert [*range(1, 161)] == [message.seq for message in stored]
    for writer in (f"{name}{number}" for name in "ab" for number in range(4)):
        mine = [message.content for message in stored if message.content.startswith(f"{writer} ")]
        assert [f"{writer} {number}" for number in range(20)] == mine


def command(place: Place, name: str) -> list[str]:
    return [sys.executable, str(CHILD), place.app, "c1", name, "4", "20"]
