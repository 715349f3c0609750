"""A layout with its vectors is saved and opened after a restart: the same answers, and nothing is read again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from zoneinfo import ZoneInfo

import pytest
from tests.layouts.known import LINES, ROWS, add, answers, correct, delete, files, hit_of, made_anew, opened, said

from rememora import Rememora, Settings
from rememora.adapters.sql.index import SqlIndex
from rememora.domain.rights import ADMIN
from rememora.handles.user import UserMemory
from rememora.userindex import vectors
from rememora.userindex.rows import Row
from rememora.userindex.user_index import Batch, UserIndex


async def test_after_a_restart_nothing_is_read_again(saved: Rememora, read: list[str]) -> None:
    """The layout is opened as it was saved: the same answers to the bit as from one that is made anew."""
    result = await answers(saved.settings)

    assert [] == read

    assert await made_anew(saved.settings) == result
    assert ROWS < len(read)


async def test_estimates_are_the_same_after_a_restart(saved: Rememora, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sign bits choose which cosines are exact, also with rows that were emptied: as the saver answers."""
    monkeypatch.setattr(vectors, "EXACT_ROWS", 50)
    monkeypatch.setattr(vectors, "_RESCORED_LEAST", 40)
    await delete(saved.user("ana", tenant="acme"))
    await saved.settle()

    assert files(saved.settings)
    assert await said(saved) == await answers(saved.settings)


async def test_an_opened_layout_takes_little_memory(saved: Rememora) -> None:
    """Its vectors are mapped, and counted as what is mapped is."""
    made = saved._parts.searcher()._indexes.nbytes
    async with opened(saved.settings) as other:
        await other.user("ana", tenant="acme").recall("pedido7")

        assert other._parts.searcher()._indexes.nbytes < made / 2


async def test_texts_of_an_opened_layout_are_read_once(saved: Rememora, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the hits are read where they live, and kept as those of any small user are."""
    async with opened(saved.settings) as other:
        ana = other.user("ana", tenant="acme")
        first = await ana.recall("pedido7")
        monkeypatch.setattr(SqlIndex, "standing", lambda *_: pytest.fail("read again"))

        assert first == await ana.recall("pedido7")


async def test_an_opened_layout_knows_where_the_person_is(saved: Rememora, read: list[str]) -> None:
    """Days begin where they did, and no memory is read again for it."""
    ana = saved.user("ana", tenant="acme")
    await ana.profile.seed(timezone="America/Sao_Paulo")
    await ana.conversation("c0").append_many({"role": "user", "content": f"novo{n}"} for n in range(ROWS // 10))
    await saved.settle()
    await ana.recall("pedido7")
    await saved.settle()
    read.clear()
    async with opened(saved.settings) as other:
        await other.user("ana", tenant="acme").recall("pedido7")
        where = other._parts.searcher()._indexes.of(ana.scope).timezone

    assert ([], ZoneInfo("America/Sao_Paulo")) == (read, where.zone)


async def supersede(ana: UserMemory) -> None:
    await ana.remember("profile.city", "Olinda")


async def forget(ana: UserMemory) -> None:
    await ana.forget("profile.city")


ACTS: list[Callable[[UserMemory], Awaitable[None]]] = [add, delete, supersede, correct, forget]


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("act", ACTS)
async def test_what_happens_after_saving_is_seen_by_whoever_opens(
    saved: Rememora, act: Callable[[UserMemory], Awaitable[None]], settled: bool
) -> None:
    """Whether the worker has looked again or not, the answers are those of a layout that is made anew."""
    await act(saved.user("ana", tenant="acme"))
    if settled:
        await saved.settle()
    result = await answers(saved.settings)

    assert await made_anew(saved.settings) == result


async def test_what_a_tenant_shares_is_seen_by_whoever_opens(saved: Rememora, read: list[str]) -> None:
    """It has numbers of its own, which are followed from where they were."""
    boss = saved.user("boss", tenant="acme", rights=ADMIN)
    await boss.remember("tenant.name", "girafa amarela", scope="tenant_shared")
    await saved.settle()
    read.clear()
    result = await answers(saved.settings)

    assert 1 == len(read)
    assert await made_anew(saved.settings) == result


async def test_who_searches_by_words_alone_opens_it_without_its_vectors(saved: Rememora, read: list[str]) -> None:
    """A process without a model needs none of them, and all the rest."""
    words = Settings.load({"store.url": saved.settings.store.url, "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=words, background=False) as other:
        hit = await hit_of(other.user("ana", tenant="acme"), "pedido7")

    assert [] == read
    assert LINES[7] == hit.content


async def test_the_worker_lays_out_nobody_who_was_not_asked_about(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be many of that size: what is saved is what a question has paid for, of those large enough."""
    added: list[str] = []
    add_row, add_rows = UserIndex.add, UserIndex.add_many

    def noted(index: UserIndex, row: Row) -> None:
        added.extend([row.id] if row.kind == "message" else [])
        add_row(index, row)

    def noted_many(index: UserIndex, batch: Batch) -> None:
        added.extend(name for name, kind in zip(batch.names, batch.kinds, strict=True) if kind == "message")
        add_rows(index, batch)

    monkeypatch.setattr(UserIndex, "add", noted)
    monkeypatch.setattr(UserIndex, "add_many", noted_many)
    async with opened(settings) as rememora:
        for user, rows in (("ana", 201), ("bia", 201), ("eva", 150)):
            lines = ({"role": "user", "content": f"pedido{n}"} for n in range(rows))
            await rememora.user(user, tenant="acme").conversation("c1").append_many(lines)
        await rememora.settle()

        assert [] == added

        for user in ("ana", "eva"):
            await rememora.user(user, tenant="acme").recall("pedido7")
        await rememora.settle()
        await rememora.settle()

    assert 201 + 150 == len(added)
    assert 1 == len(files(settings))


async def test_who_was_read_as_a_small_user_and_grew_is_saved(settings: Settings) -> None:
    """Nobody asked whose vectors theirs are: they are read once more, and saved when the process ends."""
    async with opened(settings) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "pedido7")
        await rememora.settle()
        await rememora.user("ana", tenant="acme").recall("pedido7")
        await chat.append_many({"role": "user", "content": f"pedido{n}"} for n in range(201))
        await rememora.user("ana", tenant="acme").recall("pedido7")
        assert [] == files(settings)

    assert 1 == len(files(settings))


async def test_who_talks_on_is_saved_again_when_they_pause(saved: Rememora) -> None:
    """What takes a saved layout away comes every few turns: it is not written as often."""
    ana, searcher = saved.user("ana", tenant="acme"), saved._parts.searcher()
    await correct(ana)
    await ana.recall("cidade")
    await searcher.save_large()
    talking = files(saved.settings)
    await add(ana)
    await searcher.save_large()
    talking += files(saved.settings)
    await searcher.save_large()

    assert [] == talking
    assert files(saved.settings)
