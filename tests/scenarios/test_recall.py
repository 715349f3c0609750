"""Recall through the front door: what was said is found, by the right person, and never after it is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rememora import Hit, Rememora, Settings, UserMemory
from rememora.errors import InvalidInput, ModelMismatch
from rememora.settings import Weights
from rememora.testing import SettableClock, WordEmbedder

SAID = (
    "Prefiro respostas curtas",
    "A reunião com o fornecedor ficou para quinta",
    "Our partner Kevin speaks English",
    "O café da manhã é às 7h no salão",
    "Pago R$ 1.234,56 de aluguel",
)


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
async def rememora(settings: Settings, embedder: WordEmbedder) -> AsyncIterator[Rememora]:
    clock = SettableClock()
    async with Rememora.open(settings=settings, clock=clock, embedder=embedder, background=False) as opened:
        chat = opened.user("ana", tenant="acme").conversation("c1")
        await chat.append_many({"role": "user", "content": text} for text in SAID)
        yield opened


def texts(hits: list[Hit]) -> list[str]:
    return [hit.content for hit in hits]


async def test_weights_are_settings(settings: Settings) -> None:
    """What a host sets is what the ranking uses: without `recency` the newer is lifted by nothing."""
    result = {}
    for weight in (0.0, 1.0):
        chosen = msgspec.structs.replace(settings, weights=Weights(recency=weight))
        async with Rememora.open(settings=chosen, background=False) as rememora:
            ana = rememora.user("ana", tenant=f"acme{weight:.0f}")
            for number in range(2):
                await ana.conversation(f"c{number}").append("user", f"pedido {number} do fornecedor")
            result[weight] = {part for hit in await ana.recall("pedido") for part in hit.parts}

    assert "recency" not in result[0.0]
    assert "recency" in result[1.0]


async def test_a_write_is_found_by_words_at_once(rememora: Rememora, embedder: WordEmbedder) -> None:
    """Before anything is embedded, what was just said is found."""
    embedder.fail = True
    hits = await rememora.user("ana", tenant="acme").recall("fornecedor", limit=1)

    assert [SAID[1]] == texts(hits)
    assert await rememora.health.index_lag() == len(SAID)


async def test_after_settling_everything_has_its_vector(rememora: Rememora) -> None:
    """The worker leaves no item waiting, and the hit says that meaning took part."""
    await rememora.settle()
    (hit,) = await rememora.user("ana", tenant="acme").recall("respostas curtas", limit=1)

    assert await rememora.health.index_lag() == 0
    assert SAID[0] == hit.content
    assert hit.parts["meaning"] > 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("reuniões", SAID[1]),
        ("REUNIAO", SAID[1]),
        ("cafés", SAID[3]),
        ("cafe da manha", SAID[3]),
        ("who is the partner", SAID[2]),
        ("1.234,56", SAID[4]),
    ],
)
async def test_forms_of_a_word_find_it(rememora: Rememora, query: str, expected: str) -> None:
    """Plurals, missing accents, case and numbers lead to what was said."""
    assert expected == (await rememora.user("ana", tenant="acme").recall(query, limit=1))[0].content


@given(st.text(min_size=1, max_size=40))
@example('"')
@example("a OR b AND NOT (c")
@example("x" * 10_000)
@example("é")
@example("日本語")
@example("👩‍👩‍👧 🎉")
@example("' ; DROP TABLE messages; --")
@example("NEAR/3 * ^ : {}")
def test_no_query_is_an_error(query: str) -> None:
    """Whatever is asked, the answer is a list, or a refusal that names the query."""

    async def ask() -> list[Hit]:
        async with Rememora.open(":memory:", embedder=WordEmbedder(), background=False) as rememora:
            ana = rememora.user("ana", tenant="acme")
            await ana.conversation("c1").append("user", SAID[0])
            return await ana.recall(query)

    if query.isspace() or "\x00" in query or not query.isprintable():
        with suppress(InvalidInput):
            asyncio.run(ask())
    else:
        assert len(asyncio.run(ask())) <= 1


async def test_another_user_finds_nothing(rememora: Rememora) -> None:
    """The same words asked by another user or tenant find nothing."""
    await rememora.settle()
    for user, tenant in (("bia", "acme"), ("ana", "acme2"), ("an_", "acme"), ("ana", "ACME")):
        assert [] == await rememora.user(user, tenant=tenant).recall("fornecedor respostas Kevin")


async def test_filters_are_exact(rememora: Rememora, ana: UserMemory) -> None:
    """Kind, conversation, exclusion, time and similarity each let through what they say and nothing else."""
    yesterday = datetime(2025, 12, 31, 12, tzinfo=UTC)
    await ana.conversation("c2").append("user", "fornecedor antigo", created_at=yesterday)
    await rememora.settle()
    midnight = yesterday + timedelta(hours=12)

    assert {"c1", "c2"} == {hit.conversation for hit in await ana.recall("fornecedor")}
    assert {"c1"} == {hit.conversation for hit in await ana.recall("fornecedor", exclude_conversation="c2")}
    assert {"c2"} == {hit.conversation for hit in await ana.recall("fornecedor", conversation="c2")}
    assert {"c2"} == {hit.conversation for hit in await ana.recall("fornecedor", until=midnight)}
    assert {"c1"} == {hit.conversation for hit in await ana.recall("fornecedor", since=midnight)}
    assert [] == await ana.recall("fornecedor", kinds=["memory"])
    assert [] == await ana.recall("fornecedor", kinds=[])
    assert all(hit.similarity >= 0.6 for hit in await ana.recall("fornecedor antigo", min_similarity=0.6))


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"query": " "}, "query"),
        ({"query": "a\x00b"}, "query"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"min_similarity": 1.5}, "min_similarity"),
        ({"kinds": ["dream"]}, "kinds"),
        ({"since": datetime(2026, 1, 1)}, "since"),
    ],
)
async def test_a_wrong_question_names_its_field(rememora: Rememora, wrong: dict[str, Any], field: str) -> None:
    """Bad input is refused with the name of the field."""
    query = {"query": "fornecedor", **wrong}
    with pytest.raises(InvalidInput) as refusal:
        await rememora.user("ana", tenant="acme").recall(**query)

    assert field == refusal.value.field


async def test_a_deleted_conversation_is_found_no_more(rememora: Rememora, ana: UserMemory) -> None:
    """After deletion nothing of it is in the index, in memory, or in an answer."""
    await rememora.settle()
    await ana.recall("fornecedor")
    removed = await ana.conversation("c1").delete()

    assert (5, 5, 5) == (removed.messages, removed.embeddings, removed.cached)
    assert [] == await ana.recall("fornecedor")


async def test_another_process_deletes_and_this_one_knows(ana: UserMemory, settings: Settings) -> None:
    """A index in memory never returns what another process has deleted."""
    before = await ana.recall("fornecedor")
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as other:
        await other.user("ana", tenant="acme").conversation("c1").delete()

    assert before
    assert [] == await ana.recall("fornecedor")


async def test_a_model_that_is_down_leaves_words(rememora: Rememora, embedder: WordEmbedder) -> None:
    """When the embedder does not answer, recall goes by words, and embedding is tried again later."""
    embedder.fail = True
    assert [SAID[1]] == texts(await rememora.user("ana", tenant="acme").recall("fornecedor", limit=1))
    embedder.fail = False
    await rememora.settle()
    assert await rememora.health.index_lag() == 0


async def test_another_model_is_refused_until_reembedded(rememora: Rememora, settings: Settings) -> None:
    """Vectors of two models never mix: the error names the command, and the command mends it."""
    await rememora.settle()
    await rememora.close()
    wider = WordEmbedder(name="wider", dimension=128)
    with pytest.raises(ModelMismatch) as refusal:
        await Rememora.open(settings=settings, embedder=wider)
    steps: list[tuple[int, int]] = []
    done = await Rememora.reembed(settings=settings, embedder=wider, progress=lambda *at: steps.append(at))
    async with Rememora.open(settings=settings, embedder=wider, background=False) as again:
        hits = await again.user("ana", tenant="acme").recall("fornecedor", limit=1)

    assert refusal.value.command == "rememora reembed"
    assert done == len(SAID)
    assert (len(SAID), len(SAID)) == steps[-1]
    assert [SAID[1]] == texts(hits)


async def test_one_bad_text_holds_nothing_up(settings: Settings) -> None:
    """A text that the model cannot take is left to words; the others get their vectors."""

    class Picky(WordEmbedder):
        async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
            if any("veneno" in text for text in texts):
                raise RuntimeError("cannot")
            return await super().embed(texts, query=query)

    async with Rememora.open(settings=settings, embedder=Picky(), background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.conversation("c1").append_many({"role": "user", "content": c} for c in ("um", "veneno", "dois"))
        await rememora.settle()

        assert await rememora.health.index_lag() == 0
        assert ["veneno"] == texts(await ana.recall("veneno", limit=1))


@pytest.mark.parametrize("odd", [0.0, float("nan"), float("inf")])
async def test_a_vector_that_points_nowhere_spoils_nothing(settings: Settings, odd: float) -> None:
    """Of a text, or of the question: it is left to its words, and everybody else is found as before."""

    class Odd(WordEmbedder):
        async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
            vectors = await super().embed(texts, query=query)
            return [
                np.full_like(vector, odd) if "veneno" in text else vector
                for text, vector in zip(texts, vectors, strict=True)
            ]

    async with Rememora.open(settings=settings, embedder=Odd(), background=False) as rememora:
        for user in ("ana", "bia"):
            talk = rememora.user(user, tenant=f"tenant-of-{user}").conversation("c1")
            await talk.append_many({"role": "user", "content": text} for text in ("veneno", "dois pães"))
        await rememora.settle()
        ana = rememora.user("ana", tenant="tenant-of-ana")

        assert await rememora.health.index_lag() == 0
        assert ["dois pães"] == texts(await ana.recall("dois pães", limit=1))
        assert ["veneno"] == texts(await ana.recall("veneno", limit=1))


async def test_shelves_stay_within_their_memory(settings: Settings) -> None:
    """The least recently asked users are put away, and are found again when asked about."""
    small = Settings.load({"store.url": settings.store.url, "recall.memory_mb": 16}, environ={})
    async with Rememora.open(settings=small, embedder=WordEmbedder(dimension=4096), background=False) as rememora:
        users = [rememora.user(f"u{number}", tenant="acme") for number in range(8)]
        for user in users:
            await user.conversation("c").append_many(
                {"role": "user", "content": f"palavra {n}"} for n in range(300)
            )
            await rememora.settle()
            await user.recall("palavra 7")
        indexes = rememora._parts.searcher()._indexes

        assert indexes.nbytes <= 16 * 1024 * 1024
        assert 0 < len(indexes) < 8
        assert (await users[0].recall("palavra 7", limit=1))[0].content == "palavra 7"


async def test_a_crowd_asked_about_once_takes_nobodys_place(settings: Settings) -> None:
    """Small users share a quarter of the memory until somebody asks about them again after they were put away."""
    small = Settings.load({"store.url": settings.store.url, "recall.memory_mb": 16}, environ={})
    async with Rememora.open(settings=small, embedder=WordEmbedder(dimension=4096), background=False) as rememora:
        users = [rememora.user(f"u{number}", tenant="acme") for number in range(12)]
        for user in users:
            said = ({"role": "user", "content": f"palavra {n}"} for n in range(60))
            await user.conversation("c").append_many(said)
        await rememora.settle()
        indexes = rememora._parts.searcher()._indexes
        for user in users:
            await user.recall("palavra 7")

        assert indexes.nbytes <= 16 * 1024 * 1024 / 4
        assert not indexes.has_loaded(users[0].scope)
        await users[0].recall("palavra 7")
        for user in users[1:]:
            await user.recall("palavra 8")
        assert indexes.has_loaded(users[0].scope)
        assert (await users[5].recall("palavra 7", limit=1))[0].content == "palavra 7"


KILLED = """
import asyncio, sys
from rememora import Rememora
from rememora.testing import WordEmbedder

class Dying(WordEmbedder):
    async def embed(self, texts, *, query=False):
        print("embedding", flush=True)
        await asyncio.sleep(60)

async def main():
    async with Rememora.open(sys.argv[1], embedder=Dying()) as rememora:
        await rememora.user("ana", tenant="acme").conversation("c1").append("user", "palavra perdida")
        await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_a_crash_between_write_and_index_is_repaired(tmp_path: Path) -> None:
    """A process killed while it embeds loses nothing: the next one finishes the work."""
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
    clock = SettableClock(datetime.now(UTC) + timedelta(minutes=5))
    async with Rememora.open(str(tmp_path), embedder=WordEmbedder(), clock=clock, background=False) as rememora:
        assert await rememora.health.index_lag() == 1
        await rememora.settle()
        assert await rememora.health.index_lag() == 0
