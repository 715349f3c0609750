"""After a restore, the record of erasures takes out again what the backup brought back."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.clock import SetClock

from rememora import Rememora, Settings, UserMemory
from rememora.errors import InvalidInput, StoreUnavailable

BEFORE = datetime(2020, 1, 1, tzinfo=UTC)


def settings_of(tmp_path: Path, name: str) -> Settings:
    places = {"store.url": str(tmp_path / name), "knowledge.erasures": str(tmp_path / "erasures.jsonl")}
    return Settings.load({**places, "recall.embedder": "none"}, environ={})


@pytest.fixture
async def rememora(tmp_path: Path, clock: SetClock) -> AsyncIterator[Rememora]:
    """A memory that keeps a record of erasures."""
    async with Rememora.open(settings=settings_of(tmp_path, "store"), clock=clock, background=False) as opened:
        yield opened


async def fill(rememora: Rememora) -> None:
    for tenant, user in (("acme", "ana"), ("acme", "bia"), ("umbrella", "caio")):
        person = rememora.user(user, tenant=tenant)
        await person.remember("user.location", f"casa de {user}")
        await person.remember("people.tom", "vizinho")
        await person.conversation("c1").append("user", f"disse {user} aqui")
        await person.conversation("c2").append("user", f"disse {user} ali")


async def left(rememora: Rememora, tenant: str, user: str) -> tuple[list[str], list[str]]:
    """The keys and the conversations that somebody has."""
    person = rememora.user(user, tenant=tenant)
    memories = await person.memories.list()
    conversations = await person.conversations.list()
    return sorted(memory.key for memory in memories.items), sorted(item.id for item in conversations.items)


async def erase_some(rememora: Rememora) -> None:
    """A memory, a topic and a conversation of one person, all of another, and a whole tenant."""
    ana = rememora.user("ana", tenant="acme")
    (memory,) = [item for item in (await ana.memories.list()).items if item.key == "user.location"]
    await ana.erase(memory=memory.id)
    await ana.erase(topic="people.tom")
    await ana.erase(conversation="c1")
    await rememora.user("bia", tenant="acme").erase(person=True)
    await rememora.operator(acting="eva").tenants.erase("umbrella", confirm="umbrella")


@pytest.mark.embedded
async def test_a_restored_backup_forgets_again(rememora: Rememora, clock: SetClock, tmp_path: Path) -> None:
    """Whatever was erased after the backup is gone from the restored store too, and nothing else is."""
    await fill(rememora)
    shutil.copytree(tmp_path / "store", tmp_path / "backup")
    await erase_some(rememora)
    people = [("acme", "ana"), ("acme", "bia"), ("umbrella", "caio")]
    now = [await left(rememora, *person) for person in people]
    async with Rememora.open(settings=settings_of(tmp_path, "backup"), clock=clock, background=False) as restored:
        brought_back = await left(restored, "acme", "bia")
        operator = restored.operator(acting="eva")
        file = str(tmp_path / "erasures.jsonl")
        done = await operator.replay_erasures(file, since=BEFORE)
        await operator.replay_erasures(file, since=BEFORE)

        assert [] != brought_back[0]
        assert now == [await left(restored, *person) for person in people]
        assert ([], ["c2"]) == now[0]
    assert (5, 5) == (done.lines, done.erased)


async def test_only_what_came_since_is_repeated(
    rememora: Rememora, ana: UserMemory, clock: SetClock, tmp_path: Path
) -> None:
    """An erasure from before the backup is in it already; what was said since then must stay."""
    await ana.remember("user.location", "Recife")
    await ana.erase(person=True)
    await ana.remember("user.location", "Olinda")
    since = clock() + timedelta(seconds=1)
    done = await rememora.operator(acting="eva").replay_erasures(str(tmp_path / "erasures.jsonl"), since=since)

    assert 0 == done.lines
    assert ["user.location"] == (await left(rememora, "acme", "ana"))[0]


async def test_what_cannot_be_noted_is_not_erased(clock: SetClock, tmp_path: Path) -> None:
    """The record is no record if an erasure can slip past it."""
    places = {"store.url": str(tmp_path / "store"), "knowledge.erasures": str(tmp_path / "no" / "file.jsonl")}
    settings = Settings.load({**places, "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        await fill(rememora)
        with pytest.raises(StoreUnavailable):
            await rememora.user("ana", tenant="acme").erase(person=True)

        assert ["people.tom", "user.location"] == (await left(rememora, "acme", "ana"))[0]


async def test_a_damaged_record_is_refused_whole(rememora: Rememora, tmp_path: Path) -> None:
    """The line is named, and nothing is erased by half a record."""
    await fill(rememora)
    await rememora.user("ana", tenant="acme").erase(conversation="c1")
    file = tmp_path / "erasures.jsonl"
    file.write_bytes(file.read_bytes() + b'{"at": "yesterday"}\n')
    with pytest.raises(InvalidInput, match="line 2"):
        await rememora.operator(acting="eva").replay_erasures(str(file), since=BEFORE)
