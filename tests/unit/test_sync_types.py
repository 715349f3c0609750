"""Verbs without `await` have the handles' own types: `make check` compares what stands in `assert_type`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import assert_type

import pytest

from rememora import Hit, Memory, Message, Outcome, Page, ReplyPart, SyncConversation, SyncRememora
from rememora.handles.user import UserMemory
from rememora.sync.user import SyncUserMemories, SyncUserMemory


def test_verbs_nouns_and_streams_are_typed() -> None:
    """A verb, a keyword of it, a noun, a handle that a handle opens, and a stream."""
    with SyncRememora.open(":memory:") as rememora:
        ana = assert_type(rememora.user("ana", tenant="acme"), SyncUserMemory)
        chat = assert_type(ana.conversation("c1", channel="chat"), SyncConversation)

        assert_type(chat.append("user", "moro em Recife", modality="chat"), Message)
        assert_type(ana.remember("user.city", "Recife"), Outcome)
        assert_type(ana.recall("onde moro?", limit=3), list[Hit])
        assert_type(ana.memories, SyncUserMemories)
        assert_type(ana.memories.list(limit=5), Page[Memory])
        pieces = assert_type(chat.stream("onde moro?"), Iterator[ReplyPart])

        assert "Recife" in str(list(pieces)[-1].reply)
        assert "Recife" == ana.memories.get("user.city").value


def test_a_verb_has_the_help_of_its_handle() -> None:
    """Docstring and signature are the handle's own, and a wrong argument is refused as there."""
    assert UserMemory.recall.__doc__ == SyncUserMemory.recall.__doc__
    assert inspect.signature(UserMemory.recall).parameters == inspect.signature(SyncUserMemory.recall).parameters
    with SyncRememora.open(":memory:") as rememora, pytest.raises(TypeError, match="limits"):
        getattr(rememora.user("ana", tenant="acme"), "recall")("onde moro?", limits=3)  # noqa: B009
