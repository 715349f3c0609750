"""A process killed at any point loses nothing it has acknowledged, and doubles nothing when it tries again."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest
from tests.behind import behind
from tests.crash.lives import Lines, Lives
from tests.happening import happen

from rememora import Message, Rememora, Settings
from rememora.domain.message import every_item

CHILD = "doomed"
KILLS = (12, pytest.param(220, marks=pytest.mark.slow))
FRESH_KILLS = (10, pytest.param(25, marks=pytest.mark.slow))
RELAY_KILLS = (10, pytest.param(40, marks=pytest.mark.slow))
"""Kills in a daily run, and in `make soak`."""
BULK = 20


async def conversation(folder: Path, name: str) -> list[Message]:
    """All that is stored of one conversation."""
    settings = Settings.load({"store.url": str(folder)}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation(name)
        return [message async for message in every_item(chat.messages, limit=1000)]


def sound(folder: Path) -> bool:
    """Whether the file itself is whole."""
    return [("ok",)] == behind(folder, "PRAGMA integrity_check")


@pytest.mark.parametrize("kills", KILLS)
async def test_nothing_acknowledged_is_lost(lives: Lives, tmp_path: Path, kills: int) -> None:
    """A writer killed many times at random points: all it acknowledged is there, once, at its place, in order."""
    await kill_the_writer(lives, tmp_path / "store", kills=kills, seed=7)


async def kill_the_writer(lives: Lives, folder: Path, *, kills: int, seed: int) -> None:
    """Kill a writer so many times at points that the seed chooses, and look at all it acknowledged."""
    dice = random.Random(seed)
    tried: set[str] = set()
    acked: dict[str, int] = {}
    again: list[str] = []
    killed_at_work = 0
    for life in range(kills):
        seconds, lines = dice.uniform(0, 0.03), dice.randrange(60)
        reply = lives.live(kind="writer", folder=str(folder), life=life, again=again, seconds=seconds, lines=lines)
        mine = [words[1] for words in reply if words[0] == "try"]
        tried.update(mine)
        acked.update({words[1]: int(words[2]) for words in reply if words[0] == "ack"})
        again = [id for id in mine if id not in acked and "/bulk/" not in id][:8]
        killed_at_work += bool(mine)

    messages = [*await conversation(folder, "c0"), *await conversation(folder, "c1")]
    places = {message.id: message.seq for message in messages}

    assert kills / 2 < killed_at_work
    assert sound(folder)
    assert len(places) == len(messages)
    assert places.keys() <= tried
    assert acked.keys() <= places.keys()
    assert {id: seq for id, seq in acked.items() if seq} == {id: places[id] for id, seq in acked.items() if seq}
    assert all(message.content == message.id for message in messages)
    for name in ("c0", "c1"):
        in_order([message for message in messages if message.conversation == name])


def in_order(messages: list[Message]) -> None:
    """Places have no gap, and each lane of each life stands in the order it was written, bulks unbroken."""
    assert list(range(1, len(messages) + 1)) == [message.seq for message in messages]

    queues: dict[tuple[str, str], list[int]] = defaultdict(list)
    for message in messages:
        _, life, lane, number = message.id.split("/")
        queues[life, lane].append(int(number))

    assert all(sorted(numbers) == numbers for numbers in queues.values())
    assert all(0 == len(numbers) % BULK for (_, lane), numbers in queues.items() if lane == "bulk")


@pytest.mark.parametrize("kills", FRESH_KILLS)
async def test_killed_while_the_store_is_made(lives: Lives, tmp_path: Path, kills: int) -> None:
    """A folder whose first opening was cut short opens as if nothing had been there."""
    dice = random.Random(11)
    for life in range(kills):
        folder = tmp_path / str(life)
        seconds = dice.uniform(0, 0.03)
        lives.live(kind="writer", folder=str(folder), life=life, again=[], seconds=seconds, lines=0)
        messages = await conversation(folder, "c0")

        assert list(range(1, len(messages) + 1)) == [message.seq for message in messages]
        assert sound(folder)


@pytest.mark.parametrize("kills", RELAY_KILLS)
async def test_every_event_is_heard_in_order(lives: Lives, tmp_path: Path, kills: int) -> None:
    """A relay killed before it could record: each event is heard at least once, none before an earlier one."""
    folder, dice = tmp_path / "store", random.Random(13)
    expected = await tell_events(folder)
    heard: Lines = []
    for life in range(kills):
        lines = dice.randrange(1, 20)
        reply = lives.live(kind="listener", folder=str(folder), life=life, done=False, lines=lines)
        heard += [words for words in reply if words[0] == "heard"]
    reply = lives.live(kind="listener", folder=str(folder), life=kills, done=True)
    heard += [words for words in reply if words[0] == "heard"]

    assert ["done", str(kills)] == reply[-1]

    by_life: dict[tuple[str, str], list[int]] = defaultdict(list)
    first: dict[str, list[int]] = defaultdict(list)
    for _, life_name, name, position in heard:
        by_life[life_name, name].append(int(position))
        if int(position) not in first[name]:
            first[name].append(int(position))

    assert expected == first
    assert all(sorted(set(positions)) == positions for positions in by_life.values())
    assert len(heard) > sum(map(len, expected.values()))


async def tell_events(folder: Path) -> dict[str, list[int]]:
    """Three conversations, deleted over and over; returns the positions of their events."""
    settings = Settings.load({"store.url": str(folder)}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        await happen(rememora, *(f"c{number % 3}" for number in range(300)))
        tenant = rememora.tenant("acme", acting="test")
        events = await tenant.events.list(limit=1000)
    positions: dict[str, list[int]] = defaultdict(list)
    for event in events:
        positions[str(event.conversation)].append(event.position)
    return positions
