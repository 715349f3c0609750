"""A tenant erased whole: no row, no byte, no way in, a receipt; and others as they were."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from redis import Redis
from tests.delegating import delegated
from tests.engines.redis import fresh_redis, shared_redis

from rememora import Rememora, Settings, UserMemory
from rememora.adapters.sql.tenancy import EVERY_TABLE
from rememora.domain.rights import ADMIN
from rememora.errors import InvalidInput, KeyRejected, NotFound

SECRET = "canario-7f3a9"


async def furnish(rememora: Rememora, tenant: str) -> str:
    """One of much for a tenant; returns a key to it."""
    await rememora.operator(acting="root").tenants.create(tenant)
    ana = rememora.user("ana", tenant=tenant)
    await ana.conversation("c1").append("user", f"o segredo é {SECRET} de {tenant}")
    await ana.remember("user.name", f"Ana {SECRET}")
    await ana.gate.note(f"talvez eu prefira {SECRET} nas respostas, não sei")
    await ana.entities.mention("metric", SECRET, "1")
    await ana.missions.create(SECRET)
    issued = await rememora.tenant(tenant, acting="root").access.issue_key("user", user="ana")
    return issued.secret


def rows(settings: Settings, tenant: str) -> dict[str, int]:
    """How many rows of a tenant each table has, straight from the file."""
    connection = sqlite3.connect(Path(settings.store.url) / "rememora.db")
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    result: dict[str, int] = {}
    for table in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        if "tenant_id" in columns:
            sql = f"SELECT COUNT(*) FROM {table} WHERE tenant_id = ?"
            result[table] = connection.execute(sql, (tenant,)).fetchone()[0]
    connection.close()
    return result


@pytest.mark.embedded
async def test_nothing_of_it_is_left(rememora: Rememora, ana: UserMemory, settings: Settings) -> None:
    """Every table is without it, the counts say how much it was, its key opens nothing, recall finds nothing."""
    key = await furnish(rememora, "acme")
    await delegated(rememora)
    await rememora.settle()

    assert await ana.recall("segredo")
    before = rows(settings, "acme")
    receipt = await rememora.operator(acting="root").tenants.erase("acme", confirm="acme", why="contract ended")

    assert set() == {table for table, count in rows(settings, "acme").items() if count}
    assert {table: count for table, count in before.items() if count} == receipt.counts
    assert [] == await ana.recall("segredo")
    with pytest.raises(KeyRejected):
        await rememora.credentials.admit(key)
    with pytest.raises(NotFound):
        await rememora.operator(acting="root").tenants.get("acme")


@pytest.mark.embedded
async def test_every_table_that_knows_tenants_is_emptied(rememora: Rememora, settings: Settings) -> None:
    """A table added without a query that erases a tenant from it fails this test."""
    await furnish(rememora, "acme")

    assert rows(settings, "acme").keys() == {item.removeprefix("erase_tenant_") for item in EVERY_TABLE}


@pytest.mark.embedded
async def test_no_byte_of_it_is_in_the_files(rememora: Rememora, settings: Settings) -> None:
    """What only this tenant said is nowhere in the folder."""
    await furnish(rememora, "acme")
    await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")
    held = [file for file in Path(settings.store.url).iterdir() if SECRET.encode() in file.read_bytes()]

    assert [] == held


@pytest.mark.embedded
async def test_others_stay_as_they_were(rememora: Rememora, settings: Settings) -> None:
    """A tenant whose name looks alike keeps every row and its key."""
    await furnish(rememora, "acme")
    key = await furnish(rememora, "acme2")
    before = rows(settings, "acme2")
    await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")

    assert before == rows(settings, "acme2")
    assert "acme2" == (await rememora.credentials.admit(key)).tenant


async def test_it_is_on_record_and_the_receipt_is_genuine(rememora: Rememora) -> None:
    """The operators' own chain says who and why, holds, and the receipt checks out."""
    await furnish(rememora, "acme")
    receipt = await rememora.operator(acting="root").tenants.erase("acme", confirm="acme", why="contract ended")
    report = await rememora.tenant("acme", acting="root").audit.verify_receipt(receipt)
    chain = await rememora.tenant("*", acting="root").audit.list()

    assert (True, True) == (report.genuine, report.clean)
    assert [("root", "erase", "contract ended")] == [(item.actor, item.action, item.why) for item in chain]
    assert all(item.intact for item in await rememora.health.verify_audit(acting="root"))


