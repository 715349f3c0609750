"""The server dies under load: nothing acknowledged is lost, nothing is done twice, and work goes on by itself."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engines.postgres import ADMIN, Databases, Server
from tests.postgres.history import Noted, begin, check, settled

from rememora import Rememora, Settings


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that keeps what it acknowledges, at the price of waiting for its disk."""
    result = Server(safe=True)
    yield result
    result.remove()


@pytest.fixture(scope="module")
def databases(server: Server) -> Databases:
    return Databases(server.url("postgres", ADMIN))


def settings_of(server: Server, name: str, folder: Path) -> Settings:
    overrides = {"store.url": server.url(name), "store.key_folder": str(folder), "store.connect_seconds": 2}
    return Settings.load({**overrides, "recall.embedder": "none"}, environ={})


async def killed(server: Server, name: str, folder: Path, *, kills: int, seed: int = 3) -> Noted:
    """A load, during which the server is killed again and again."""
    noted = Noted()
    chance = random.Random(seed)
    async with Rememora.open(settings=settings_of(server, name, folder)) as rememora:
        writers = begin(rememora, noted)
        for _ in range(kills):
            before = noted.acknowledged
            while noted.acknowledged < before + 20:
                await asyncio.sleep(0.01)
            await asyncio.sleep(chance.uniform(0, 0.1))
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.engine.start)
        before = noted.acknowledged
        while noted.acknowledged < before + 20:
            await asyncio.sleep(0.01)
        noted.stop = True
        await asyncio.gather(*writers)
        await settled(rememora)

        assert [] == await check(rememora, noted)
    return noted


async def test_the_server_is_killed_three_times(server: Server, databases: Databases, tmp_path: Path) -> None:
    """Every acknowledged message is there once, at its place; the chain of changes holds."""
    noted = await killed(server, databases.take(), tmp_path, kills=3)

    assert noted.acknowledged >= 80
    assert noted.doubtful


@pytest.mark.slow
async def test_the_server_is_killed_twenty_five_times(
    server: Server, databases: Databases, tmp_path: Path
) -> None:
    """The same, over and over."""
    assert (await killed(server, databases.take(), tmp_path, kills=25)).acknowledged >= 500


async def test_a_store_that_is_away_is_said_to_be(server: Server, databases: Databases, tmp_path: Path) -> None:
    """While the server is down every act fails in words, and soon; afterwards the same process goes on."""
    name = databases.take()
    async with Rememora.open(settings=settings_of(server, name, tmp_path), background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "oi")
        server.kill()
        acts = [chat.append("user", "olá"), chat.messages(), chat.append("user", "alô")]
        result = await asyncio.gather(*acts, return_exceptions=True)
        server.engine.start()
        await settled(rememora)

        assert ["StoreUnavailable"] * 3 == [type(item).__name__ for item in result]
        assert 2 == (await chat.append("user", "e aí")).seq
