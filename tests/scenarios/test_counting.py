"""Mentions are counted after the answer, in the worker: each once, whoever dies, races or tries again."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.clock import SetClock
from tests.engines.postgres import postgres_url
from tests.responders import ScriptedResponder

from rememora import Conversation, Rememora, Settings, UserMemory
from rememora.errors import ModelUnavailable

WRITER = Path(__file__).with_name("writer.py")
SAID = "a campanha Girassol vai bem"
FLOWER = "campaign.girassol"
PLAIN = {"recall.embedder": "none"}
SIGKILLED = -9
LIVES = 3
TURNS = 15


@pytest.fixture(params=["folder", pytest.param("postgres", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store of each engine is that several processes share."""
    with postgres_url() if request.param == "postgres" else nullcontext(str(tmp_path)) as url:
        yield url


def start(act: str, url: str, **order: Any) -> subprocess.Popen[str]:
    """A process that does `act` on the store."""
    given = json.dumps({"act": act, "url": url, "settings": PLAIN, **order})
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, str(WRITER), given], stdin=pipe, stdout=pipe, text=True)


def after_a_day(url: str) -> Any:
    """The store, opened when every lease has run out."""
    late = datetime.now(UTC) + timedelta(days=1)
    settings = Settings.load({"store.url": url, **PLAIN}, environ={})
    return Rememora.open(settings=settings, clock=lambda: late, background=False)


def chat_of(rememora: Rememora) -> Conversation:
    return rememora.user("ana", tenant="acme").conversation("c1")


async def mentions(rememora: Rememora) -> int:
    """How often the campaign was counted, once nothing is left to be done."""
    await rememora.settle()
    entities = await rememora.user("ana", tenant="acme").entities.list(limit=50)
    return next((entity.mentions for entity in entities if entity.key == FLOWER), 0)


async def test_counting_waits_for_the_worker(rememora: Rememora, ana: UserMemory) -> None:
    """The turn itself counts nothing; what waits is counted by whoever works next, and only once."""
    await chat_of(rememora).reply(SAID)
    at_once = await ana.entities.list()
    counts = [await mentions(rememora) for _ in range(2)]
    about = await chat_of(rememora).about()

    assert ([], [1, 1]) == (at_once, counts)
    assert 2 == about.counted == about.messages


async def test_death_between_model_and_store_counts_nothing_twice(place: str) -> None:
    """Killed with the answer in hand, again and again, it is counted once when somebody lives to do it."""
    settings = Settings.load({"store.url": place, **PLAIN}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        await chat_of(rememora).reply(SAID)
    deaths = []
    for hours in range(1, 4):
        process = start("die", place, hours=hours)
        process.communicate(timeout=60)
        deaths.append(process.returncode)

    async with after_a_day(place) as rememora:
        before = await rememora.user("ana", tenant="acme").entities.list()

        assert [SIGKILLED] * 3 == deaths
        assert ([], 1) == (before, await mentions(rememora))


async def test_killed_anywhere_each_answer_is_counted_once(place: str) -> None:
    """Killed at random points of turns and counting: as many mentions as there are answers."""
    chance = random.Random(20260504)
    lives = 2 if "://" in place else LIVES
    for hours in range(lives):
        process = start("talk_on", place, hours=hours)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0.01, 0.12))
        process.kill()
        process.communicate(timeout=60)

    async with after_a_day(place) as rememora:
        counted = await mentions(rememora)
        stored = (await chat_of(rememora).messages(limit=1000)).items

        assert counted == sum(message.role == "assistant" for message in stored) >= lives


async def test_two_workers_share_what_waits(place: str) -> None:
    """Two processes that begin at once on one backlog count each answer once between them."""
    settings = Settings.load({"store.url": place, "store.synchronous": "normal", **PLAIN}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        for number in range(TURNS):
            await asyncio.gather(
                *(
                    rememora.user("ana", tenant="acme").conversation(f"c{item}").reply(SAID, key=f"k{number}")
                    for item in range(4)
                )
            )
    workers = [start("settle", place, hours=1) for _ in range(2)]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        worker.communicate(timeout=120)

    async with after_a_day(place) as rememora:
        assert [0, 0] == [worker.returncode for worker in workers]
        assert 4 * TURNS == await mentions(rememora)


async def test_a_question_asked_again_after_a_partial_answer_is_counted_once(
    settings: Settings, clock: SetClock
) -> None:
    """The second answer to a question is read for itself: the question was counted with the first."""
    responder = ScriptedResponder(("Era uma ",), fault=ModelUnavailable())
    async with Rememora.open(settings=settings, clock=clock, responder=responder, background=False) as rememora:
        with pytest.raises(ModelUnavailable):
            _ = [piece async for piece in chat_of(rememora).stream(SAID, key="k1")]
        responder.pieces, responder.fault = ("A campanha Girassol vai bem.",), None
        first = await mentions(rememora)
        await chat_of(rememora).reply(SAID, key="k1")

        assert (1, 2) == (first, await mentions(rememora))


async def test_turns_that_interleave_are_each_counted(settings: Settings, clock: SetClock) -> None:
    """A question that stands before the answer to another one is counted with its own answer."""
    responder = ScriptedResponder(("Sim", "."))
    async with Rememora.open(settings=settings, clock=clock, responder=responder, background=False) as rememora:
        responder.going.clear()
        late = asyncio.create_task(chat_of(rememora).reply(SAID, key="late"))
        while not responder.prompts:
            await asyncio.sleep(0)
        responder.pieces = ("Sim.",)
        await chat_of(rememora).reply(SAID, key="soon")
        async with Rememora.open(settings=settings, clock=clock, background=False) as worker:
            first = await mentions(worker)
        responder.going.set()
        await late

        assert (1, 2) == (first, await mentions(rememora))


async def test_a_conversation_deleted_meanwhile_leaves_nothing(rememora: Rememora) -> None:
    """What is gone before it was counted is never counted."""
    await chat_of(rememora).reply(SAID)
    await chat_of(rememora).delete()

    assert 0 == await mentions(rememora)


async def test_the_layer_switched_off_counts_nothing(settings: Settings, clock: SetClock) -> None:
    """And what was said meanwhile is not counted when it is switched on again."""
    off = Settings.load({"store.url": settings.store.url, "layers.entity_memory": False}, environ={})
    async with Rememora.open(settings=off, clock=clock, background=False) as rememora:
        await chat_of(rememora).reply(SAID)
        without = await mentions(rememora)
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await chat_of(rememora).reply(SAID)

        assert (0, 1) == (without, await mentions(rememora))


async def test_an_export_is_not_counted_again_where_it_is_brought_in(rememora: Rememora, tmp_path: Path) -> None:
    """The counts come with it."""
    for number in range(3):
        await chat_of(rememora).reply(SAID, key=f"k{number}")
    await rememora.settle()
    document = await rememora.user("ana", tenant="acme").archive.export()
    async with Rememora.open(str(tmp_path / "other"), background=False) as elsewhere:
        await elsewhere.user("ana", tenant="acme").archive.load(document)

        assert 3 == await mentions(elsewhere)