async def test_nothing_of_it_is_left_in_redis(tmp_path: Path) -> None:
    """Its missions and the hot copies of its conversations go at once; those of another tenant stay."""
    redis = {**fresh_redis(), "missions.url": shared_redis(), "recall.embedder": "none"}
    overrides = {"store.url": str(tmp_path / "store"), **redis, "redis.timeout_ms": 20_000}
    settings = Settings.load(overrides, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        for tenant in ("acme", "zeta"):
            await furnish(rememora, tenant)
            await rememora.user("ana", tenant=tenant).conversation("c1").last_turns()
        with Redis.from_url(shared_redis()) as client:
            before = {key.decode() for key in client.scan_iter(f"{redis['redis.prefix']}:*ana*")}
            receipt = await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")
            after = {key.decode() for key in client.scan_iter(f"{redis['redis.prefix']}:*ana*")}

    assert (1, 1) == (receipt.counts["missions"], receipt.counts["hot_windows"])
    assert {key for key in before if "acme" not in key} == {key for key in after if "acme" not in key} != set()
    assert {"gone"} == {key.split(":")[-2] for key in after if "acme" in key}


async def test_it_is_asked_twice(rememora: Rememora) -> None:
    """Without the id typed again nothing happens; a tenant that is not there is not found."""
    await furnish(rememora, "acme")
    operator = rememora.operator(acting="root")
    with pytest.raises(InvalidInput, match="confirm"):
        await operator.tenants.erase("acme", confirm="ACME")
    with pytest.raises(NotFound):
        await operator.tenants.erase("zeta", confirm="zeta")

    assert await rememora.user("ana", tenant="acme").recall("segredo")


async def test_a_tenant_of_the_same_name_begins_anew(rememora: Rememora, ana: UserMemory) -> None:
    """What is remembered under the name afterwards is found, and only that."""
    await furnish(rememora, "acme")
    await ana.recall("segredo")
    await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")

    assert [] == await ana.recall("segredo")
    await ana.conversation("c1").append("user", "um segredo novo")

    assert ["um segredo novo"] == [hit.content for hit in await ana.recall("segredo")]


async def test_no_other_process_brings_it_back(rememora: Rememora, settings: Settings) -> None:
    """Who had it in memory shows nothing of it, however much is said under the same names afterwards."""
    async with Rememora.open(settings=settings, background=False) as other:
        admin = rememora.user("root", tenant="acme", rights=ADMIN)
        await furnish(rememora, "acme")
        await admin.remember("tenant.name", f"Casa {SECRET}", scope="tenant_shared")
        warm = [other.user(name, tenant="acme") for name in ("ana", "bia")]
        before = [len(await item.recall(SECRET)) for item in warm]
        await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")
        await rememora.operator(acting="root").tenants.create("acme")
        for place in range(9):
            await rememora.user("ana", tenant="acme").conversation("c9").append("user", f"nova {place}")
            await admin.remember("tenant.name", f"Casa nova {place}", scope="tenant_shared")
        contents = [[hit.content for hit in await item.recall(SECRET)] for item in warm]
        news = [len(await item.recall("nova")) for item in warm]

    assert [True, True] == [count > 0 for count in before]
    assert [] == [text for texts in contents for text in texts if SECRET in text]
    assert [True, True] == [count > 0 for count in news]
