"""What meets somebody on the first day: slips are told in words that help, and things show what they are."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from tests.clock import MIDDAY

from rememora import Rememora, SyncRememora
from rememora.context.gather import Gatherer, Layer, PackRequest
from rememora.domain.context import Item, Situation
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput, NotFound


def test_a_store_that_was_not_entered_says_how() -> None:
    """Who forgets `async with` is told of it, not of a class they never heard of."""
    opening: Any = Rememora.open(":memory:")

    with pytest.raises(AttributeError, match=r"async with Rememora\.open\(\)"):
        opening.user("ana", tenant="acme")


@pytest.mark.parametrize("field", ["tenant", "user", "conversation"])
@pytest.mark.parametrize("value", ["", "  ", None, 7])
async def test_no_handle_without_a_name(field: str, value: Any) -> None:
    """A blank name or none at all is refused when the handle is asked for, by its field."""
    names: dict[str, Any] = {"tenant": "acme", "user": "ana", "conversation": "c1", field: value}
    async with Rememora.open(":memory:", background=False) as rememora:
        with pytest.raises(InvalidInput) as refused:
            rememora.user(names["user"], tenant=names["tenant"]).conversation(names["conversation"])

    assert field == refused.value.field


async def test_a_listener_that_cannot_be_called_is_refused() -> None:
    """At once, and not at the first event, when nobody looks any more."""
    nobody: Any = "print"
    async with Rememora.open(":memory:", background=False) as rememora:
        with pytest.raises(InvalidInput, match="listener: must be a function"):
            await rememora.events.subscribe("mine", nobody)


async def test_a_key_that_is_nearly_right_is_met_with_the_right_one() -> None:
    """Only keys of the person's own are offered."""
    async with Rememora.open(":memory:", background=False) as rememora:
        ana, bia = (rememora.user(name, tenant="acme") for name in ("ana", "bia"))
        await ana.remember("user.name", "Ana")
        with pytest.raises(NotFound) as slip:
            await ana.memories.correct("user.nme", "Ana Maria")
        with pytest.raises(NotFound) as unknown:
            await bia.forget("user.nme")

    assert ("user.name", None) == (slip.value.near, unknown.value.near)
    assert "did you mean 'user.name'?" in str(slip.value)


async def test_a_key_without_a_namespace_is_quoted() -> None:
    """The refusal shows what was given."""
    async with Rememora.open(":memory:", background=False) as rememora:
        with pytest.raises(InvalidInput, match="'favourite' has none"):
            await rememora.user("ana", tenant="acme").remember("favourite", "azul")


async def test_a_late_layer_is_logged_by_its_name(caplog: pytest.LogCaptureFixture) -> None:
    """The name it has in the settings and in `pack.missing`, not that of a function."""

    async def never(ask: PackRequest) -> list[Item]:
        await asyncio.Event().wait()
        return []

    ask = PackRequest(scope=Scope("acme", "ana"), query="oi", language="pt", now=MIDDAY, situation=Situation())
    with caplog.at_level(logging.WARNING):
        await Gatherer([Layer(name="related", source=never)], deadline_seconds=0.01).gather(ask)

    assert ["the layer 'related' is late and left out of this context"] == caplog.messages


def test_handles_and_replies_show_what_they_are() -> None:
    """At a prompt one line says whose it is and what came of it, and nobody's whole memory scrolls by."""
    with SyncRememora.open(":memory:") as rememora:
        ana = rememora.user("ana", tenant="acme")
        chat = ana.conversation("c1")
        reply = chat.reply("Me chamo Ana")
        shown = [repr(item) for item in (rememora, ana, chat)]

    assert [
        "<SyncRememora of Rememora(':memory:')>",
        "<SyncUserMemory of UserMemory(user='ana', tenant='acme')>",
        "<SyncConversation of Conversation('c1', user='ana', tenant='acme')>",
    ] == shown
    assert repr(reply).startswith("Reply(")
    assert "deeds: saved" in repr(reply)
    assert "tokens)" in repr(reply.pack)
    assert len(repr(reply.pack)) < 200
