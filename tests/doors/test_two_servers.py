"""Two servers and two workers on one database, each a process: one history, whoever dies meanwhile."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.doors.process import TENANT, Served, Writer
from tests.engines.postgres import postgres_url

from rememora import Message

CONVERSATIONS = ("c1", "c2")
TURNS = 10
"""In an episode."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server on PostgreSQL that is not started yet."""
    with postgres_url() as url:
        yield Served(tmp_path, url=url)


def acknowledged(writers: list[Writer], least: int) -> None:
    """Wait until every writer has been answered so often."""
    for _ in range(6000):
        if all(len(writer.acknowledged) >= least for writer in writers):
            return
        time.sleep(0.01)
    raise AssertionError([len(writer.acknowledged) for writer in writers])


def wrong(served: Served, writers: dict[str, list[Writer]]) -> Iterator[str]:
    """What is wrong with what is stored, in words."""
    with served.library() as rememora:
        rememora.settle()
        ana, boss = rememora.user("ana", tenant=TENANT), rememora.tenant(TENANT, acting="boss")
        for name, at_work in writers.items():
            stored = ana.conversation(name).messages(limit=1000).items
            if [message.seq for message in stored] != [*range(1, len(stored) + 1)]:
                yield f"{name}: places have gaps or stand twice"
            if any(mine(stored, task) != task.acknowledged for task in at_work):
                yield f"{name}: acknowledged and stored differ"
            cut = sorted(episode.turns for episode in ana.conversations.episodes(conversation=name, limit=1000))
            if cut != [*range(TURNS, len(stored) + 1, TURNS)]:
                yield f"{name}: cut at {cut} of {len(stored)}"
        if not boss.audit.verify().intact:
            yield "the chain is broken"
        events = boss.events.list(limit=1000)
        if [event.position for event in events] != [*range(1, len(events) + 1)]:
            yield "the outbox has gaps"


def mine(stored: Sequence[Message], writer: Writer) -> list[str]:
    """What of one writer is stored, in order; what was written and never answered is not counted."""
    known = set(writer.acknowledged)
    return [message.id for message in stored if message.id in known]


@pytest.mark.parametrize("killed", [pytest.param(False, marks=pytest.mark.slow), True])
def test_two_servers_and_two_workers_share_one_history(served: Served, killed: bool) -> None:
    """Both serve the same conversations and both workers work; one of each may be killed under load."""
    servers = [served, served.beside()]
    for server in servers:
        server.start()
    workers = [served.command("work") for _ in range(2)]
    writers = {
        name: [Writer(item, "ana", f"{name}-{place}", name) for place, item in enumerate(servers)]
        for name in CONVERSATIONS
    }
    everybody = [task for at_work in writers.values() for task in at_work]
    for writer in everybody:
        writer.start()
    acknowledged(everybody, 12)
    if killed:
        servers[1].end(signal.SIGKILL)
        workers[1].kill()
        acknowledged([at_work[0] for at_work in writers.values()], 24)
    for writer in everybody:
        writer.stopped.set()
    for writer in everybody:
        writer.join(60)
    for process in workers:
        process.terminate()
        process.communicate(timeout=60)
    for server in servers[: 1 if killed else 2]:
        server.end(signal.SIGTERM)

    assert [] == [*wrong(served, writers)]
