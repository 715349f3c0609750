"""Another embedding model without downtime: recall answers all through, and two models' vectors never meet."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.clock import SetClock
from tests.engines.postgres import postgres_url

from rememora import Rememora, Settings
from rememora.engines import open_database
from rememora.errors import Conflict, ModelMismatch, ModelUnavailable
from rememora.ports.index import EmbeddingModel, EmbeddingRun, RunState
from rememora.recall.reembed import plan
from rememora.testing import WordEmbedder

TEXTS = [f"pedido {number} da loja {number % 7}" for number in range(150)]
NEWS = ("boleto azul vencido", "recibo verde assinado", "contrato roxo guardado")
Act = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """An act that is none."""


class Busy(WordEmbedder):
    """A model beside which other things happen: an act before each of its batches."""

    def __init__(self, *acts: Act, name: str = "next", dimension: int = 96) -> None:
        super().__init__(name=name, dimension=dimension)
        self._acts = list(acts)

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        """What `WordEmbedder` makes, after the next act."""
        if self._acts and not query:
            await self._acts.pop(0)()
        return await super().embed(texts, query=query)


async def vectors(settings: Settings) -> dict[str, int]:
    """How many vectors there are of each model."""
    database = await open_database(settings)
    rows = await database.read(None, lambda tx: tx.all("transfer_first_vectors", {"limit": 10_000}))
    await database.close()
    return dict(Counter(row[5] for row in rows))


@pytest.fixture(params=["folder", pytest.param("postgres", marks=pytest.mark.slow)])
def settings(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    """Messages alone are indexed: neither summaries nor episodes come of so few words."""
    monkeypatch.chdir(tmp_path)
    overrides = {"layers.summarization": False, "layers.patterns": False, "episodes.threshold": 1_000}
    with postgres_url() if request.param == "postgres" else nullcontext("store") as url:
        yield Settings.load({"store.url": url, **overrides}, environ={})


@pytest.fixture
async def serving(settings: Settings, clock: SetClock) -> AsyncIterator[Rememora]:
    """A process with the model in use, that has answered already."""
    async with Rememora.open(
        settings=settings, clock=clock, embedder=WordEmbedder(), background=False
    ) as rememora:
        for user in ("ana", "bia"):
            chat = rememora.user(user, tenant="acme").conversation("c1")
            await chat.append_many([{"role": "user", "content": text} for text in TEXTS])
        await rememora.settle()
        await rememora.user("ana", tenant="acme").recall("pedido 7")
        yield rememora


async def test_recall_answers_all_through(serving: Rememora, settings: Settings) -> None:
    """By words and meaning, what is written meanwhile included; the next process finds it by the new model."""
    ana = serving.user("ana", tenant="acme")
    before = await ana.recall("pedido 77", limit=5)
    during: list[tuple[object, ...]] = []

    async def use() -> None:
        text = NEWS[len(during)]
        await ana.conversation("c2").append("user", text)
        hits = await ana.recall("pedido 77", limit=5)
        new = await ana.recall(text, limit=1)
        await serving.settle()
        again = await ana.recall(text, limit=1)
        during.append(
            (
                hits[0].content,
                {hit.id for hit in before} == {hit.id for hit in hits},
                "meaning" in hits[0].parts,
                new[0].content,
                "meaning" in again[0].parts,
            )
        )

    done = await Rememora.reembed(settings=settings, embedder=Busy(use, use, use))
    async with Rememora.open(settings=settings, embedder=Busy(), background=False) as rolled:
        lag = await rolled.health.index_lag()
        hits = await rolled.user("ana", tenant="acme").recall(NEWS[1], limit=1)

    assert [("pedido 77 da loja 0", True, True, text, True) for text in NEWS] == during
    assert done == 2 * len(TEXTS)
    assert {"next/96": 2 * len(TEXTS) + 3} == await vectors(settings)
    assert lag == 0
    assert (NEWS[1], True) == (hits[0].content, "meaning" in hits[0].parts)


async def test_what_is_erased_meanwhile_leaves_nothing(serving: Rememora, settings: Settings) -> None:
    """A person, a conversation and a memory: gone from both models' vectors, also when theirs were being made."""
    bia = serving.user("bia", tenant="acme")

    async def erase_person() -> None:
        await serving.user("ana", tenant="acme").erase(person=True)

    async def delete_conversation() -> None:
        await bia.conversation("c1").delete()

    await Rememora.reembed(settings=settings, embedder=Busy(erase_person, delete_conversation))

    assert {} == await vectors(settings)


