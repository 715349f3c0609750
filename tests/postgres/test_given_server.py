"""A server that is given to the tests asks for passwords: every role of theirs comes in with one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.engines.postgres import ADMIN, APP, OWNER, Databases, Server

from rememora import Rememora, Settings

PASSWORD = "s3cret p@ss:w/rd%"


@pytest.fixture
def databases() -> Iterator[Databases]:
    """On a server that trusts nobody."""
    server = Server(password=PASSWORD)
    yield Databases(server.url("postgres", ADMIN))
    server.remove()


async def test_every_role_comes_in_with_a_password(databases: Databases, tmp_path: Path) -> None:
    """The store is migrated by its owner and served by the application; without the password nobody is let in."""
    name = databases.take()
    url = databases.url(name)
    loaded = Settings.load({"store.url": url, "store.key_folder": str(tmp_path)}, environ={})
    async with Rememora.open(settings=loaded, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "oi")

        assert ["oi"] == [turn.content for turn in await chat.last_turns()]
    for role in (ADMIN, OWNER, APP):
        with psycopg.connect(databases.url(name, role)) as connection:
            assert (role,) == connection.execute("SELECT session_user::text").fetchone()
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(url.replace(url.partition("://")[2].partition("@")[0], APP))
