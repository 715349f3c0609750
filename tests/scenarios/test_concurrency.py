"""Several writers, several processes, one folder: the order inside a conversation is strict all the same."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

import pytest

from rememora import Conversation, Rememora, Settings
from rememora.domain.message import Message, every_item
from rememora.errors import Conflict

CHILD = Path(__file__).parent.parent / "children" / "writers.py"


def start(folder: Path, conversation: str, name: str, *, writers: int, messages: int) -> subprocess.Popen[bytes]:
    """A process that appends."""
    command = [sys.executable, str(CHILD), str(folder), conversation, name, str(writers), str(messages)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)


def finish(*children: subprocess.Popen[bytes]) -> None:
    """Let them begin together once all are ready, and wait for them; each must end well."""
    for child in children:
        assert child.stdout is not None
        child.stdout.readline()
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"go\n")
        child.stdin.flush()
    complaints = [child.communicate(timeout=60)[1].decode() for child in children]

    assert [0] * len(children) == [child.returncode for child in children], complaints


async def whole(folder: Path, conversation: str) -> list[Message]:
    """A conversation from its beginning to its end."""
    async with Rememora.open(str(folder), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation(conversation)
        messages = [message async for message in every_item(chat.messages, limit=1000)]

        assert len(messages) == (await chat.about()).messages

        return messages


async def test_eight_writers_in_two_processes(tmp_path: Path) -> None:
    """Places are 1 to n without a gap, and each writer's messages stand in the order it wrote them."""
    folder = tmp_path / "store"
    finish(*(start(folder, "c1", name, writers=4, messages=100) for name in ("p", "q")))
    messages = await whole(folder, "c1")

    assert list(range(1, 8 * 100 + 1)) == [message.seq for message in messages]

    by_writer: dict[str, list[int]] = defaultdict(list)
    for message in messages:
        writer, _, number = message.content.partition(" ")
        by_writer[writer].append(int(number))

    assert {f"{process}{item}": list(range(100)) for process in "pq" for item in range(4)} == by_writer


@pytest.mark.parametrize("races", [1, pytest.param(5, marks=pytest.mark.slow)])
async def test_the_first_opening_may_be_raced(tmp_path: Path, races: int) -> None:
    """Several processes that find an empty folder make one store together, and none fails."""
    for attempt in range(races):
        folder = tmp_path / str(attempt)
        finish(*(start(folder, "c1", name, writers=1, messages=2) for name in "abcd"))

        assert list(range(1, 9)) == [message.seq for message in await whole(folder, "c1")]


async def test_another_process_reads_what_was_written(tmp_path: Path) -> None:
    """An open store sees at once what another process appended meanwhile."""
    folder = tmp_path / "store"
    async with Rememora.open(str(folder), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "before")
        finish(start(folder, "c1", "p", writers=1, messages=3))
        await chat.append("user", "after")
        turns = await chat.last_turns()

    assert ["before", "p0 0", "p0 1", "p0 2", "after"] == [turn.content for turn in turns]
    assert [1, 2, 3, 4, 5] == [turn.seq for turn in turns]


async def test_a_commit_shared_with_a_failure(tmp_path: Path) -> None:
    """Of many appends that share a commit, those that fail take back only themselves."""
    settings = Settings.load({"store.url": str(tmp_path)}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "taken", id="a")
        answers = await asyncio.gather(
            *(chat.append("user", str(number), id="a" if number % 3 == 0 else None) for number in range(60)),
            return_exceptions=True,
        )
        stored = (await chat.messages(limit=1000)).items

    refused = [number for number, answer in enumerate(answers) if isinstance(answer, Conflict)]
    kept = [answer for answer in answers if isinstance(answer, Message)]

    assert list(range(0, 60, 3)) == refused
    assert list(range(1, 42)) == [message.seq for message in stored]
    assert sorted(kept, key=lambda message: message.seq) == list(stored[1:])


async def test_the_same_id_raced(chat: Conversation) -> None:
    """Many retries of one message at once store it once, and all get the same answer."""
    answers = await asyncio.gather(*(chat.append("user", "oi", id="a") for _ in range(20)))

    assert 1 == len({answer.seq for answer in answers})
    assert 1 == (await chat.about()).messages


async def test_a_caller_that_leaves_harms_nobody(chat: Conversation) -> None:
    """A cancelled append is stored whole or not at all, and the others of its commit are answered."""
    tasks = [asyncio.create_task(chat.append("user", str(number))) for number in range(30)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    stored = (await chat.messages(limit=1000)).items

    assert list(range(1, len(stored) + 1)) == [message.seq for message in stored]
    assert all(isinstance(answer, Message) for answer in answers[1::2])
    assert {str(number) for number in range(1, 30, 2)} <= {message.content for message in stored}


@pytest.mark.embedded
async def test_readers_come_as_they_are_needed(settings: Settings) -> None:
    """However many readings wait, all are answered, by more readers than before, within what settings allow."""

    def readers() -> int:
        return sum(thread.name.startswith("rememora-reader") for thread in threading.enumerate())

    values = {"store.url": settings.store.url, "store.readers": 4, "recall.embedder": "none"}
    by_words = Settings.load(values, environ={})
    async with Rememora.open(settings=by_words, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "oi")
        before = readers()
        # A page of history: a window is read at once, without a reader.
        answers = await asyncio.gather(*(chat.messages() for _ in range(50)))
        most = readers()

    assert [1] * 50 == [len(answer.items) for answer in answers]
    # How many it takes depends on how quickly each is done.
    assert before < most <= by_words.store.readers
    assert 0 == readers()


async def test_what_was_submitted_is_finished_before_closing(settings: Settings) -> None:
    """Close waits for appends that are on their way."""
    rememora = await Rememora.open(settings=settings, background=False)
    chat = rememora.user("ana", tenant="acme").conversation("c1")
    tasks = [asyncio.create_task(chat.append("user", str(number))) for number in range(50)]
    await asyncio.sleep(0)
    await rememora.close()

    assert list(range(1, 51)) == [message.seq for message in await asyncio.gather(*tasks)]
