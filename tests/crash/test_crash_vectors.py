"""A process killed while it blanks deleted vectors out of its files leaves nothing of them, and loses no other."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from tests.children.blanker import EACH, EMBEDDER, ROWS, opened, texts
from tests.crash.lives import Lives
from tests.crash.test_crash import sound

from rememora import Rememora
from rememora.adapters.usearch.files import new_index
from rememora.adapters.usearch.vectors import UsearchVectors
from rememora.domain.scope import Scope
from rememora.ports.vectors import Near
from rememora.recall.model import model_of

CHILD = "blanker"
ANA = Scope("acme", "ana")
FARTHER = 0.02
SAMPLED = 20
"""Every so many of the messages that stay are asked for."""


@pytest.mark.parametrize("kills", [4, pytest.param(40, marks=pytest.mark.slow)])
async def test_deleted_vectors_outlive_no_kill(lives: Lives, tmp_path: Path, kills: int) -> None:
    """Killed at random points of a deletion and of what the worker does afterwards."""
    await kill_the_blanking(lives, tmp_path, kills=kills, seed=11)


async def kill_the_blanking(lives: Lives, folder: Path, *, kills: int, seed: int) -> None:
    """Kill so many times at points that the seed chooses, settle, and look into the files."""
    dice, store = random.Random(seed), folder / "store"
    async with opened(str(store)) as rememora:
        lines = [{"role": "user", "content": f"pedido{number} da loja"} for number in range(ROWS)]
        await rememora.user("ana", tenant="acme").conversation("c0").append_many(lines)
        await rememora.settle()
        close = await _closeness(rememora, store)
    said: set[str] = set()
    deleted: set[str] = set()
    at_work = 0
    for life in range(1, kills + 1):
        # After a deletion that was acknowledged: what is killed is the worker that blanks it out.
        after, seconds = 3 * (1 + dice.randrange(2)), dice.uniform(0, 0.06)
        reply = lives.live(folder=str(store), life=life, lines=after, seconds=seconds)
        said.update(words[1] for words in reply if words[0] == "said")
        deleted.update(words[1] for words in reply if words[0] == "deleted")
        at_work += reply[-1][0] == "deleted"
    assert at_work
    assert sound(store)
    async with opened(str(store), life=kills + 1) as rememora:
        await rememora.settle()
        await _nothing_is_left(rememora, store, deleted)
        await _nothing_is_in_parts(rememora, said - deleted)

        # The graph finds some by their neighbours alone, so that the mean counts and not each.
        assert close - FARTHER < await _closeness(rememora, store)


async def _nothing_is_left(rememora: Rememora, store: Path, deleted: set[str]) -> None:
    """Neither a key nor a vector of a deleted talk stands in a file, and none is among the nearest."""
    left = b"".join(path.read_bytes() for path in (store / "indexes").rglob("*") if path.is_file())
    ids = {near.key.id for name in sorted(deleted) for near in await _nearest(rememora, store, texts(name)[0], 50)}
    for name in deleted:
        vectors = await EMBEDDER.embed(texts(name))

        assert f"m{name}x".encode() not in left
        assert not [1 for values in vectors if _stored(np.asarray(values, dtype=np.float32)) in left]
        assert not [id for id in ids if id.startswith(f"m{name}x")]


async def _nothing_is_in_parts(rememora: Rememora, maybe: set[str]) -> None:
    """A deletion that a kill cut off is whole, or has not been."""
    for name in maybe:
        turns = (await rememora.user("ana", tenant="acme").conversation(name).messages(limit=EACH)).items

        assert len(turns) in (0, EACH)


async def _closeness(rememora: Rememora, store: Path) -> float:
    """The mean cosine of the nearest to messages that nobody deletes: 1 where each finds itself."""
    nearest = [await _nearest(rememora, store, f"pedido{number} da loja", 1) for number in range(0, ROWS, SAMPLED)]
    return sum(near.cosine for (near,) in nearest) / len(nearest)


async def _nearest(rememora: Rememora, store: Path, text: str, count: int) -> list[Near]:
    vectors = UsearchVectors(
        rememora._parts.store, store / "indexes", dimension=EMBEDDER.dimension, model=model_of(EMBEDDER).key
    )
    [values] = await EMBEDDER.embed([text])
    return await vectors.nearest(ANA, values, limit=count)


def _stored(values: np.ndarray[tuple[int], np.dtype[np.float32]]) -> bytes:
    """A vector as a segment holds it: a byte a number."""
    index = new_index(len(values))
    index.add(0, values)
    return bytes(np.asarray(index.get(0, dtype="i8")).astype(np.int8).tobytes())
