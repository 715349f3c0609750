"""The index against brute force: through writes, deletions, embedding, failures and reopening, it never strays."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from typing import Any, TypeVar

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rememora import Rememora
from rememora.testing import WordEmbedder

T = TypeVar("T")
WORDS = ("fornecedor", "reunião", "padaria", "kevin", "margem", "estoque")
USERS = ("ana", "bia")
THREADS = ("c1", "c2")


class Recall(RuleBasedStateMachine):
    """Two users, two conversations each, six words; what holds a word is found by it, and nothing else is."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.embedder = WordEmbedder()
        self.said: dict[tuple[str, str], list[str]] = {}
        self.count = 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    @initialize()
    def open(self) -> None:
        self.rememora = self.run(self._open())

    async def _open(self) -> Rememora:
        return await Rememora.open(self.folder.name, embedder=self.embedder, background=False)

    @rule(
        user=st.sampled_from(USERS),
        thread=st.sampled_from(THREADS),
        words=st.sets(st.sampled_from(WORDS), min_size=1),
    )
    def say(self, user: str, thread: str, words: set[str]) -> None:
        self.count += 1
        content = f"{' '.join(sorted(words))} x{self.count}"
        chat = self.rememora.user(user, tenant="acme").conversation(thread)
        self.run(chat.append("user", content))
        self.said.setdefault((user, thread), []).append(content)

    @rule(user=st.sampled_from(USERS), thread=st.sampled_from(THREADS))
    def delete(self, user: str, thread: str) -> None:
        removed = self.run(self.rememora.user(user, tenant="acme").conversation(thread).delete())

        assert len(self.said.pop((user, thread), [])) == removed.messages

    @rule()
    def settle(self) -> None:
        if not self.embedder.fail:
            self.run(self.rememora.settle())

            assert self.run(self.rememora.index_lag()) == 0

    @rule(down=st.booleans())
    def model(self, down: bool) -> None:
        self.embedder.fail = down

    @rule()
    def reopen(self) -> None:
        self.run(self.rememora.close())
        self.rememora = self.run(self._open())

    @rule(user=st.sampled_from(USERS), word=st.sampled_from(WORDS), excluded=st.sampled_from([None, *THREADS]))
    def recall(self, user: str, word: str, excluded: str | None) -> None:
        hits = self.run(
            self.rememora.user(user, tenant="acme").recall(word, limit=100, exclude_conversation=excluded)
        )
        expected = {
            content
            for (owner, thread), contents in self.said.items()
            for content in contents
            if owner == user and thread != excluded and word in content
        }
        by_words = {hit.content for hit in hits if word in hit.content}
        mine = {content for (owner, _), contents in self.said.items() if owner == user for content in contents}

        assert expected == by_words
        assert {hit.content for hit in hits} <= mine
        assert excluded not in {hit.conversation for hit in hits}

    @invariant()
    def scores_are_explained(self) -> None:
        if not hasattr(self, "rememora"):
            return
        for hit in self.run(self.rememora.user("ana", tenant="acme").recall("fornecedor margem")):
            assert abs(hit.score - sum(hit.parts.values())) < 1e-3
            assert 0 <= hit.similarity <= 1

    def teardown(self) -> None:
        if hasattr(self, "rememora"):
            self.run(self.rememora.close())
        self.loop.close()
        self.folder.cleanup()


Recall.TestCase.settings = hypothesis_settings(max_examples=25, stateful_step_count=25, deadline=None)
TestRecall = Recall.TestCase
