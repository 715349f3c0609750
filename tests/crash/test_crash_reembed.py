"""A re-embedding killed at any point goes on where it was, and nothing of the model before is left."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.behind import behind
from tests.crash.lives import Lives
from tests.engines.postgres import postgres_url

from rememora import Rememora, Settings
from rememora.testing import WordEmbedder

CHILD = "reembedder"
USERS, MESSAGES = ("ana", "bia", "caio"), 250


async def fill(settings: Settings) -> None:
    """Messages with vectors of the first model."""
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        for user in USERS:
            texts = [f"pedido {number} da loja {number % 7}" for number in range(MESSAGES)]
            chat = rememora.user(user, tenant="acme").conversation("c1")
            await chat.append_many([{"role": "user", "content": text} for text in texts])
        await rememora.settle()


def made(url: str) -> tuple[list[tuple[str, int]], list[tuple[str, str]], int]:
    """Vectors by model, the models there are, and how many items have no vector of the one in use."""
    counts = behind(url, "SELECT model, COUNT(*) FROM vectors GROUP BY model")
    models = behind(url, "SELECT name, state FROM embedding_model")
    [(entries,)] = behind(url, "SELECT COUNT(*) FROM index_entries WHERE state <> 'gone'")
    return counts, models, entries


@pytest.fixture
def url(engine: str, tmp_path: Path) -> Iterator[str]:
    """A store of one engine."""
    with postgres_url() if engine == "postgres" else nullcontext(str(tmp_path / "store")) as result:
        yield result


@pytest.mark.parametrize(
    ("engine", "kills"),
    [
        ("folder", 3),
        ("postgres", 2),
        pytest.param("folder", 40, marks=pytest.mark.slow),
        pytest.param("postgres", 15, marks=pytest.mark.slow),
    ],
)
async def test_a_reembedding_outlives_its_process(lives: Lives, url: str, kills: int) -> None:
    """Killed at random points and run again until it is done: every item has one vector, of the new model."""
    settings = Settings.load({"store.url": url, "layers.summarization": False}, environ={})
    await fill(settings)
    dice = random.Random(kills)
    broken, life, model = 0, 0, 0
    while broken < kills:
        life += 1
        reply = lives.live(folder=url, name=f"model-{model}", life=life, lines=1, seconds=dice.uniform(0, 0.12))
        ended = reply[-1][0] == "done"
        broken += not ended
        model += ended
    lives.live(folder=url, name=f"model-{model}", life=life + 1)
    counts, models, items = made(url)
    newest = WordEmbedder(name=f"model-{model}", dimension=96)
    async with Rememora.open(settings=settings, embedder=newest, background=False) as rememora:
        hits = await rememora.user("bia", tenant="acme").recall("pedido 77", limit=1)

    assert [(f"model-{model}/96", items)] == counts
    assert [(f"model-{model}", "current")] == models
    assert "meaning" in hits[0].parts
