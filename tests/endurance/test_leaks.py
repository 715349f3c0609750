"""A hundred thousand questions by strangers: none is answered with a word of somebody else."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.attacks.counts import Probe
from tests.endurance.conftest import Campaign

from rememora import Rememora, Settings, UserMemory
from rememora.errors import RememoraError
from rememora.testing import WordEmbedder

PROBES = 100_000
PEOPLE = [(tenant, user) for tenant in ("acme", "acme2", "acm_", "ACME") for user in ("ana", "ana2", "an%")]
Ask = Callable[[UserMemory, str, str], Awaitable[Any]]
ASKS: dict[str, Ask] = {
    "recall": lambda who, word, _: who.recall(word, limit=20),
    "nearest": lambda who, word, _: who.memories.nearest(word),
    "context": lambda who, word, _: who.conversation("c1").context(word, budget=500),
    "messages": lambda who, _, __: who.conversation("c1").messages(),
    "last turns": lambda who, _, __: who.conversation("c1").last_turns(),
    "memories": lambda who, _, __: who.memories.list(),
    "memory by id": lambda who, _, known: who.memories.get(known),
    "explanation by id": lambda who, _, known: who.memories.explain(known),
    "history by id": lambda who, _, known: who.memories.history(known),
    "correction by id": lambda who, _, known: who.memories.correct(known, "outro"),
    "forgetting by id": lambda who, _, known: who.forget(known),
    "document": lambda who, _, __: who.documents("notes").get("plano"),
    "entities": lambda who, _, __: who.entities.list(),
    "export": lambda who, _, __: who.archive.export(),
}


@pytest.mark.slow
async def test_strangers_learn_nothing(settings: Settings, campaign: Campaign, probe: Probe) -> None:
    """People of lookalike tenants and names ask each other's words and ids; nobody hears a foreign word."""
    async with Rememora.open(settings=settings, embedder=WordEmbedder(), background=False) as rememora:
        words, ids = await _furnish(rememora)
        mine: dict[str, int] = dict.fromkeys(ASKS, 0)
        for seed in campaign.seeds(PROBES):
            chance = random.Random(seed)
            (asker, victim), name = chance.sample(PEOPLE, 2), chance.choice(list(ASKS))
            who = rememora.user(asker[1], tenant=asker[0])
            try:
                said = repr(await ASKS[name](who, words[victim], ids[victim]))
            except RememoraError as error:
                said = str(error)
            # The asked word itself may come back in a pack; the rest of the victim's text may not.
            leaked = [person for person in PEOPLE if person != asker and _secret(words[person]) in said]
            mine[name] += _secret(words[asker]) in said
            probe(not leaked, f"seed {seed}: {name} of {victim} by {asker} told of {leaked}")
        kept = {
            item: (await rememora.user(item[1], tenant=item[0]).memories.get(ids[item])).value for item in PEOPLE
        }

    assert {person: _secret(words[person]) for person in PEOPLE} == kept
    assert mine["recall"] + mine["messages"] + mine["export"] > 0, "strangers saw nothing of their own either"


def _secret(word: str) -> str:
    """Return the text that is told beside the word that is asked for."""
    return word[::-1]


async def _furnish(rememora: Rememora) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """Give everybody a word of their own in every place."""
    chance, words, ids = random.Random(0), {}, {}
    for tenant, user in PEOPLE:
        word = "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=12))
        who = rememora.user(user, tenant=tenant)
        await who.conversation("c1").append("user", f"{word} combina com {_secret(word)}")
        kept = await who.remember("projects.obra", _secret(word))
        assert kept.memory is not None
        await who.entities.mention("person", word, _secret(word))
        await who.documents("notes").put("plano", {"text": _secret(word)})
        words[tenant, user], ids[tenant, user] = word, kept.memory.id
    await rememora.settle()
    return words, ids
