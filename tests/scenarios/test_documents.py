"""Documents that frameworks keep beside a person's memory: written over a version, and no knowledge."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from tests.clock import SetClock

from rememora import OPERATOR, Rememora, Settings, SyncRememora, UserMemory
from rememora.documents import BATCH
from rememora.errors import ChangedMeanwhile, InvalidInput


async def test_writers_on_one_version_do_not_overwrite_each_other(rememora: Rememora) -> None:
    """Of many who write over what they read, one succeeds each time and the others are told."""
    notes = rememora.user("ana", tenant="acme").documents("notes")
    await notes.put("count", {"n": 0})
    writers, lost = 12, 0
    all_have_read = asyncio.Barrier(writers)

    async def add_one() -> None:
        nonlocal lost
        first = True
        while True:
            seen = await notes.get("count")
            assert seen is not None
            if first:
                # Without it a quick machine lets each writer finish before the next one reads.
                await all_have_read.wait()
                first = False
            try:
                await notes.put("count", {"n": seen.value["n"] + 1}, over=seen.version)
            except ChangedMeanwhile:
                lost += 1
            else:
                return

    await asyncio.gather(*(add_one() for _ in range(writers)))
    value = await notes.get("count")

    assert value is not None
    assert ({"n": writers}, writers + 1) == (value.value, value.version)
    assert lost >= writers - 1


async def test_a_version_is_a_condition(rememora: Rememora) -> None:
    """0 is for what is not there; what fails changes nothing."""
    notes = rememora.user("ana", tenant="acme").documents("notes")
    first = await notes.put("k", {"n": 1}, over=0)
    for over in (0, 2):
        with pytest.raises(ChangedMeanwhile):
            await notes.put("k", {"n": 9}, over=over)
        with pytest.raises(ChangedMeanwhile):
            await notes.delete("k", over=over)

    assert first == await notes.get("k")
    assert await notes.delete("k", over=1)
    assert not await notes.delete("k")
    assert await notes.get("k") is None


async def test_what_has_expired_is_not_read(rememora: Rememora, clock: SetClock) -> None:
    """Unless asked for; it lives on when prolonged, and `expire` removes it for good."""
    notes = rememora.user("ana", tenant="acme").documents("notes")
    await notes.put("short", {}, ttl=timedelta(minutes=1))
    await notes.put("prolonged", {}, ttl=timedelta(minutes=1))
    await notes.put("ever", {})
    await notes.prolong("prolonged", timedelta(hours=1))
    clock.advance(60)

    assert ["ever", "prolonged"] == [item.key for item in await notes.all()]
    assert await notes.get("short") is None
    assert await notes.get("short", expired=True) is not None
    assert 1 == await notes.expire()
    assert ["ever", "prolonged"] == [item.key for item in await notes.all(expired=True)]


async def test_what_has_expired_goes_without_being_read(rememora: Rememora, clock: SetClock) -> None:
    """The worker removes it for everybody, of every space, and nothing whose time is yet to come."""
    whose = [("ana", "acme", "notes"), ("bia", "acme", "langgraph"), ("ana", "globex", "notes")]
    held = [rememora.user(user, tenant=tenant).documents(space) for user, tenant, space in whose]
    for item in held:
        await item.put("short", {}, ttl=timedelta(minutes=1))
        await item.put("long", {}, ttl=timedelta(hours=1))
        await item.put("ever", {})
    await rememora.settle()
    before = [[kept.key for kept in await entry.all(expired=True)] for entry in held]
    clock.advance(60)
    await rememora.settle()

    assert [["ever", "long", "short"]] * 3 == before
    assert [["ever", "long"]] * 3 == [[kept.key for kept in await entry.all(expired=True)] for entry in held]


async def test_more_than_one_sweep_holds(rememora: Rememora, clock: SetClock) -> None:
    """One look takes so many people, and the next goes on."""
    people = [rememora.user(f"u{number}", tenant="acme").documents("notes") for number in range(BATCH + 1)]
    for person in people:
        await person.put("k", {}, ttl=timedelta(minutes=1))
    clock.advance(60)
    await rememora.settle()

    assert [] == [kept for item in people for kept in await item.all(expired=True)]


async def test_a_document_is_no_knowledge(rememora: Rememora, ana: UserMemory) -> None:
    """No recall finds it, no context holds it, and it is no conversation."""
    await ana.documents("notes").put("k", {"text": "moro em Itaquaquecetuba"})
    await rememora.settle()

    assert [] == await ana.recall("Itaquaquecetuba")
    assert () == (await ana.conversations.list()).items
    assert "Itaqua" not in str((await ana.conversation("c1").context("onde moro?")).items)


async def test_erasing_a_memory_takes_its_document_along(ana: UserMemory) -> None:
    """What is kept under a memory's id goes with it, and the receipt counts it."""
    (memory,) = (await ana.remember("user.name", "Ana")).memories
    extras = ana.documents("mem0-extras")
    await extras.put(memory.id, {"metadata": {"mood": "calm"}})
    await extras.put("another", {})
    receipt = await ana.erase(memory=memory.id)

    assert 1 == receipt.counts["documents"]
    assert ["another"] == [item.key for item in await extras.all()]


async def test_a_tenant_takes_its_documents_along(rememora: Rememora) -> None:
    """And is known by them alone."""
    await rememora.user("ana", tenant="acme").documents("notes").put("k", {})
    receipt = await rememora.operator(acting="root").tenants.erase("acme", confirm="acme")

    assert 1 == receipt.counts["documents"]
    assert [] == await rememora.user("ana", tenant="acme").documents("notes").all()


async def test_somebody_else_reads_them_only_under_a_reason(rememora: Rememora) -> None:
    """As all that is a person's own."""
    await rememora.user("ana", tenant="acme").documents("notes").put("k", {})
    theirs = rememora.user("ana", tenant="acme", acting="root", rights=OPERATOR).documents("notes")
    with pytest.raises(InvalidInput, match="reason"):
        await theirs.get("k")
    with pytest.raises(InvalidInput, match="reason"):
        await theirs.all()


@pytest.mark.parametrize(
    ("key", "value"), [("", {}), ("a\0b", {}), ("k", {"x": "\0"}), ("k", {"x": "y" * 70_000})]
)
async def test_what_no_engine_holds_is_refused(rememora: Rememora, key: str, value: dict[str, str]) -> None:
    """Named by its field, and nothing is stored."""
    notes = rememora.user("ana", tenant="acme").documents("notes")
    with pytest.raises(InvalidInput):
        await notes.put(key, value)

    assert [] == await notes.all()


def test_without_await(settings: Settings) -> None:
    """The same verbs for plain code, page by page."""
    with SyncRememora.open(settings=settings, background=False) as rememora:
        notes = rememora.user("ana", tenant="acme").documents("notes")
        for number in range(5):
            notes.put(f"k{number}", {"n": number})
        first = notes.page(limit=3)
        rest = notes.page(limit=3, after=first.next)

        assert ["k0", "k1", "k2"] == [item.key for item in first.items]
        assert (["k3", "k4"], None) == ([item.key for item in rest.items], rest.next)
