"""The index against brute force: through writes, deletions, erasures, failures, deaths and two doors.

Two memories are open on one folder all along, so that each learns of what the other did while it has everybody in
memory. What is found by words and how near it is by meaning are compared with what the test knows and computes.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numpy.typing import NDArray

from rememora import Rememora, Settings, UserMemory
from rememora.domain.hit import Hit, Kind
from rememora.errors import NotFound
from rememora.language.keys import called
from rememora.testing import SettableClock, WordEmbedder

T = TypeVar("T")
WORDS = ("fornecedor", "reunião", "padaria", "kevin", "margem", "estoque")
THREADS = ("c1", "c2")
KINDS: tuple[Kind, ...] = ("message", "memory", "entity")
DOORS, USERS = st.sampled_from([0, 1]), st.sampled_from(["ana", "bia"])
KEYS, THINGS = st.sampled_from(["user.name", "user.role_title"]), st.sampled_from(["natal", "verão"])
SAYING = st.sets(st.sampled_from(WORDS), min_size=1)


class Killed(BaseException):
    """The end of a process, as far as a test can have it inside its own."""


class Mortal(WordEmbedder):
    """Dies after embedding so many batches."""

    left: int | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[NDArray[np.float32]]:
        if self.left is not None and not query:
            if not self.left:
                raise Killed
            self.left -= 1
        return await super().embed(texts, query=query)


class Recall(RuleBasedStateMachine):
    """Two users of one tenant; what holds a word is found by it, at either door, and nothing else is."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.embedder, self.clock = Mortal(), SettableClock()
        self.said: dict[tuple[str, str], list[str]] = {}
        self.known: dict[tuple[str, str], str] = {}
        self.mentioned: dict[tuple[str, str], tuple[str, int]] = {}
        self.embedded: set[tuple[str, str]] = set()
        self.unsure: set[tuple[str, str]] = set()
        self.doors: list[Rememora] = []
        self.ghosts: list[Rememora] = []
        self.count = 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    @initialize()
    def open(self) -> None:
        self.doors = [self.run(self._open()) for _ in range(2)]

    async def _open(self) -> Rememora:
        values = {"store.url": self.folder.name, "layers.patterns": False}
        settings = Settings.load(values, environ={})
        return await Rememora.open(settings=settings, embedder=self.embedder, clock=self.clock, background=False)

    def user(self, door: int, user: str) -> UserMemory:
        return self.doors[door].user(user, tenant="acme")

    def text(self, words: set[str]) -> str:
        self.count += 1
        return f"{' '.join(sorted(words))} x{self.count}"

    def items(self, user: str) -> Iterator[tuple[str, str, str]]:
        """Where each item of a user stands, its text, and what is embedded of it."""
        for (owner, thread), contents in self.said.items():
            yield from ((thread, content, content) for content in contents if owner == user)
        for (owner, key), value in self.known.items():
            if owner == user:
                text = f"{key.replace('.', ' ').replace('_', ' ')}: {value}"
                yield "", text, f"{text}\n{called(key)}"
        for (owner, key), (value, _) in self.mentioned.items():
            if owner == user:
                yield "", f"campaign {key}: {value}", f"campaign {key}: {value}"

    def everything(self) -> set[tuple[str, str]]:
        return {(user, searched) for user in ("ana", "bia") for _, _, searched in self.items(user)}

    @rule(door=DOORS, user=USERS, thread=st.sampled_from(THREADS), words=SAYING)
    def say(self, door: int, user: str, thread: str, words: set[str]) -> None:
        content = self.text(words)
        self.run(self.user(door, user).conversation(thread).append("user", content))
        self.said.setdefault((user, thread), []).append(content)

    @rule(door=DOORS, user=USERS, words=SAYING, ticks=st.integers(0, 3))
    def say_and_be_cut_off(self, door: int, user: str, words: set[str], ticks: int) -> None:
        """Nobody was told whether it was stored: the store says, and recall says the same."""
        content = self.text(words)
        stored = self.run(self._cut_off(door, user, content, ticks))
        self.said.setdefault((user, "c1"), []).extend([content] * stored)

    async def _cut_off(self, door: int, user: str, content: str, ticks: int) -> int:
        chat = self.user(door, user).conversation("c1")
        task = asyncio.ensure_future(chat.append("user", content))
        for _ in range(ticks):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        # Writes at one door are done one after the other: after this one it is decided.
        await self.user(door, "zoe").entities.mention("campaign", "x", "y")
        return sum(message.content == content for message in (await chat.messages(limit=1000)).items)

    @rule(door=DOORS, user=USERS, key=KEYS, words=SAYING)
    def remember(self, door: int, user: str, key: str, words: set[str]) -> None:
        value = self.text(words)
        self.run(self.user(door, user).remember(key, value))
        self.known[user, key] = value

    @rule(door=DOORS, user=USERS, key=KEYS, words=SAYING)
    def correct(self, door: int, user: str, key: str, words: set[str]) -> None:
        value = self.text(words)
        with suppress(NotFound):
            self.run(self.user(door, user).memories.correct(key, value))
            self.known[user, key] = value

    @rule(door=DOORS, user=USERS, key=KEYS)
    def forget(self, door: int, user: str, key: str) -> None:
        with suppress(NotFound):
            self.run(self.user(door, user).forget(key))
            self.known.pop((user, key), None)

    @rule(door=DOORS, user=USERS, key=THINGS, words=SAYING, again=st.booleans())
    def mention(self, door: int, user: str, key: str, words: set[str], again: bool) -> None:
        before, count = self.mentioned.get((user, key), (None, 0))
        value = before if again and before else self.text(words)
        self.clock.advance(1)
        self.run(self.user(door, user).entities.mention("campaign", key, value))
        self.mentioned[user, key] = value, count + 1

    @rule(door=DOORS, user=USERS, thread=st.sampled_from(THREADS))
    def delete(self, door: int, user: str, thread: str) -> None:
        removed = self.run(self.user(door, user).conversation(thread).delete())

        assert len(self.said.pop((user, thread), [])) == removed.messages

    @rule(door=DOORS, user=USERS)
    def erase(self, door: int, user: str) -> None:
        self.run(self.user(door, user).erase(person=True))
        for held in (self.said, self.known, self.mentioned):
            for place in [place for place in held if place[0] == user]:
                del held[place]

    @rule(door=DOORS)
    def erase_tenant(self, door: int) -> None:
        with suppress(NotFound):
            self.run(self.doors[door].operator(acting="root").tenants.erase("acme", confirm="acme"))
        for held in (self.said, self.known, self.mentioned):
            held.clear()

    @precondition(lambda self: not self.embedder.fail)
    @rule(door=DOORS)
    def settle(self, door: int) -> None:
        self.run(self.doors[door].settle())
        self.embedded, self.unsure = self.everything(), set()

        assert self.run(self.doors[door].health.index_lag()) == 0

    @rule(down=st.booleans())
    def model(self, down: bool) -> None:
        self.embedder.fail = down

    @rule(door=DOORS)
    def reopen(self, door: int) -> None:
        self.run(self.doors[door].close())
        self.doors[door] = self.run(self._open())

    @rule(door=DOORS)
    def crash(self, door: int) -> None:
        """It is left as it is, without a word to anybody."""
        self.ghosts.append(self.doors[door])
        self.doors[door] = self.run(self._open())

    @precondition(lambda self: not self.embedder.fail)
    @rule(door=DOORS, left=st.integers(0, 2))
    def crash_while_embedding(self, door: int, left: int) -> None:
        """Some have their vectors, some have not: the next to settle does the rest."""
        self.embedder.left = left
        with suppress(Killed):
            self.run(self.doors[door].settle())
        self.embedder.left = None
        self.unsure = self.everything()
        self.crash(door)

    @rule(door=DOORS, user=USERS, word=st.sampled_from(WORDS), excluded=st.sampled_from([None, *THREADS]))
    def recall(self, door: int, user: str, word: str, excluded: str | None) -> None:
        hits = self.recalled(door, user, word, exclude_conversation=excluded)
        mine = {text for thread, text, _ in self.items(user) if thread != excluded or not thread}

        assert {text for text in mine if word in text} == {hit.content for hit in hits if word in hit.content}
        assert {hit.content for hit in hits} <= mine
        assert excluded not in {hit.conversation for hit in hits if hit.kind == "message"}

    @precondition(lambda self: not self.embedder.fail)
    @rule(door=DOORS, user=USERS, words=SAYING)
    def compare(self, door: int, user: str, words: set[str]) -> None:
        """The nearness of an item is the cosine of its vector and of no other; what has none is not near."""
        query = " ".join(sorted(words))
        result, request = self.recalled(door, user, query), self.embedder._vector(query)
        near = {hit.content: hit.similarity for hit in result if "meaning" in hit.parts}
        cosines = {
            text: max(0.0, float(self.embedder._vector(searched) @ request))
            for _, text, searched in self.items(user)
            if (user, searched) in self.embedded or ((user, searched) in self.unsure and text in near)
        }

        assert near.keys() <= cosines.keys()
        assert all(abs(near.get(text, 0.0) - cosine) < 1e-3 for text, cosine in cosines.items())

    def recalled(self, door: int, user: str, query: str, **narrowed: Any) -> list[Hit]:
        return self.run(self.user(door, user).recall(query, limit=100, kinds=KINDS, **narrowed))

    @invariant()
    def both_doors_are_warm_and_true(self) -> None:
        for door in range(len(self.doors)):
            for hit in self.recalled(door, "ana", "fornecedor margem natal"):
                assert abs(hit.score - sum(hit.parts.values())) < 1e-3
                assert 0 <= hit.similarity <= 1
                if hit.kind == "entity":
                    assert self.mentioned["ana", hit.metadata["key"]][1] == hit.metadata["mentions"]

    def teardown(self) -> None:
        for item in (*self.doors, *self.ghosts):
            self.run(item.close())
        self.loop.close()
        self.folder.cleanup()


class LongRecall(Recall):
    """The same, for longer."""


Recall.TestCase.settings = hypothesis_settings(max_examples=12, stateful_step_count=25, deadline=None)
LongRecall.TestCase.settings = hypothesis_settings(max_examples=100, stateful_step_count=40, deadline=None)
TestRecall = Recall.TestCase
TestLongRecall = pytest.mark.slow(LongRecall.TestCase)
