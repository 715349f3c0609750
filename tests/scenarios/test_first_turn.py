"""The first turn of a person in a process: it has its memories, and no word of what was deleted is kept for it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.behind import behind

from rememora import Rememora, Settings
from rememora.adapters.sql.index import SqlIndex
from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.ports.index import IndexChanges
from rememora.recall import followed_index
from rememora.testing import WordEmbedder
from rememora.userindex import features, version

SAID = ("O fornecedor das caixas é a Papelaria Sol", "A reunião mensal é na sala verde")


def opened(settings: Settings) -> Any:
    return Rememora.open(settings=settings, embedder=WordEmbedder(), background=False)


async def tell(settings: Settings, said: Sequence[str] = SAID) -> None:
    async with opened(settings) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append_many({"role": "user", "content": text} for text in said)
        await rememora.settle()


def entries(settings: Settings) -> list[tuple[Any, ...]]:
    """Kind, state and features of every entry."""
    return behind(settings.store.url, "SELECT kind, state, features FROM index_entries ORDER BY number")


async def test_loading_takes_no_memories_from_the_first_turn(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that takes longer to load than a layer may take is loaded before the clock starts."""
    await tell(settings)
    chosen = msgspec.structs.replace(settings.context, deadline_ms=400)
    load = SqlIndex.load

    def slowly(index: SqlIndex, *args: Any, **query: Any) -> IndexChanges:
        time.sleep(0.5)
        return load(index, *args, **query)

    monkeypatch.setattr(SqlIndex, "load", slowly)
    async with opened(msgspec.structs.replace(settings, context=chosen)) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c2")
        pack = await chat.context("quem é o fornecedor das caixas?")

        assert [] == [item for item in pack.missing if item.why == "late"]
        assert SAID[0] in [item.text for item in pack.section("related")]


async def test_nobody_waits_longer_for_an_index_than_they_may(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond `context.loading_ms` the turn goes on without what is not loaded, and says so."""
    await tell(settings)
    chosen = msgspec.structs.replace(settings.context, deadline_ms=60, loading_ms=1)
    monkeypatch.setattr(followed_index, "SMALL_ROWS", 1)
    load = SqlIndex.load

    def slowly(index: SqlIndex, *args: Any, limit: int, **query: Any) -> IndexChanges:
        time.sleep(0.5 if limit > 1 else 0)
        return load(index, *args, limit=limit, **query)

    monkeypatch.setattr(SqlIndex, "load", slowly)
    async with opened(msgspec.structs.replace(settings, context=chosen)) as rememora:
        pack = await rememora.user("ana", tenant="acme").conversation("c2").context("quem é o fornecedor?")

        assert "late" in [item.why for item in pack.missing]


async def test_an_item_of_another_version_is_found_and_made_anew(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who reads features otherwise reads the text until the worker has made them anew; nothing is missing."""
    await tell(settings)
    other = bytes([version.VERSION + 1])
    for module in (features, version):
        monkeypatch.setattr(module, "MARK", other)
    for name in ("followed_index", "remake"):
        monkeypatch.setattr(f"rememora.recall.{name}.MARK", other)
    monkeypatch.setattr(features, "VERSION", version.VERSION + 1)
    async with opened(settings) as rememora:
        ana = rememora.user("ana", tenant="acme")
        before = await ana.recall("caixas", limit=1)
        await rememora.settle()

        assert SAID[0] == before[0].content
        assert {other} == {made[:1] for _, state, made in entries(settings) if state == "embedded"}


async def test_what_waits_for_its_vector_is_found_by_words(settings: Settings) -> None:
    async with opened(settings) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", SAID[0])
    async with opened(settings) as rememora:
        hits = await rememora.user("ana", tenant="acme").recall("fornecedor")

        assert [SAID[0]] == [hit.content for hit in hits]


async def delete(rememora: Rememora) -> None:
    await rememora.user("ana", tenant="acme").conversation("c1").delete()


async def erase(rememora: Rememora) -> None:
    await rememora.user("ana", tenant="acme").erase(person=True)


async def drop(rememora: Rememora) -> None:
    """As whatever hides a message does: its entry stays, to tell that it is gone."""
    scope = Scope("acme", "ana", "c1")
    message = (await rememora.user("ana", tenant="acme").recall("papelaria"))[0]
    key = ItemKey("message", message.id, "c1")
    await rememora._parts.store.write(scope, lambda work: work.index.drop(scope, [key]))


@pytest.mark.parametrize("act", [delete, erase, drop])
async def test_features_go_with_what_was_said(settings: Settings, act: Any) -> None:
    """They hold words: a deleted conversation and an erased person leave none."""
    await tell(settings)
    said = [made for _, _, made in entries(settings) if made and b"papel" in made]
    async with opened(settings) as rememora:
        await act(rememora)
        await rememora.settle()
        left = [made for _, _, made in entries(settings) if made and b"papel" in made]

        assert (1, 0) == (len(said), len(left))


async def test_no_hidden_message_has_features(settings: Settings) -> None:
    """Features stand for a message that may be told: what hides it takes them away."""
    await tell(settings, [*SAID, "minha senha é Girafa-Amarela-9931"])
    shown = "SELECT COUNT(*) FROM index_entries e JOIN messages m ON m.id = e.id WHERE e.features IS NOT NULL"

    assert [(0,)] == behind(settings.store.url, f"{shown} AND m.hidden IS NOT NULL")
    assert [(len(SAID),)] == behind(settings.store.url, f"{shown} AND m.hidden IS NULL")
