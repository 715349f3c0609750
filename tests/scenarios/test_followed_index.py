"""A user's index is laid out once, whichever conversation asks, and follows whoever writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from rememora import Rememora, Settings, UserMemory
from rememora.domain.scope import Scope
from rememora.ports.index import IndexChanges
from rememora.ports.store import Store, UnitOfWork
from rememora.recall.followed_index import FollowedIndex

T = TypeVar("T")


async def test_a_shelf_follows_the_user_not_the_conversation(
    ana: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one conversation's question has read is not read again for another's."""
    read: list[int] = []
    apply = FollowedIndex._apply

    def noted(index: FollowedIndex, changes: IndexChanges, owner: Scope) -> None:
        read.append(len(changes.items))
        apply(index, changes, owner)

    monkeypatch.setattr(FollowedIndex, "_apply", noted)
    for number in range(5):
        await ana.conversation("c1").append("user", f"o fornecedor {number} chega quinta")
    await ana.recall("fornecedor")
    for conversation in ("c1", "c2", "c3"):
        await ana.conversation(conversation).context("fornecedor")

    assert 5 == sum(read)


async def test_without_an_embedder_a_shelf_is_laid_out_once(tmp_path: Path) -> None:
    """A search by words needs no vectors back: the layout of the first search serves the next."""
    settings = Settings.load({"store.url": str(tmp_path / "store"), "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append("user", "o fornecedor chega quinta")
        first = await ana.recall("fornecedor")
        index = rememora._parts.searcher()._indexes.of(ana.scope).index
        again = await ana.recall("fornecedor")

        assert ["o fornecedor chega quinta"] == [hit.content for hit in first] == [hit.content for hit in again]
        assert index is rememora._parts.searcher()._indexes.of(ana.scope).index


def _count_calls(monkeypatch: pytest.MonkeyPatch, name: str, looked: list[int]) -> None:
    """Count the calls of a way to read changes, the first one of a small user or a later one."""
    look = getattr(FollowedIndex, name)

    def counted(*arguments: Any, **named: Any) -> list[IndexChanges]:
        looked[-1] += 1
        changes: list[IndexChanges] = look(*arguments, **named)
        return changes

    monkeypatch.setattr(FollowedIndex, name, counted)


@pytest.mark.embedded
async def test_nothing_is_read_where_nobody_wrote(
    rememora: Rememora, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question asks what is new only once somebody has written, through this door or another."""
    looked: list[int] = []
    for name in ("_look", "_look_if_small"):
        _count_calls(monkeypatch, name, looked)
    ana, items = rememora.user("ana", tenant="acme"), []
    async with Rememora.open(settings=settings, background=False) as other:
        for writer in (rememora, None, other, None):
            looked.append(0)
            if writer is not None:
                await (
                    writer.user("ana", tenant="acme")
                    .conversation("c1")
                    .append("user", "o fornecedor chega quinta")
                )
            items.append(len(await ana.recall("fornecedor")))

    assert [1, 0, 1, 0] == looked
    assert [1, 1, 2, 2] == items


class Busy:
    """A store in which somebody writes as soon as something was read."""

    def __init__(
        self, store: Store, write: Callable[[], Awaitable[object]], changed: Callable[[], int | None]
    ) -> None:
        self._store, self._write, self.changed = store, write, changed

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T], *, short: bool = False) -> T:
        reading = await self._store.read(scope, work, short=short)
        await self._write()
        return reading


@pytest.mark.parametrize("tells", [True, False])
async def test_what_is_written_while_the_store_is_read_is_there_the_next_time(
    rememora: Rememora, ana: UserMemory, tells: bool
) -> None:
    """Whether the store tells that somebody wrote or not."""
    store, mine, sizes = rememora._parts.store, FollowedIndex(0, limit_bytes=1 << 20), []
    write = partial(ana.conversation("c1").append, "user", "o fornecedor chega quinta")
    busy = cast("Store", Busy(store, write, store.changed if tells else lambda: None))
    for _ in range(4):
        await mine.follow(busy, ana.scope)
        sizes.append(len(mine.index))

    assert [0, 1, 2, 3] == sizes


async def test_an_index_that_wants_its_vectors_back_is_laid_out_anew(rememora: Rememora, ana: UserMemory) -> None:
    """Though nobody has written since: an engine had them, and has them no more."""
    engines = [True, False, False]
    mine = FollowedIndex(0, limit_bytes=1 << 20, in_engine=lambda: engines[0])
    await ana.conversation("c1").append("user", "o fornecedor chega quinta")
    await mine.follow(rememora._parts.store, ana.scope)
    held = [mine.index.holds_vectors]
    del engines[0]
    await mine.follow(rememora._parts.store, ana.scope)

    assert [False, True] == [*held, mine.index.holds_vectors]
    assert 1 == len(mine.index)
