"""The room that a store takes with the features of its items, beside what it would take without them."""

from __future__ import annotations

from pathlib import Path

from tests.behind import behind

from rememora import Rememora, Settings
from rememora.adapters.sql.folder import FILE
from rememora.testing import WordEmbedder

MOST = 1.4
"""The store may grow by two fifths (docs/why/recall.md)."""
SAID = (
    "O fornecedor das caixas é a Papelaria Sol e entrega às quintas",
    "Ok",
    "I moved the meeting with the supplier to Friday, in the green room, because of the holiday",
    "Quanto ficou o frete do último pedido?",
)


async def test_features_take_little_room_on_disk(settings: Settings) -> None:
    """Short turns with small vectors are where features weigh most beside the rest."""
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        for number in range(8):
            chat = rememora.user(f"u{number}", tenant="acme").conversation("c1")
            await chat.append_many(
                {"role": "user", "content": f"{SAID[turn % len(SAID)]} {turn}"} for turn in range(100)
            )
        await rememora.settle()
    file = Path(settings.store.url) / FILE
    behind(settings.store.url, "VACUUM")
    held, (made,) = file.stat().st_size, behind(settings.store.url, "SELECT COUNT(features) FROM index_entries")
    behind(settings.store.url, "UPDATE index_entries SET features = NULL")
    behind(settings.store.url, "VACUUM")

    assert made[0] >= 800
    assert held <= MOST * file.stat().st_size
