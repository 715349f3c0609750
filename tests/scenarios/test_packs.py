"""Packs spend their budget: on what answers, from this conversation and others, each line with its date."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.calm import CALM
from tests.clock import SetClock

from rememora import Rememora, Settings, UserMemory, render
from rememora.domain.context import ContextPack

CITIES = ("Recife", "Olinda", "Natal", "Manaus", "Curitiba", "Santos", "Salvador", "Vitória", "Goiânia", "Belém")
GOODS = (
    "farinha",
    "açúcar",
    "fermento",
    "embalagem",
    "manteiga",
    "leite",
    "café",
    "chocolate",
    "queijo",
    "azeite",
)
FACTS = tuple(
    f"O fornecedor de {good} da loja de {city} é a Casa {city} {good}" for city in CITIES for good in GOODS
)
BUDGETS = (300, 500, 1000, 2000)
QUESTION = "Quem é o fornecedor de manteiga da loja de Curitiba?"
ANSWER = "O fornecedor de manteiga da loja de Curitiba é a Casa Curitiba manteiga"


@asynccontextmanager
async def opened(clock: SetClock, **overrides: Any) -> AsyncIterator[tuple[Rememora, UserMemory]]:
    """A store in memory that goes by words, with settings of one's own."""
    values = {"store.url": ":memory:", "recall.embedder": "none", **CALM, **overrides}
    settings = Settings.load(values, environ={})
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        yield rememora, rememora.user("ana", tenant="acme")


async def tell(rememora: Rememora, ana: UserMemory, conversation: str) -> None:
    """A hundred facts in one conversation, much more than its window."""
    lines = [{"role": "user", "content": fact} for fact in FACTS]
    await ana.conversation(conversation).append_many(lines)
    await rememora.settle()


def told(pack: ContextPack, *sections: str) -> list[str]:
    return [item.text for item in pack.items if item.section in sections]


async def test_a_conversation_recalls_its_own_past(clock: SetClock) -> None:
    """What left the window is found again by the question, is told once, and is not the question itself."""
    async with opened(clock) as (rememora, ana):
        await tell(rememora, ana, "c1")
        await ana.conversation("c1").append("user", QUESTION)
        pack = await ana.conversation("c1").context(QUESTION)

        assert ANSWER in told(pack, "past")
        assert QUESTION not in told(pack, "past")
        recent = {item.id for item in pack.section("recent")}
        assert recent
        assert recent.isdisjoint(item.id for item in pack.section("past"))


async def test_a_turn_is_no_evidence_for_itself(clock: SetClock) -> None:
    """Neither the question being answered nor what came after it is part of its own past."""
    async with opened(clock) as (rememora, ana):
        await tell(rememora, ana, "c1")
        reply = await ana.conversation("c1").reply(QUESTION, key="turn")
        assert reply.pack is not None

        assert ANSWER in told(reply.pack, "past")
        assert "turn" not in {item.id for item in reply.pack.items}


@pytest.mark.parametrize(
    ("off", "told_in"),
    [({}, {"past", "related"}), ({"layers.cross_thread": False}, {"past"}), ({"layers.past": False}, {"related"})],
)
async def test_past_and_other_conversations_have_switches_of_their_own(
    clock: SetClock, off: dict[str, Any], told_in: set[str]
) -> None:
    """Without passages of other conversations those of this one are still told, and the other way round."""
    async with opened(clock, **off) as (rememora, ana):
        await tell(rememora, ana, "c1")
        await tell(rememora, ana, "c2")
        pack = await ana.conversation("c1").context(QUESTION)

        assert told_in == {"past", "related"} & set(pack.sections)
        assert {"past", "related"} - told_in == {item.layer for item in pack.missing if item.why == "off"}


async def test_passages_fill_the_budget(clock: SetClock) -> None:
    """More budget holds more passages, within it; what is not told is named with the reason."""
    async with opened(clock) as (rememora, ana):
        await tell(rememora, ana, "c1")
        packs = [await ana.conversation("now").context(QUESTION, budget=budget) for budget in BUDGETS]

        counts = [len(pack.section("related")) for pack in packs]
        assert counts[0] <= 3
        assert counts == sorted(set(counts))
        assert all(0.8 * pack.budget <= pack.tokens <= pack.budget for pack in packs[1:3])
        assert all(ANSWER in told(pack, "related") for pack in packs)
        assert {"budget", "worth"} >= {item.why for pack in packs for item in pack.left_out}
        worths = [sum(item.worth for item in pack.section("related")) for pack in packs]
        assert worths == sorted(worths)