async def test_an_old_process_goes_by_words_and_says_so_once(
    serving: Rememora, settings: Settings, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    """After the switch it compares nothing: neither its old vectors nor the new ones of the same length."""
    ana = serving.user("ana", tenant="acme")
    await Rememora.reembed(settings=settings, embedder=WordEmbedder(name="next"))
    clock.advance(60)
    with caplog.at_level(logging.WARNING):
        hits = await ana.recall("pedido 77", limit=1)
        await ana.conversation("c2").append("user", "fatura nova do fornecedor")
        await serving.settle()
        later = await ana.recall("fatura nova", limit=1)
    lag = await serving.health.index_lag()
    async with Rememora.open(settings=settings, embedder=WordEmbedder(name="next"), background=False) as rolled:
        await rolled.settle()
        after = await rolled.health.index_lag()

    assert ["pedido 77 da loja 0", "fatura nova do fornecedor"] == [hits[0].content, later[0].content]
    assert not {"meaning"} & {*hits[0].parts, *later[0].parts}
    assert 1 == sum("moved to another embedding model" in record.message for record in caplog.records)
    assert (1, 0) == (lag, after)


async def test_before_the_old_process_looks_it_compares_only_its_own(
    serving: Rememora, settings: Settings, clock: SetClock
) -> None:
    """From the switch to its next look, what it has not in memory is found by words, never by mixed vectors."""
    bia = serving.user("bia", tenant="acme")
    await Rememora.reembed(settings=settings, embedder=WordEmbedder(name="next"))
    hits = await bia.recall("pedido 77", limit=3)

    assert "pedido 77 da loja 0" == hits[0].content
    assert not any("meaning" in hit.parts for hit in hits)


async def test_until_the_switch_the_next_model_is_refused(serving: Rememora, settings: Settings) -> None:
    """A server that is rolled too early does not open, and is told that the vectors are being made."""
    refused: list[ModelMismatch] = []

    async def roll() -> None:
        with pytest.raises(ModelMismatch) as refusal:
            await Rememora.open(settings=settings, embedder=Busy())
        refused.append(refusal.value)

    await Rememora.reembed(settings=settings, embedder=Busy(roll))
    async with Rememora.open(settings=settings, embedder=Busy(), background=False):
        pass
    with pytest.raises(ModelMismatch) as old:
        await Rememora.open(settings=settings, embedder=WordEmbedder())

    assert "not all made yet" in str(refused[0])
    assert "rememora reembed" == refused[0].command == old.value.command
    assert "not all made yet" not in str(old.value)


async def test_what_is_broken_off_goes_on(serving: Rememora, settings: Settings) -> None:
    """A model that goes away leaves what it has made; the next try makes the rest and no more."""

    async def go_away() -> None:
        raise ModelUnavailable

    steps: list[tuple[int, int]] = []
    with pytest.raises(ModelUnavailable):
        await Rememora.reembed(settings=settings, embedder=Busy(nothing, nothing, go_away))
    half = await vectors(settings)
    again = Busy()
    await Rememora.reembed(settings=settings, embedder=again, progress=lambda *at: steps.append(at))

    assert {"words/64": 300, "next/96": 128} == half
    assert {"next/96": 300} == await vectors(settings)
    assert steps == sorted(steps)
    assert (128 < steps[0][0], (300, 300)) == (True, steps[-1])
    assert 4 == again.calls


async def test_a_third_model_takes_the_place_of_the_next(serving: Rememora, settings: Settings) -> None:
    """Begun with another model meanwhile, the first gives up, and nothing of it is left."""

    async def begin_another() -> None:
        await Rememora.reembed(settings=settings, embedder=WordEmbedder(name="third", dimension=32))

    with pytest.raises(Conflict, match="replaced this one"):
        await Rememora.reembed(settings=settings, embedder=Busy(nothing, begin_another))

    assert {"third/32": 300} == await vectors(settings)


async def test_the_same_model_makes_its_vectors_anew(serving: Rememora, settings: Settings) -> None:
    """In place, for an index that is in doubt: nothing is doubled, and whoever serves goes on."""
    embedder = WordEmbedder()
    done = await Rememora.reembed(settings=settings, embedder=embedder)
    hits = await serving.user("ana", tenant="acme").recall("pedido 77", limit=1)

    assert (300, 6) == (done, embedder.calls)
    assert {"words/64": 300} == await vectors(settings)
    assert "meaning" in hits[0].parts


async def test_an_item_the_next_model_cannot_take_is_left_to_words(serving: Rememora, settings: Settings) -> None:
    """One text holds up neither the others nor the switch."""

    class Picky(WordEmbedder):
        async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
            if "pedido 77 da loja 0" in texts and not query:
                raise RuntimeError("cannot")
            return await super().embed(texts, query=query)

    await Rememora.reembed(settings=settings, embedder=Picky(name="next"))
    async with Rememora.open(settings=settings, embedder=Picky(name="next"), background=False) as rolled:
        hits = await rolled.user("ana", tenant="acme").recall("pedido 77", limit=5)

    assert {"next/64": 298} == await vectors(settings)
    assert "pedido 77 da loja 0" in [hit.content for hit in hits]


A, B = EmbeddingModel("a", 1), EmbeddingModel("b", 1)


def run(number: int, model: EmbeddingModel, state: RunState) -> EmbeddingRun:
    return EmbeddingRun(number=number, model=model, state=state)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], (run(1, B, "current"), ())),
        ([run(1, A, "current")], (run(2, B, "next"), ())),
        ([run(1, A, "current"), run(2, B, "next")], (run(2, B, "next"), ())),
        ([run(1, B, "current"), run(2, A, "next")], (run(3, B, "next"), (2,))),
        ([run(1, A, "old"), run(2, B, "current")], (run(2, B, "current"), ())),
        ([run(2, B, "current")], (run(3, B, "next"), ())),
        ([run(1, A, "old"), run(2, B, "old"), run(3, A, "current")], (run(4, B, "next"), ())),
    ],
)
def test_what_there_is_decides_what_to_make(
    runs: list[EmbeddingRun], expected: tuple[EmbeddingRun, tuple[int, ...]]
) -> None:
    """Going on where it was, giving another up, or beginning: never two next ones, never a number twice."""
    assert expected == plan(runs, B)
