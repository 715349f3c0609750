"""A user's shelf is laid out once, whichever conversation asks."""

from __future__ import annotations

import pytest

from rememora import Rememora, Settings
from rememora.domain.scope import Scope
from rememora.ports.index import Changes
from rememora.recall.shelf import Row, Shelf
from rememora.recall.shelves import UserShelf


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


async def test_a_process_without_a_model_lays_a_user_out_once(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words alone are read once as well, however often one asks."""
    added: list[str] = []
    add = Shelf.add

    def noted(shelf: Shelf, row: Row) -> None:
        added.append(row.text)
        add(shelf, row)

    monkeypatch.setattr(Shelf, "add", noted)
    wordy = Settings.load({"store.url": settings.store.url, "recall.embedder": "none"}, environ={})
    async with Rememora.open(settings=wordy, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append("user", "o fornecedor chega quinta")
        for question in ("fornecedor", "quinta", "chega"):
            await ana.recall(question)

    assert ["o fornecedor chega quinta"] == added
