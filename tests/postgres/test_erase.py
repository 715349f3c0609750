"""Erasing on a server: out of every row, out of the tables' files, and an honest word about the rest.

Before version 17 no role but the owner may vacuum: the receipt says so, and the owner's `VACUUM FULL` ends it.
"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from tests.engines.postgres import ADMIN, APP, OWNER, Databases, Server
from tests.scenarios.test_erase import CANARY, known

from rememora import OPERATOR, Rememora, Settings
from rememora.adapters.sql.postgres import residue
from rememora.adapters.sql.postgres.connections import Connections
from rememora.adapters.sql.postgres.residue import LOG, SEEN
from rememora.testing import WordEmbedder

MAINTAIN = 17
"""Since when a role may be given the right to vacuum."""


@pytest.fixture(scope="module")
def own_server() -> tuple[Server, Databases]:
    """A server whose files the test may read."""
    server = Server()
    return server, Databases(server.url("postgres", ADMIN))


@pytest.fixture
def server(own_server: tuple[Server, Databases]) -> Server:
    """The server itself."""
    return own_server[0]


@pytest.fixture
def url(own_server: tuple[Server, Databases]) -> str:
    """A database on it."""
    return own_server[1].url(own_server[1].take(), APP)


def settings_of(url: str, folder: Path, rewrite_mb: int = 64) -> Settings:
    overrides = {"store.url": url, "store.key_folder": str(folder), "store.rewrite_mb": rewrite_mb}
    return Settings.load(overrides, environ={})


def finish(server: Server, url: str) -> bool:
    """What the owner has to do, if anything; says whether it was."""
    if server.major >= MAINTAIN:
        return False
    with psycopg.connect(url.replace(APP, OWNER), autocommit=True) as connection:
        connection.execute("VACUUM FULL")
    return True


def holding(server: Server, part: str, word: str = CANARY) -> int:
    """How often a word stands in the files of one part of the server."""
    with psycopg.connect(server.url("postgres", ADMIN), autocommit=True) as connection:
        connection.execute("CHECKPOINT")
    files = (file for file in (server.cluster / part).rglob("*") if file.is_file())
    return sum(file.read_bytes().count(word.encode()) for file in files)


@pytest.mark.parametrize("rewrite_mb", [64, 0])
async def test_the_receipt_tells_where_bytes_remain(
    server: Server, url: str, tmp_path: Path, rewrite_mb: int
) -> None:
    """Tables written anew hold nothing of it; where they are only vacuumed the receipt says so, and of the log."""
    async with Rememora.open(
        settings=settings_of(url, tmp_path, rewrite_mb), embedder=WordEmbedder(), background=False
    ) as rememora:
        await known(rememora, "bia", "outrapessoa")
        await known(rememora, "ana", CANARY)
        await rememora.settle()
        receipt = await rememora.user("ana", tenant="acme").erase(person=True)
        report = await rememora.tenant("acme", acting="boss", rights=OPERATOR).audit.verify_receipt(
            receipt, suspects=[CANARY]
        )

        assert (True, True) == (report.genuine, report.clean)
        assert LOG == receipt.remains[-1]
        rewritten = rewrite_mb > 0 and server.major >= MAINTAIN
        assert rewritten == (1 == len(receipt.remains))
        assert rewritten == (holding(server, "base") == 0)
        assert holding(server, "pg_wal") > 0
    if finish(server, url):
        assert "the owner's VACUUM FULL" in receipt.remains[0]
        assert 0 == holding(server, "base")


async def test_after_the_log_is_recycled_nothing_is_left(server: Server, url: str, tmp_path: Path) -> None:
    """The window that the receipt speaks of closes."""
    with psycopg.connect(server.url("postgres", ADMIN), autocommit=True) as connection:
        async with Rememora.open(settings=settings_of(url, tmp_path), background=False) as rememora:
            await rememora.user("ana", tenant="acme").remember("user.name", "Zyxwvut Silva")
            await rememora.user("ana", tenant="acme").erase(person=True)
        finish(server, url)
        for _ in range(4):
            connection.execute("SELECT pg_switch_wal()")
            connection.execute("CREATE TABLE IF NOT EXISTS ticks (at int)")
            connection.execute("INSERT INTO ticks VALUES (1)")
            connection.execute("CHECKPOINT")
    files = [file for file in server.cluster.rglob("*") if file.is_file() and "pg_stat" not in file.parts]

    assert [] == [file.name for file in files if b"Zyxwvut" in file.read_bytes()]


async def test_what_comes_back_is_found(url: str, tmp_path: Path) -> None:
    """A check looks through the rows of the tenant, and says in which table it found each word first."""
    async with Rememora.open(settings=settings_of(url, tmp_path), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.name", f"{CANARY} Silva")
        receipt = await ana.erase(person=True)
        await rememora.user("ana", tenant="other").remember("user.name", f"{CANARY} Silva")
        tenant = rememora.tenant("acme", acting="boss")
        clean = await tenant.audit.verify_receipt(receipt)
        await ana.remember("user.name", f"{CANARY} Silva")
        again = await tenant.audit.verify_receipt(receipt)

    assert (True, False) == (clean.clean, again.clean)
    assert {"audit"} == {residue.file for residue in again.residues}


async def test_a_table_in_use_is_not_waited_for(
    server: Server, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody reads the messages meanwhile: nobody waits, and the receipt says where bytes may remain."""
    monkeypatch.setattr(residue, "PAUSE_SECONDS", 0.005)
    async with Rememora.open(settings=settings_of(url, tmp_path), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append("user", "Rosamunda disse oi")
        with psycopg.connect(url) as reader:
            reader.execute("SELECT count(*) FROM messages")
            receipt = await ana.erase(person=True)
        again = await ana.erase(person=True)

    items = [item for item in receipt.remains if "VACUUM FULL:" in item]
    named = {name.strip()[:-1] for name in items[0].partition(":")[2].split(",")}
    assert 1 == len(items)
    assert "messages_p" in named
    assert (server.major >= MAINTAIN) == (len(named) == 1) == ((LOG,) == again.remains)


@pytest.mark.parametrize("who", [APP, ADMIN])
async def test_a_transaction_that_still_sees_it_is_told_of(
    own_server: tuple[Server, Databases], tmp_path: Path, who: str
) -> None:
    """No vacuum takes out what an older transaction may see, whosever it is: the receipt does not call it gone."""
    server, databases = own_server
    name, word = databases.take(), f"Rosalba_{who}"
    async with Rememora.open(settings=settings_of(databases.url(name), tmp_path), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append("user", f"{word} disse oi")
        with psycopg.connect(databases.url(name, who)) as reader:
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT 1")
            held = await ana.erase(person=True)
            left = holding(server, "base", word)
        ended = await ana.erase(person=True)
    owed = 1 if finish(server, databases.url(name)) else 0

    assert left > 0
    assert (SEEN, LOG) == held.remains[owed:]
    assert (LOG,) == ended.remains[owed:]
    assert 0 == holding(server, "base", word)


async def test_a_table_that_cannot_be_cleaned_costs_no_receipt(
    own_server: tuple[Server, Databases], tmp_path: Path
) -> None:
    """Somebody vacuums, and the role may not wait: the rows are gone, and the receipt says what was not done."""
    server, databases = own_server
    name = databases.create(databases.template)
    with psycopg.connect(databases.url(name, ADMIN), autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {APP} IN DATABASE {name} SET lock_timeout = '50ms'".encode())
    settings = settings_of(databases.url(name), tmp_path, rewrite_mb=0)
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append("user", "Rosamunda disse oi")
        with psycopg.connect(databases.url(name, ADMIN)) as other:
            other.execute("LOCK TABLE messages IN SHARE UPDATE EXCLUSIVE MODE")
            receipt = await ana.erase(person=True)
        report = await rememora.tenant("acme", acting="boss").audit.verify_receipt(receipt)

    failed = "goes through to its end: the store does not answer: canceling statement due to lock timeout"
    assert (True, True, 1) == (report.genuine, report.clean, receipt.counts["messages"])
    assert (server.major >= MAINTAIN) == (1 == len(receipt.remains)) == (failed in receipt.remains[0])


async def test_maintenance_takes_as_long_as_it_takes(own_server: tuple[Server, Databases]) -> None:
    """A limit that was set for the role is for what it asks, not for a vacuum."""
    name = own_server[1].create(own_server[1].template)
    with psycopg.connect(own_server[1].url(name, ADMIN), autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {APP} IN DATABASE {name} SET statement_timeout = '10min'".encode())
    settings = Settings.load({"store.url": own_server[1].url(name)}, environ={}).store
    connections = Connections(settings.url, settings, name="primary")
    connections.open(settings.url)
    with connections.apart() as connection:
        limit = connection.execute("SHOW statement_timeout").fetchone()
    connections.close()

    assert ("0",) == limit
