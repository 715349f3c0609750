"""History against a model: whatever is done in whatever order, the store answers as a plain list would."""

from __future__ import annotations

import tempfile
from datetime import datetime
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.clock import SetClock
from tests.contract.making import moment

from rememora import Message, Settings, SyncConversation, SyncRememora, SyncUserMemory
from rememora.errors import Conflict, NotFound

Key = tuple[str, str, str]
KEYS: list[Key] = [
    ("acme", "ana", "c1"),
    ("acme", "ana", "c2"),
    ("acme", "bia", "c1"),
    ("acme2", "ana", "c1"),
]
TURNS, CHARACTERS = 6, 100

keys = st.sampled_from(KEYS)
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60).map("x{}".format)
drafts = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": words},
    optional={
        "id": st.sampled_from(["a", "b", "c", "d"]),
        "created_at": st.integers(-5, 5).map(moment),
        "modality": st.sampled_from(["chat", "voice"]),
        "metadata": st.dictionaries(st.text("abc", max_size=2), st.integers() | st.text("xyz"), max_size=2),
    },
)
FIELDS = ("role", "content", "modality", "metadata")
Plain = dict[str, Any]
DEFAULTS: Plain = {"id": None, "modality": "chat", "metadata": {}}


class HistoryMachine(RuleBasedStateMachine):
    """The store on one side, lists on the other."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="rememora-")
        self.clock = SetClock()
        self.settings = Settings.load(
            {
                "store.url": self.folder.name,
                "store.synchronous": "normal",
                "window.turns": TURNS,
                "window.characters": CHARACTERS,
            },
            environ={},
        )
        self.model: dict[Key, list[Plain]] = {}
        self.deleted: list[tuple[Key, int]] = []
        self.open()

    def open(self) -> None:
        self.rememora = SyncRememora.open(settings=self.settings, clock=self.clock, background=False)

    def teardown(self) -> None:
        self.rememora.close()
        self.folder.cleanup()

    @rule(key=keys, draft=drafts)
    def append(self, key: Key, draft: Plain) -> None:
        """One message; an id that is taken by another message is a conflict that changes nothing."""
        if self.clashes(key, [draft]):
            with pytest.raises(Conflict):
                self.chat(key).append(**draft)
            return
        [expected] = self.remember(key, [draft])
        stored = plain(self.chat(key).append(**draft))
        expected["id"] = expected["id"] or stored["id"]

        assert expected == stored

    @rule(key=keys, batch=st.lists(drafts, max_size=6))
    def append_many(self, key: Key, batch: list[Plain]) -> None:
        """All or none of a short list."""
        if self.clashes(key, batch):
            with pytest.raises(Conflict):
                self.chat(key).append_many(batch)
            return
        self.remember(key, batch)

        assert len(batch) == self.chat(key).append_many(batch)

        for message, stored in zip(
            self.model.get(key, []), self.chat(key).messages(limit=1000).items, strict=True
        ):
            message["id"] = message["id"] or stored.id

    @precondition(lambda self: any(self.model.values()))
    @rule(choose=st.randoms(use_true_random=False))
    def append_again(self, choose: Any) -> None:
        """A message given again, id and all, is the one that is there."""
        key = choose.choice([key for key, messages in self.model.items() if messages])
        there = choose.choice(self.model[key])
        again = {field: there[field] for field in (*FIELDS, "id", "created_at")}

        assert there == plain(self.chat(key).append(**again))

    @rule(key=keys, limit=st.none() | st.integers(1, 9))
    def window(self, key: Key, limit: int | None) -> None:
        """The newest turns within both bounds, in order."""
        turns = [message for message in self.model.get(key, []) if message["role"] != "system"]
        expected: list[Plain] = []
        for turn in reversed(turns[-min(limit or TURNS, TURNS) :]):
            if sum(len(item["content"]) for item in expected) + len(turn["content"]) > CHARACTERS:
                break
            expected.insert(0, turn)

        assert expected == [plain(turn) for turn in self.chat(key).last_turns(limit)]

    @rule(key=keys, size=st.integers(1, 5))
    def pages(self, key: Key, size: int) -> None:
        """The pages of a conversation, joined, are the conversation."""
        messages: list[Message] = []
        after: str | None = None
        while True:
            page = self.chat(key).messages(limit=size, after=after)
            messages += page.items
            if (after := page.next) is None:
                break

        assert self.model.get(key, []) == [plain(message) for message in messages]

    @rule(owner=st.sampled_from(sorted({key[:2] for key in KEYS})), size=st.integers(1, 3))
    def conversations(self, owner: tuple[str, str], size: int) -> None:
        """A user's conversations by last activity, each once, whatever the page size."""
        texts: list[str] = []
        after: str | None = None
        while True:
            page = self.user(owner).conversations.list(limit=size, after=after)
            texts += [record.id for record in page.items]
            if (after := page.next) is None:
                break
        mine = {key[2]: self.span(key)[1] for key in self.model if key[:2] == owner}

        assert sorted(mine, key=lambda item: (mine[item], item), reverse=True) == texts

    @rule(key=keys)
    def delete(self, key: Key) -> None:
        """Everything of a conversation goes, counted, and is told once."""
        removed = self.chat(key).delete()
        was_there = key in self.model
        messages = len(self.model.pop(key, []))
        if was_there:
            self.deleted.append((key, messages))

        assert (int(was_there), messages) == (removed.conversations, removed.messages)

    @rule()
    def reopen(self) -> None:
        """Closing and opening changes nothing."""
        self.rememora.close()
        self.open()

    @rule(seconds=st.integers(0, 3))
    def tick(self, seconds: int) -> None:
        """Time passes, or does not."""
        self.clock.advance(seconds)

    @invariant()
    def records_agree(self) -> None:
        """What is known of each conversation is what its messages say."""
        for key in KEYS:
            if key not in self.model:
                with pytest.raises(NotFound):
                    self.chat(key).about()
                continue
            record = self.chat(key).about()
            messages = self.model[key]
            turns = sum(message["role"] != "system" for message in messages)

            assert (len(messages), turns) == (record.messages, record.turns)
            assert self.span(key) == (record.created_at, record.updated_at)

    @invariant()
    def events_agree(self) -> None:
        """Every deletion was told, in order, to its tenant alone."""
        for tenant in ("acme", "acme2"):
            events = self.rememora.tenant(tenant, acting="test").events.list(types=["conversation.deleted"])
            expected = [(key, count) for key, count in self.deleted if key[0] == tenant]

            assert expected == [
                ((event.tenant, event.user, event.conversation), event.payload["messages"]) for event in events
            ]

    def user(self, owner: tuple[str, str]) -> SyncUserMemory:
        return self.rememora.user(owner[1], tenant=owner[0])

    def chat(self, key: Key) -> SyncConversation:
        return self.user(key[:2]).conversation(key[2])

    def span(self, key: Key) -> tuple[datetime, datetime]:
        times = [message["created_at"] for message in self.model[key]]
        return min(times), max(times)

    def clashes(self, key: Key, batch: list[Plain]) -> bool:
        """Whether some id already stands for another message, stored or earlier in the batch."""
        taken: dict[str, Plain] = {message["id"]: message for message in self.model.get(key, [])}
        for draft in batch:
            id = draft.get("id")
            if id is None:
                continue
            if id in taken and not same(draft, taken[id]):
                return True
            taken.setdefault(id, draft)
        return False

    def remember(self, key: Key, batch: list[Plain]) -> list[Plain]:
        """Put what is new at the end of the model; returns each draft as it should be stored."""
        stored: list[Plain] = []
        for draft in batch:
            there = self.model.get(key, [])
            known = [message for message in there if "id" in draft and message["id"] == draft["id"]]
            if not known:
                message = {**DEFAULTS, "created_at": self.clock.now, **draft, "seq": len(there) + 1}
                self.model.setdefault(key, []).append(message)
                known = [message]
            stored += known
        return stored


def same(draft: Plain, other: Plain) -> bool:
    """Whether a draft says what another message says."""
    fields = FIELDS if "created_at" not in draft else (*FIELDS, "created_at")
    return all({**DEFAULTS, **draft}[field] == {**DEFAULTS, **other}.get(field) for field in fields)


def plain(message: Message) -> Plain:
    """A message as the model keeps it."""
    return {field: getattr(message, field) for field in (*FIELDS, "id", "created_at", "seq")}


class LongHistory(HistoryMachine):
    """The same, for longer."""


HistoryMachine.TestCase.settings = hypothesis_settings(max_examples=10, stateful_step_count=25, deadline=None)
LongHistory.TestCase.settings = hypothesis_settings(max_examples=100, stateful_step_count=40, deadline=None)
TestHistory = HistoryMachine.TestCase
TestLongHistory = pytest.mark.slow(LongHistory.TestCase)
