"""Behind PgBouncer in transaction mode: every transaction may have another session, and no tenant leaks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import psycopg
import pytest
from tests.engines.pgbouncer import Bouncer
from tests.engines.postgres import APP
from tests.postgres.conftest import Place

from rememora import Rememora, Settings
from rememora.adapters.sql.postgres.database import PostgresDatabase
from rememora.adapters.sql.transaction import Transaction

TENANTS = [f"t{number}" for number in range(12)]


@pytest.fixture
def bouncer(place: Place) -> Iterator[Bouncer]:
    """Three sessions for everybody."""
    result = Bouncer(place.app)
    yield result
    result.remove()


def settings_of(place: Place, bouncer: Bouncer, **overrides: object) -> Settings:
    shared = {"store.url": bouncer.url(place.app), "recall.embedder": "none"}
    return place.settings({**shared, **{f"store.{name}": value for name, value in overrides.items()}})


async def test_tenants_stay_apart_on_shared_sessions(place: Place, bouncer: Bouncer) -> None:
    """Twelve tenants through three sessions: each reads back its own, and prepared statements are left alone."""
    async with Rememora.open(settings=settings_of(place, bouncer, connections=12), background=False) as rememora:

        async def live(tenant: str) -> list[str]:
            ana = rememora.user("ana", tenant=tenant)
            for number in range(8):
                await ana.conversation("c1").append("user", f"{tenant} {number}")
            await ana.remember("user.name", f"Ana de {tenant}")
            contents = [message.content for message in (await ana.conversation("c1").messages()).items]
            return [*contents, (await ana.memories.get("user.name")).value]

        lives = await asyncio.gather(*(live(tenant) for tenant in TENANTS))
        await rememora.settle()

    assert lives == [[*(f"{tenant} {number}" for number in range(8)), f"Ana de {tenant}"] for tenant in TENANTS]


async def test_a_session_carries_nothing_over(place: Place, bouncer: Bouncer) -> None:
    """After a tenant's and an operator's transaction a session is nobody's again."""
    database = PostgresDatabase(settings_of(place, bouncer).store)
    await database.open()

    def write(transaction: Transaction) -> None:
        transaction.one("next_position", {"tenant": "acme", "at": 0, "places": 1})

    for _ in range(20):
        await database.write("acme", write)
        await database.read(None, lambda tx: tx.all("audit_tenants", {}))
    await database.close()
    text = "SELECT current_user, coalesce(current_setting('rememora.tenant', true), '')"
    seen = set()
    for _ in range(9):
        with psycopg.connect(bouncer.url(place.app), autocommit=True, prepare_threshold=None) as connection:
            seen.add(connection.execute(text).fetchone())

    assert {(APP, "")} == seen


async def test_a_direct_url_hears_what_a_pooler_would_lose(place: Place, bouncer: Bouncer) -> None:
    """LISTEN needs a session that stays: `store.listen_url` goes around the pooler."""
    heard = asyncio.Event()
    listening = PostgresDatabase(settings_of(place, bouncer, listen_url=place.app).store)
    writing = PostgresDatabase(settings_of(place, bouncer).store)
    for item in (listening, writing):
        await item.open()
    listening.listen(heard.set)
    writing.listen(lambda: None)
    await heard.wait()
    heard.clear()

    def write(transaction: Transaction) -> None:
        transaction.one("next_position", {"tenant": "acme", "at": 0, "places": 1})

    await writing.write("acme", write)
    await asyncio.wait_for(heard.wait(), 20)
    for item in (listening, writing):
        await item.close()
