"""Vectors of two models come down to those in use, and vectors from before models were named keep theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.behind import behind
from tests.engines.postgres import APP, OWNER, databases

from rememora import Rememora, Settings
from rememora.errors import ModelUnavailable
from rememora.moving import migrate
from rememora.testing import WordEmbedder


class Tired(WordEmbedder):
    """Makes one batch, and no more."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """As `WordEmbedder` does, once."""
        self.fail = self.calls > 0
        return await super().embed(texts, query=query)


class Kept:
    """A store of one engine, as its owner and as whoever looks behind it sees it."""

    def __init__(self, engine: str, folder: Path) -> None:
        self._database = databases().create(databases().template) if engine == "postgres" else ""
        self._folder = folder / "store"
        url = databases().url(self._database) if self._database else str(self._folder)
        self.settings = Settings.load({"store.url": url, "store.key_folder": str(folder)}, environ={})

    def move(self, to: str = "head") -> None:
        """Migrate as the owner."""
        if self._database:
            migrate(databases().url(self._database, OWNER), to=to, role=APP)
        else:
            migrate(str(self._folder), to=to)

    def asked(self, query: str) -> list[Any]:
        """What a query finds in every tenant's rows."""
        return behind(self.settings.store.url, query)


@pytest.fixture
async def two(kept: Kept) -> Kept:
    """A store whose next model has made some of its vectors."""
    async with Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False) as rememora:
        for user in ("ana", "bia"):
            await rememora.user(user, tenant="acme").conversation("c1").append("user", "a padaria abre cedo")
        await rememora.settle()

    next_model = Tired(name="next", dimension=8)
    with pytest.raises(ModelUnavailable):
        await Rememora.reembed(settings=kept.settings, embedder=next_model)
    return kept


async def test_down_keeps_the_vectors_in_use(two: Kept) -> None:
    """The next model's go; up again, what is left is known to be of the model that made it, and is found by it."""
    before = two.asked("SELECT model, vector FROM vectors ORDER BY model, user_id")
    two.move("0009")
    below = two.asked("SELECT vector FROM vectors ORDER BY user_id")
    models = two.asked("SELECT name, dimension FROM embedding_model")
    two.move()
    after = two.asked("SELECT model, vector FROM vectors ORDER BY model, user_id")
    async with Rememora.open(settings=two.settings, embedder=WordEmbedder(), background=False) as rememora:
        # On PostgreSQL the worker judges what was stored before it is told.
        await rememora.settle()
        hits = await rememora.user("ana", tenant="acme").recall("padaria")

    assert ["next/8", "words/64", "words/64"] == [row[0] for row in before]
    assert [(row[1],) for row in before[1:]] == below
    assert [("words", 64)] == models
    assert before[1:] == after
    assert [(1, "words", 64, "current")] == two.asked("SELECT * FROM embedding_model")
    assert "meaning" in hits[0].parts


async def test_down_from_an_index_without_a_model(kept: Kept) -> None:
    """Nothing was embedded yet: nothing is lost, and whoever embeds first names the model."""
    async with Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", "a padaria abre cedo")
    kept.move("0009")
    kept.move()
    async with Rememora.open(settings=kept.settings, embedder=WordEmbedder(), background=False) as rememora:
        await rememora.settle()

    assert [("words/64",)] == kept.asked("SELECT model FROM vectors")
