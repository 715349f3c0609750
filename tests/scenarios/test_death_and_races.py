"""Killed processes and racing ones: nothing acknowledged is lost, nothing is folded or cut twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.models import Chronicler
from tests.scenarios.test_episodes import ends, told
from tests.scenarios.test_summaries import chat_of, say

from rememora import Rememora, Settings

WRITER = Path(__file__).with_name("writer.py")
QUICK = {"summary.threshold": 5, "summary.keep_recent": 3, "summary.max_tokens": 2000}
SIGKILLED = -9


def start(act: str, url: Path, **order: Any) -> subprocess.Popen[str]:
    """A process that does `act` on the store."""
    given = json.dumps({"act": act, "url": str(url), "settings": QUICK, **order})
    return subprocess.Popen([sys.executable, str(WRITER), given], stdout=subprocess.PIPE, text=True)


def after_a_day(url: Path) -> Any:
    """The store, opened when every lease has run out."""
    settings = Settings.load({"store.url": str(url), **QUICK}, environ={})
    late = datetime.now(UTC) + timedelta(days=1)
    return Rememora.open(settings=settings, clock=lambda: late, model=Chronicler(), background=False)


async def test_death_between_model_and_store_folds_nothing_twice(tmp_path: Path) -> None:
    """Killed with the answer in hand, again and again, the fold is done once when somebody lives to do it."""
    settings = Settings.load({"store.url": str(tmp_path), **QUICK}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        await say(chat_of(rememora), 1, 9)
    deaths = []
    for hours in range(1, 4):
        process = start("die", tmp_path, hours=hours)
        process.communicate(timeout=60)
        deaths.append(process.returncode)

    async with after_a_day(tmp_path) as rememora:
        before = await chat_of(rememora).summary()
        await rememora.settle()
        summary = await chat_of(rememora).summary()

    assert [SIGKILLED] * 3 == deaths
    assert before is None
    assert summary is not None
    assert (6, [f"<{number}>" for number in range(1, 7)]) == (summary.covered, summary.text.split())


@pytest.mark.parametrize("lives", [4, pytest.param(10, marks=pytest.mark.slow)])
async def test_killed_anywhere_and_started_again(tmp_path: Path, lives: int) -> None:
    """Killed at random points of append, fold and cut: all that was acknowledged is there, each thing once."""
    chance = random.Random(20260504)
    acknowledged = 0
    for hours in range(lives):
        process = start("write_on", tmp_path, hours=hours)
        assert process.stdout is not None
        acknowledged = int(process.stdout.readline())
        time.sleep(chance.uniform(0.01, 0.15))
        process.kill()
        heard, _ = process.communicate(timeout=60)
        acknowledged = max([acknowledged, *(int(line) for line in heard.split() if heard.endswith("\n"))])

    async with after_a_day(tmp_path) as rememora:
        await rememora.settle()
        chat = chat_of(rememora)
        record, summary = await chat.about(), await chat.summary()
        multiples = list(range(10, record.turns + 1, 10))

        assert acknowledged <= record.turns
        assert summary is not None
        assert [f"<{number}>" for number in range(1, summary.covered + 1)] == summary.text.split()
        assert (summary.covered, summary.covered) == (summary.last_seq, record.folded)
        assert record.turns - summary.covered <= 5
        assert multiples == await ends(chat)
        assert all(episode.summary for episode in await chat.list_episodes(limit=1000))
        assert multiples == [event.payload["turn_count"] for event in await told(rememora)]


async def test_eight_writers_in_two_processes_share_the_episodes(tmp_path: Path) -> None:
    """However they interleave, each multiple has one episode and one event, and each message is folded once."""
    racers = [start("race", tmp_path, writers=4, messages=40) for _ in range(2)]
    for racer in racers:
        racer.communicate(timeout=120)

    async with after_a_day(tmp_path) as rememora:
        await rememora.settle()
        chat = chat_of(rememora)
        summary = await chat.summary()
        episodes = (await chat.list_episodes(limit=1000))[::-1]
        multiples = list(range(10, 321, 10))

        assert [0, 0] == [racer.returncode for racer in racers]
        assert multiples == [episode.turns for episode in episodes]
        assert [(end - 9, end) for end in multiples] == [(item.first_seq, item.last_seq) for item in episodes]
        assert all(episode.summary for episode in episodes)
        assert [episode.id for episode in episodes] == [event.subject for event in await told(rememora)]
        assert summary is not None
        assert summary.covered == summary.last_seq == len(summary.text.split())
        assert 3 <= 320 - summary.covered <= 5
