"""Bad input is refused with a typed error that names the field, and nothing of it is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from tests.looped import looped

from rememora import Attachment, Conversation, NewMessage, Rememora
from rememora.domain.message import CONTENT_BYTES
from rememora.errors import InvalidInput, StoreUnavailable

SEVEN: Any = 7
BAD: list[tuple[str, Any]] = [
    ("role", "owner"),
    ("role", "User"),
    ("role", ""),
    ("role", None),
    ("role", ["user"]),
    ("role", {"user": 1}),
    ("content", ""),
    ("content", "  \n\t "),
    ("content", "a\x00b"),
    ("content", "half \ud83d pair"),
    ("content", None),
    ("content", b"oi"),
    ("content", "x" * (CONTENT_BYTES + 1)),
    ("content", "é" * (CONTENT_BYTES // 2 + 1)),
    ("id", ""),
    ("id", "a\x00"),
    ("id", "\ud800"),
    ("id", "x" * 256),
    ("id", 7),
    ("created_at", datetime(2025, 1, 1)),
    ("created_at", datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))),
    ("created_at", "2025-01-01"),
    ("created_at", 1_700_000_000),
    ("modality", "video"),
    ("modality", []),
    ("attachments", [{"media_type": "image/png"}]),
    ("attachments", [{"name": "a", "bytes": "…"}]),
    ("attachments", [{"name": 7}]),
    ("attachments", [Attachment(name=SEVEN)]),
    ("attachments", [{"name": "a\x00"}]),
    ("attachments", [{"name": "a", "size_bytes": -1}]),
    ("attachments", "a.png"),
    ("attachments", [{"name": "a", "description": "x" * 65_536}]),
    ("metadata", {"a": object()}),
    ("metadata", {"a": "\x00"}),
    ("metadata", {"a": float("nan")}),
    ("metadata", {"a": "x" * 65_536}),
    ("metadata", "text"),
    ("metadata", ["a"]),
    ("metadata", 0),
]


@pytest.fixture
def chat(rememora: Rememora) -> Conversation:
    """A conversation that nobody has used."""
    return rememora.user("ana", tenant="acme").conversation("c1")


async def nothing_written(chat: Conversation) -> bool:
    """Whether the conversation is as empty as before."""
    return () == (await chat.messages()).items and [] == await chat.last_turns()


@looped(("field", "value"), BAD)
async def test_a_bad_message_is_refused(chat: Conversation, field: str, value: Any) -> None:
    """Appended alone: the field is named, nothing is written."""
    fields = {"role": "user", "content": "oi", field: value}
    with pytest.raises(InvalidInput) as refusal:
        await chat.append(fields.pop("role"), fields.pop("content"), **fields)

    assert field == refusal.value.field
    assert await nothing_written(chat)


@looped(("field", "value"), BAD)
async def test_a_bad_message_in_a_list_is_refused(chat: Conversation, field: str, value: Any) -> None:
    """Among good ones, as a mapping: the field is named, and the good ones of its piece are not written either."""
    good = {"role": "user", "content": "oi"}
    with pytest.raises(InvalidInput) as refusal:
        await chat.append_many([good, {**good, field: value}, good])

    assert field == refusal.value.field
    assert await nothing_written(chat)


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"role": "user", "content": "oi", "text": "oi"}, "text"),
        ({"role": "user", "content": "oi", 7: 1}, "7"),
        ({"role": "user"}, "content"),
        ({"content": "oi"}, "role"),
        ("oi", "messages"),
        (7, "messages"),
        (None, "messages"),
    ],
)
async def test_a_list_of_something_else_is_refused(chat: Conversation, bad: Any, field: str) -> None:
    """Unknown fields, missing fields, and things that are no message."""
    with pytest.raises(InvalidInput) as refusal:
        await chat.append_many([{"role": "user", "content": "oi"}, bad])

    assert field == refusal.value.field
    assert await nothing_written(chat)


async def test_a_bad_message_late_in_a_long_list(chat: Conversation) -> None:
    """Pieces before it stay, and a second run with ids doubles nothing."""
    good = [{"role": "user", "content": str(number), "id": f"m{number}"} for number in range(1200)]
    bad = {"role": "user", "content": ""}
    with pytest.raises(InvalidInput):
        await chat.append_many([*good[:1100], bad])

    assert 1000 == (await chat.about()).messages

    seen: list[int] = []

    assert 1200 == await chat.append_many(good, progress=seen.append)
    assert [500, 1000, 1200] == seen
    assert 1200 == (await chat.about()).messages


async def test_content_may_have_a_mebibyte(chat: Conversation) -> None:
    """Exactly so much passes and comes back whole."""
    content = "é" * (CONTENT_BYTES // 2)
    await chat.append("user", content)
    [kept] = (await chat.messages()).items

    assert content == kept.content


@pytest.mark.parametrize("limit", [0, -1, 1001, 2.5, "3", None, True])
async def test_a_bad_page_is_refused(rememora: Rememora, chat: Conversation, limit: Any) -> None:
    """A page has 1 to 1000 items, in every list there is."""
    tenant = rememora.tenant("acme", acting="root")
    user = rememora.user("ana", tenant="acme")
    for ask in (chat.messages, user.conversations.list, tenant.events.list, tenant.events.dead_letters):
        with pytest.raises(InvalidInput, match="limit"):
            await ask(limit=limit)
    if limit not in (None, 1001):
        with pytest.raises(InvalidInput, match="limit"):
            await chat.last_turns(limit)


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "-1", "1.5", "١", "9" * 30, "2025-01-01~c1", "2025-01-01T00:00:00+00:00~", "~", "\ud800", 7, b"1"],
)
async def test_a_foreign_cursor_is_refused(rememora: Rememora, chat: Conversation, cursor: Any) -> None:
    """A cursor is what a page gave, and nothing else."""
    with pytest.raises(InvalidInput, match="after"):
        await chat.messages(after=cursor)
    with pytest.raises(InvalidInput, match="after"):
        await rememora.user("ana", tenant="acme").conversations.list(after=cursor)


async def test_a_cursor_with_half_a_character_is_refused(rememora: Rememora) -> None:
    """Also where the rest of it is well formed."""
    with pytest.raises(InvalidInput, match="after"):
        await rememora.user("ana", tenant="acme").conversations.list(after="2025-01-01T00:00:00+00:00~\ud800")


@pytest.mark.parametrize("channel", ["", "a\n", "\ud800", None, 7])
async def test_a_bad_channel_is_refused(rememora: Rememora, channel: Any) -> None:
    """When the handle is made, and when the conversation is described."""
    user = rememora.user("ana", tenant="acme")
    with pytest.raises(InvalidInput, match="channel"):
        user.conversation("c1", channel=channel)
    if channel is not None:
        with pytest.raises(InvalidInput, match="channel"):
            await user.conversation("c1").describe(channel=channel)


@pytest.mark.parametrize("metadata", ["text", ["a"], {"a": object()}, 0])
async def test_bad_metadata_of_a_conversation_is_refused(chat: Conversation, metadata: Any) -> None:
    """It is a mapping that JSON can say."""
    with pytest.raises(InvalidInput, match="metadata"):
        await chat.describe(metadata=metadata)


@pytest.mark.parametrize("types", [["nobody.knows"], ["conversation.deleted", "x"]])
async def test_an_unknown_event_type_is_refused(rememora: Rememora, types: list[str]) -> None:
    """A filter that can match nothing is a mistake."""
    with pytest.raises(InvalidInput, match="types"):
        await rememora.tenant("acme", acting="root").events.list(types=types)
    with pytest.raises(InvalidInput, match="types"):
        await rememora.events.subscribe("mail", print, types=types)


async def test_a_noun_is_checked_when_it_is_made() -> None:
    """There is no unchecked way to a message."""
    with pytest.raises(InvalidInput, match="content"):
        NewMessage(role="user", content="")


async def test_a_closed_store_says_so(rememora: Rememora, chat: Conversation) -> None:
    """After close, every verb is a typed error; closing twice is no error."""
    await rememora.close()
    await rememora.close()

    with pytest.raises(StoreUnavailable):
        await chat.append("user", "oi")
    with pytest.raises(StoreUnavailable):
        await chat.messages()


Call = Callable[[Rememora, Any], Awaitable[object]]
WHOLE: dict[str, Call] = {
    "recall limit": lambda side, number: side.user("ana", tenant="acme").recall("x", limit=number),
    "related budget": lambda side, number: side.user("ana", tenant="acme").context("x", budget=number),
    "conversations limit": lambda side, number: side.user("ana", tenant="acme").conversations.list(limit=number),
    "user episodes limit": lambda side, number: side.user("ana", tenant="acme").conversations.episodes(
        limit=number
    ),
    "memories limit": lambda side, number: side.user("ana", tenant="acme").memories.list(limit=number),
    "entities limit": lambda side, number: side.user("ana", tenant="acme").entities.list(limit=number),
    "user tasks limit": lambda side, number: side.user("ana", tenant="acme").tasks.list(limit=number),
    "missions limit": lambda side, number: side.user("ana", tenant="acme").missions.active(limit=number),
    "turns limit": lambda side, number: _chat(side).last_turns(number),
    "messages limit": lambda side, number: _chat(side).messages(limit=number),
    "episodes limit": lambda side, number: _chat(side).list_episodes(limit=number),
    "context budget": lambda side, number: _chat(side).context("x", budget=number),
    "tenants limit": lambda side, number: side.operator(acting="root").tenants.list(limit=number),
    "events limit": lambda side, number: side.tenant("acme", acting="root").events.list(limit=number),
    "events after": lambda side, number: side.tenant("acme", acting="root").events.list(after=number),
    "dead limit": lambda side, number: side.tenant("acme", acting="root").events.dead_letters(limit=number),
    "tasks limit": lambda side, number: side.tenant("acme", acting="root").tasks.list(limit=number),
    "read limit": lambda side, number: side.tenant("acme", acting="root").memories.list(
        "ana", reason="asked", limit=number
    ),
    "quarantined limit": lambda side, number: side.tenant("acme", acting="root").quarantine.list(limit=number),
    "audit limit": lambda side, number: side.tenant("acme", acting="root").audit.list(limit=number),
    "audit after": lambda side, number: side.tenant("acme", acting="root").audit.list(after=number),
    "replay after": lambda side, number: side.events.replay("log", tenant="acme", after=number),
}


def _chat(local: Rememora) -> Conversation:
    return local.user("ana", tenant="acme").conversation("c1")


@looped("number", [2.5, 2.0, True, "2", -1, 10**19])
@looped("name", WHOLE)
async def test_a_number_that_is_not_whole_is_refused_by_its_name(
    rememora: Rememora, name: str, number: object
) -> None:
    """Wherever a whole number is asked for, and a truth is none."""
    with pytest.raises(InvalidInput) as refused:
        await WHOLE[name](rememora, number)

    assert name.rsplit(maxsplit=1)[-1] == refused.value.field


@pytest.mark.parametrize("ask", ["history", "conversation", "key", "mission"])
async def test_a_name_that_cannot_be_stored_is_refused_wherever_it_is_asked_for(
    rememora: Rememora, ask: str
) -> None:
    """Half a character names nothing on any engine, and is no fault of the store."""
    ana, name = rememora.user("ana", tenant="acme"), "half \ud83d"
    query: dict[str, Callable[[], Awaitable[Any]]] = {
        "history": lambda: ana.memories.history(name),
        "conversation": lambda: ana.recall("oi", conversation=name),
        "key": lambda: rememora.tenant("acme", acting="boss").access.revoke_key(name),
        "mission": lambda: ana.missions.get(name),
    }
    with pytest.raises(InvalidInput):
        await query[ask]()
