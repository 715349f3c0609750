"""A user's shelf is laid out once, whichever conversation asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from rememora import Rememora, Settings
from rememora.domain.scope import Scope
from rememora.ports.index import Changes
from rememora.recall.user_shelf import UserShelf


async def test_a_shelf_follows_the_user_not_the_conversation(
    rememora: Rememora, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one conversation's question has read is not read again for another's."""
    read: list[int] = []
    apply = UserShelf._apply

    def noted(shelf: UserShelf, changes: Changes, owner: Scope) -> None:
        read.append(len(changes.items))
        apply(shelf, changes, owner)

    monkeypatch.setattr(UserShelf, "_apply", noted)
    ana = rememora.user("ana", tenant="acme")
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
        shelf = rememora._parts.searcher()._shelves.of(ana.scope).shelf
        again = await ana.recall("fornecedor")

        assert ["o fornecedor chega quinta"] == [hit.content for hit in first] == [hit.content for hit in again]
        assert shelf is rememora._parts.searcher()._shelves.of(ana.scope).shelf
