"""Vectors of two models come down to those in use, and vectors from before models were named keep theirs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rememora import Rememora, Settings
from rememora.adapters.sql.sqlite import FILE
from rememora.errors import ModelUnavailable
from rememora.testing import WordEmbedder
from rememora.wiring import migrate


class Tired(WordEmbedder):
    """Makes one batch, and no more."""

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """As `WordEmbedder` does, once."""
        self.fail = self.calls > 0
        return await super().embed(texts, query=query)


def asked(folder: Path, query: str) -> list[tuple[object, ...]]:
    """What a query finds in the file."""
    with sqlite3.connect(folder / FILE) as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return found


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A store whose next model has made some of its vectors."""
    settings = Settings.load({"store.url": str(tmp_path / "store")}, environ={})
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        for user in ("ana", "bia"):
            await rememora.user(user, tenant="acme").conversation("c1").append("user", "a padaria abre cedo")
        await rememora.settle()

    next_model = Tired(name="next", dimension=8)
    with pytest.raises(ModelUnavailable):
        await Rememora.reembed(settings=settings, embedder=next_model)
    return tmp_path / "store"


async def test_down_keeps_the_vectors_in_use(folder: Path) -> None:
    """The next model's go; up again, what is left is known to be of the model that made it, and is found by it."""
    before = asked(folder, "SELECT model, vector FROM vectors ORDER BY model, user_id")
    migrate(str(folder), to="0009")
    below = asked(folder, "SELECT vector FROM vectors ORDER BY user_id")
    models = asked(folder, "SELECT name, dimension FROM embedding_model")
    migrate(str(folder))
    after = asked(folder, "SELECT model, vector FROM vectors ORDER BY model, user_id")
    settings = Settings.load({"store.url": str(folder)}, environ={})
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        hits = await rememora.user("ana", tenant="acme").recall("padaria")

    assert ["next/8", "words/64", "words/64"] == [row[0] for row in before]
    assert [(row[1],) for row in before[1:]] == below
    assert [("words", 64)] == models
    assert before[1:] == after
    assert [(1, "words", 64, "current")] == asked(folder, "SELECT * FROM embedding_model")
    assert "meaning" in hits[0].parts


async def test_down_from_an_index_without_a_model(tmp_path: Path) -> None:
    """Nothing was embedded yet: nothing is lost, and whoever embeds first names the model."""
    folder = tmp_path / "store"
    settings = Settings.load({"store.url": str(folder)}, environ={})
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", "a padaria abre cedo")
    migrate(str(folder), to="0009")
    migrate(str(folder))
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        await rememora.settle()

    assert [("words/64",)] == asked(folder, "SELECT model FROM vectors")
