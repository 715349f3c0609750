"""A process killed while it hands over, works and relays: nothing is lost, and every effect is there once."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path

import pytest
from tests.children.crm import EFFECTS
from tests.crash.lives import Lines, Lives

from rememora import Event, Rememora, Settings, Task
from rememora.domain.message import every_item

CHILD = "crm"
KILLS = (10, pytest.param(200, marks=pytest.mark.slow))
"""Kills in a daily run, and in `make soak`."""
SENT = ["module.task.created", "module.task.completed", "crm.delegation.sent"]
FAILED = ["module.task.created", "module.task.failed", "crm.delegation.failed"]


async def stored(folder: Path) -> tuple[list[Task], list[Event]]:
    """Every task and every event."""
    settings = Settings.load({"store.url": str(folder)}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana, acme = rememora.user("ana", tenant="acme"), rememora.tenant("acme", acting="test")
        tasks = [task async for task in every_item(ana.tasks.list, limit=1000)]
        events: list[Event] = []
        while result := await acme.events.list(after=len(events), limit=1000):
            events += result
    return tasks, events


def consumed(folder: Path, query: str) -> list[tuple[str, str]]:
    """What the consumer has written down."""
    with closing(sqlite3.connect(folder / EFFECTS)) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize("kills", KILLS)
async def test_every_task_ends_once_and_every_effect_is_there_once(
    lives: Lives, tmp_path: Path, kills: int
) -> None:
    """Killed many times at random points between handing over, effect, record and relay."""
    await kill_the_workers(lives, tmp_path / "store", kills=kills, seed=17)


async def kill_the_workers(lives: Lives, folder: Path, *, kills: int, seed: int) -> None:
    """Kill the process that hands over and works so many times, at points that the seed chooses."""
    folder.mkdir(parents=True)
    dice = random.Random(seed)
    reply: Lines = []
    for life in range(kills):
        seconds, lines = dice.uniform(0, 0.05), dice.randrange(1, 16)
        reply += lives.live(folder=str(folder), life=life, done=False, seconds=seconds, lines=lines)
    last = lives.live(folder=str(folder), life=kills, done=True)
    tasks, events = await stored(folder)

    assert ["done", str(kills)] == last[-1]

    nothing_is_lost(reply, tasks, kills=kills)
    each_end_is_told_once(tasks, events)
    each_effect_is_there_once(folder, tasks, events)


def nothing_is_lost(lines: Lines, tasks: list[Task], *, kills: int) -> None:
    """What was acknowledged is there under its id, what was tried is there at most once, and all has ended."""
    tried = {words[1] for words in lines if words[0] == "try"}
    acked = {words[1]: words[2] for words in lines if words[0] == "ack"}
    by_key = {str(task.key): task.id for task in tasks}

    assert len(acked) > kills
    assert len(by_key) == len(tasks)
    assert acked == {key: id for key, id in by_key.items() if key in acked}
    assert by_key.keys() <= tried
    assert {"completed", "failed"} == {task.status for task in tasks}


def each_end_is_told_once(tasks: list[Task], events: list[Event]) -> None:
    """Created, ended and the delegation's end: one of each, in this order, under one correlation."""
    of_task: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        of_task[event.payload["task_id"]].append(event)

    assert {task.id for task in tasks} == of_task.keys()
    for task in tasks:
        assert (SENT if task.status == "completed" else FAILED) == [event.type for event in of_task[task.id]]
        assert {task.correlation} == {event.payload["correlation_id"] for event in of_task[task.id]}


def each_effect_is_there_once(folder: Path, tasks: list[Task], events: list[Event]) -> None:
    """For every task and every event exactly one, though some came more than once: the kills did hit."""
    effects = Counter(consumed(folder, "SELECT consumer, id FROM effects"))
    comings = Counter(consumed(folder, "SELECT consumer, id FROM comings"))
    expected = {*(("task", task.id) for task in tasks), *(("event", event.id) for event in events)}

    assert dict.fromkeys(expected, 1) == effects
    assert effects.keys() == comings.keys()
    assert {"task", "event"} == {consumer for (consumer, _), count in comings.items() if count > 1}