@pytest.mark.parametrize(
    ("overrides", "most"),
    [({"recall.limit": 1}, 1), ({"context.related": 2}, 2), ({"recall.min_similarity": 0.99}, 1)],
)
async def test_limits_of_recall_hold_for_passages(clock: SetClock, overrides: dict[str, Any], most: int) -> None:
    """A host that wants fewer or closer passages has them in the pack too, of this conversation and of others."""
    async with opened(clock, **overrides) as (rememora, ana):
        await tell(rememora, ana, "c1")
        elsewhere = await ana.conversation("now").context(QUESTION)
        pack = await ana.conversation("c1").context(QUESTION)

        assert 1 <= len(elsewhere.section("related")) <= most
        if "context.related" not in overrides:
            assert 1 <= len(pack.section("past")) <= most


async def test_host_names_reach_the_pack(clock: SetClock) -> None:
    """`AGENT_RAG_TOP_K` and `AGENT_RAG_MIN_SIMILARITY` are heard by search and pack alike."""
    environ = {"AGENT_RAG_TOP_K": "1", "AGENT_RAG_MIN_SIMILARITY": "0.2"}
    values = {"store.url": ":memory:", "recall.embedder": "none", **CALM}
    settings = Settings.load(values, environ=environ)
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await tell(rememora, ana, "c1")

        assert 1 == len(await ana.recall(QUESTION))
        assert 1 == len((await ana.conversation("now").context(QUESTION)).section("related"))


async def test_each_line_has_its_date(clock: SetClock) -> None:
    """Statements, summary and passages say when; the person's own words need no name beside it."""
    async with opened(clock) as (rememora, ana):
        await ana.profile.seed(name="Ana")
        assert (await ana.remember("projects.loja.plan", "trocar o fornecedor de manteiga em maio")).memory
        await tell(rememora, ana, "c1")
        await ana.conversation("c2").append("assistant", "Manteiga em Curitiba: o fornecedor da loja muda em maio")
        pack = await ana.conversation("c1").context(QUESTION)
        written = str(render(pack, "markdown"))
        block = written[written.rindex("<memory>") :]
        dated = re.compile(r"- \(\d{4}-\d\d-\d\d(?:, assistant)?\) \S")

        assert {"profile", "memories", "summary", "past", "related"} <= set(pack.sections)
        for title in ("the person", "what is known", "the conversation so far", "earlier in this conversation"):
            lines = block.partition(f"# {title}\n")[2].partition("\n#")[0].splitlines()
            assert lines
            assert all(dated.match(line) for line in lines if line.startswith("- "))
        assert ", assistant) Manteiga em Curitiba" in block


async def test_a_memory_and_the_message_it_came_from_do_not_both_stand(clock: SetClock) -> None:
    """What was kept from a message is told once, and the pack names the memory either way."""
    async with opened(clock) as (rememora, ana):
        reply = await ana.conversation("c1").reply("Lembra que o fornecedor de farinha é o Moinho Azul")
        await rememora.settle()
        pack = await ana.conversation("c2").context("Quem é o fornecedor de farinha?")
        (kept,) = (await ana.memories.list()).items

        assert kept.source_ref == reply.asked.id
        assert 1 == sum(item.id in (kept.id, reply.asked.id) for item in pack.items)
        assert kept.id in pack.memory_ids
        assert "repeated" in {item.why for item in pack.left_out}


async def test_recall_leaves_places_empty(clock: SetClock) -> None:
    """Five places, one answer: what nothing speaks for is left out, unless the floor is taken away."""
    lines = ["Oi! Prefiro respostas curtas.", "A farinha vem do Moinho Azul", "Hoje choveu bastante", "Até amanhã"]
    counts = []
    for expected in ({}, {"recall.floor": 0.0}):
        async with opened(clock, **{"recall.embedder": "offline", **expected}) as (rememora, ana):
            for number, line in enumerate(lines):
                await ana.conversation(f"c{number}").append("user", line)
            await rememora.settle()
            hits = await ana.recall("de onde vem a farinha?")
            counts.append(len(hits))

            assert "A farinha vem do Moinho Azul" == hits[0].content
            assert all(0 <= hit.score <= 1 for hit in hits)
            assert hits == sorted(hits, key=lambda hit: -hit.score)
            assert all(sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-4) for hit in hits)

    assert [1, 4] == counts
