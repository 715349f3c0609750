"""A quarter of a million steps of random walks: after each, the store is what a dictionary says it is."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import pytest
from tests.attacks.counts import Probe
from tests.clock import SetClock
from tests.endurance.conftest import Campaign

from rememora import Rememora, Settings, UserMemory
from rememora.errors import NotFound
from rememora.testing import WordEmbedder

STEPS, WALK = 250_000, 500
"""All steps, and those of one walk, which is a person of its own."""
KEYS = ("user.name", "user.role_title", "projects.obra", "prefs.format")
CHATS = ("c1", "c2")
WORDS = ("padaria", "mercado", "oficina", "estoque", "margem", "fornecedor")
Step = Callable[["Walk"], Awaitable[str]]


class Walk:
    """One person, what should be known of them, and what they said; a step returns what is wrong."""

    def __init__(self, who: UserMemory, chance: random.Random) -> None:
        self.who = who
        self.chance = chance
        self.known: dict[str, str] = {}
        self.said: dict[str, list[str]] = {chat: [] for chat in CHATS}
        self.count = 0

    def text(self) -> str:
        """A text that no other step of the walk says."""
        self.count += 1
        return f"{self.chance.choice(WORDS)} x{self.count}"

    async def remember(self) -> str:
        key, value = self.chance.choice(KEYS), self.text()
        await self.who.remember(key, value)
        self.known[key] = value
        return await self.looked()

    async def correct(self) -> str:
        key, value = self.chance.choice(KEYS), self.text()
        try:
            await self.who.memories.correct(key, value)
        except NotFound:
            return f"{key} was not found" if key in self.known else ""
        known, self.known[key] = key in self.known, value
        return await self.looked() if known else f"{key} was corrected, and not known"

    async def forget(self) -> str:
        key = self.chance.choice(KEYS)
        try:
            await self.who.forget(key)
        except NotFound:
            return f"{key} was not found" if key in self.known else ""
        return await self.looked() if self.known.pop(key, None) else f"{key} was forgotten, and not known"

    async def restore(self) -> str:
        key = self.chance.choice(KEYS)
        versions = (await self.who.memories.list(prefix=key, status=None)).items
        if versions:
            chosen = self.chance.choice(versions)
            await self.who.memories.restore(chosen.id)
            self.known[key] = chosen.value
        return await self.looked()

    async def erase(self) -> str:
        key = self.chance.choice(KEYS)
        await self.who.erase(topic=key)
        self.known.pop(key, None)
        gone = not (await self.who.memories.list(prefix=key, status=None)).items
        return await self.looked() if gone else f"versions of {key} are left"

    async def say(self) -> str:
        chat, text = self.chance.choice(CHATS), self.text()
        said = await self.who.conversation(chat).append("user", text)
        self.said[chat].append(text)
        return "" if said.seq == len(self.said[chat]) else f"{chat}: place {said.seq} of {len(self.said[chat])}"

    async def read(self) -> str:
        chat = self.chance.choice(CHATS)
        contents = [turn.content for turn in await self.who.conversation(chat).last_turns(5)]
        return "" if contents == self.said[chat][-5:] else f"{chat}: {contents}"

    async def delete(self) -> str:
        chat = self.chance.choice(CHATS)
        try:
            await self.who.conversation(chat).delete()
        except NotFound:
            return f"{chat} was not found" if self.said[chat] else ""
        self.said[chat] = []
        return ""

    async def recall(self) -> str:
        texts = {text for said in self.said.values() for text in said}
        query = self.text() if not texts else self.chance.choice(sorted(texts))
        hits = {hit.content for hit in await self.who.recall(query, limit=20, kinds=["message"])}
        if not hits <= texts:
            return f"foreign or deleted: {hits - texts}"
        return "" if query in hits or query not in texts else f"{query} is not found"

    async def looked(self) -> str:
        """What is known, whole."""
        result = {memory.key: memory.value for memory in (await self.who.memories.list()).items}
        return "" if result == self.known else f"{result} and not {self.known}"


FREQUENT: tuple[Step, ...] = (Walk.say, Walk.read, Walk.recall)
CHANGING: tuple[Step, ...] = (Walk.remember, Walk.correct, Walk.forget)
RARE: tuple[Step, ...] = (Walk.restore, Walk.erase, Walk.delete)


@pytest.fixture
def overrides() -> dict[str, object]:
    """Commits that do not wait for the disk, as no power is cut; no habits are learned, which the model lacks."""
    return {"store.synchronous": "normal", "layers.patterns": False}


@pytest.mark.slow
async def test_walks_against_a_model(
    settings: Settings, clock: SetClock, campaign: Campaign, probe: Probe
) -> None:
    """Two doors on one store, taken in turn; vectors are made after each hundred steps; the chain holds."""
    async with (
        Rememora.open(settings=settings, clock=clock, embedder=WordEmbedder(), background=False) as one,
        Rememora.open(settings=settings, clock=clock, embedder=WordEmbedder(), background=False) as two,
    ):
        for seed in campaign.seeds(STEPS // WALK):
            chance = random.Random(seed)
            walk = Walk(one.user(f"u{seed}", tenant="acme"), chance)
            for number in range(WALK):
                clock.advance(1)
                door = chance.choice((one, two))
                walk.who = door.user(f"u{seed}", tenant="acme")
                [steps] = chance.choices((FREQUENT, CHANGING, RARE), (12, 6, 1))
                step = chance.choice(steps)
                wrong = await step(walk)
                probe(not wrong, f"seed {seed}, step {number}, {step.__name__}: {wrong}")
                if number % 100 == 99:
                    await door.settle()
        assert (await one.tenant("acme", acting="auditor").audit.verify()).intact
