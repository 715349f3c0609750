"""A re-embedding killed at any point goes on where it was, and nothing of the model before is left."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.crash.lives import Lives

from rememora import Rememora, Settings
from rememora.adapters.sql.sqlite import FILE
from rememora.testing import WordEmbedder

CHILD = Path(__file__).parent.parent / "children" / "reembedder.py"
USERS, MESSAGES = ("ana", "bia", "caio"), 250


@pytest.fixture
def lives() -> Iterator[Lives]:
    """A warm process to fork from."""
    found = Lives(CHILD)
    yield found
    found.close()


async def fill(settings: Settings) -> None:
    """Messages with vectors of the first model."""
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        for user in USERS:
            texts = [f"pedido {number} da loja {number % 7}" for number in range(MESSAGES)]
            chat = rememora.user(user, tenant="acme").conversation("c1")
            await chat.append_many([{"role": "user", "content": text} for text in texts])
        await rememora.settle()


def made(folder: Path) -> tuple[list[tuple[str, int]], list[tuple[str, str]], int]:
    """Vectors by model, the models there are, and how many items have no vector of the one in use."""
    with sqlite3.connect(folder / FILE) as connection:
        counts = connection.execute("SELECT model, COUNT(*) FROM vectors GROUP BY model").fetchall()
        models = connection.execute("SELECT name, state FROM embedding_model").fetchall()
        entries = connection.execute("SELECT COUNT(*) FROM index_entries WHERE state <> 'gone'").fetchone()
    connection.close()
    return counts, models, entries[0]


@pytest.mark.parametrize("kills", [3, pytest.param(40, marks=pytest.mark.slow)])
async def test_a_reembedding_outlives_its_process(lives: Lives, tmp_path: Path, kills: int) -> None:
    """Killed at random points and run again until it is done: every item has one vector, of the new model."""
    folder = tmp_path / "store"
    settings = Settings.load({"store.url": str(folder), "layers.summarization": False}, environ={})
    await fill(settings)
    dice = random.Random(kills)
    broken, life, model = 0, 0, 0
    while broken < kills:
        life += 1
        told = lives.live(
            folder=str(folder), name=f"model-{model}", life=life, lines=1, seconds=dice.uniform(0, 0.12)
        )
        ended = told[-1][0] == "done"
        broken += not ended
        model += ended
    lives.live(folder=str(folder), name=f"model-{model}", life=life + 1)
    counts, models, items = made(folder)
    newest = WordEmbedder(name=f"model-{model}", dimension=96)
    async with Rememora.open(settings=settings, embedder=newest, background=False) as rememora:
        hits = await rememora.user("bia", tenant="acme").recall("pedido 77", limit=1)

    assert [(f"model-{model}/96", items)] == counts
    assert [(f"model-{model}", "current")] == models
    assert "meaning" in hits[0].parts
