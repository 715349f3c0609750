"""The hot copy of a window: what is read through Redis is what the store holds, or it is not read from Redis."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calm import CALM
from tests.clock import SetClock
from tests.engines.redis import running, shared_cluster, shared_redis

from rememora import Conversation, Rememora, Settings
from rememora.adapters.redis.client import RedisClient
from rememora.adapters.redis.keys import gone_key, hot_keys
from rememora.adapters.redis.windows import MESSAGE_BYTES, RedisWindows
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.window import Edition, HotWindow

Open = Callable[..., Any]
AWKWARD = ["acme", "acme2", "acme:ana", "a{b}c", "*", "%2F", "a/b", "ação"]
AWKWARD += [unicodedata.normalize("NFD", "ação")]


@pytest.fixture(params=[shared_redis, shared_cluster], ids=["redis", "redis-cluster"])
def url(request: pytest.FixtureRequest) -> str:
    """One Redis, and a cluster of them."""
    result: str = request.param()
    return result


@pytest.fixture
def hot(url: str, tmp_path: Path) -> Settings:
    """A store with hot windows, under a prefix of the test's own."""
    return beside(url, tmp_path)


@pytest.fixture
async def ana(hot: Settings, clock: SetClock) -> AsyncIterator[Conversation]:
    """A conversation of a store with hot windows."""
    async with Rememora.open(settings=hot, clock=clock, background=False) as rememora:
        yield rememora.user("ana", tenant="acme").conversation("c1")


def beside(url: str, folder: Path, **more: object) -> Settings:
    """Settings of a store with a Redis beside it."""
    overrides: dict[str, object] = {"store.url": str(folder / "store"), "redis.url": url}
    overrides |= {"redis.prefix": uuid4().hex, "recall.embedder": "none", "redis.timeout_ms": 20_000}
    return Settings.load({**CALM, **overrides, **more}, environ={})


async def copied(settings: Settings, scope: Scope) -> list[str]:
    """What the hot copy of a conversation holds."""
    windows = opened(settings)
    window = (await windows.get(scope)).window
    await windows.close()
    return [] if window is None else [turn.content for turn in window.turns]


def opened(overrides: Settings) -> RedisWindows:
    line = RedisClient(overrides.redis.url, field="redis.url", seconds=20, connections=4)
    return RedisWindows(line, overrides.redis, turns=overrides.window.turns + 1)


def texts(messages: list[Message]) -> list[str]:
    return [message.content for message in messages]


async def test_a_window_that_was_read_is_hot_and_follows_what_is_said(ana: Conversation, hot: Settings) -> None:
    """The first read makes the copy; each message then goes into it, and the next read needs no row."""
    await ana.append("user", "um")
    first = await ana.last_turns()
    made = await copied(hot, ana.scope)
    await ana.append("assistant", "dois")
    await ana.append("system", "not a turn")
    followed = await copied(hot, ana.scope)
    second = await ana.last_turns()

    assert ["um"] == made
    assert ["um", "dois"] == followed
    assert [*first, second[1]] == second
    assert second == [message for message in (await ana.messages()).items if message.role != "system"]


async def test_what_the_copy_holds_is_what_is_answered(ana: Conversation, hot: Settings) -> None:
    """A copy in the store's own edition is believed: this is what makes reads cheap, and the test above real."""
    said = await ana.append("user", "from the store")
    await ana.last_turns()
    windows = opened(hot)
    window = (await windows.get(ana.scope)).window
    assert window is not None
    other = HotWindow(edition=window.edition, turns=(changed(said, "from Redis"),), whole=True)
    await windows.put(ana.scope, other)
    await windows.close()

    assert ["from Redis"] == texts(await ana.last_turns())


@pytest.mark.parametrize("field", ["messages", "stamp"])
async def test_a_copy_of_another_edition_is_not_believed(ana: Conversation, hot: Settings, field: str) -> None:
    """Too many messages, or another life of the conversation or of the store: each alone is enough."""
    said = await ana.append("user", "from the store")
    await ana.last_turns()
    windows = opened(hot)
    window = (await windows.get(ana.scope)).window
    assert window is not None
    edition = window.edition
    wrong = msgspec.structs.replace(edition, **{field: getattr(edition, field) + 1})
    await windows.put(ana.scope, HotWindow(edition=wrong, turns=(changed(said, "stale"),), whole=True))
    await windows.close()

    assert ["from the store"] == texts(await ana.last_turns())


def changed(message: Message, content: str) -> Message:
    fields = {name: getattr(message, name) for name in message.__struct_fields__}
    return Message(**{**fields, "content": content})


async def test_a_deleted_conversation_leaves_no_copy(ana: Conversation, hot: Settings) -> None:
    """Deletion counts the copy, takes it away, and a new conversation of that name begins empty."""
    await ana.append("user", "um", id="m1")
    await ana.last_turns()
    removed = await ana.delete()
    gone = await copied(hot, ana.scope)
    await ana.append("user", "another life", id="m1")

    assert removed.cached >= 1
    assert [] == gone
    assert ["another life"] == texts(await ana.last_turns())


async def test_a_copy_that_outlived_its_conversation_is_not_believed(ana: Conversation, hot: Settings) -> None:
    """Redis was away when it was deleted; the new one has as many messages under the same ids."""
    await ana.append("user", "before", id="m1")
    await ana.last_turns()
    windows = opened(hot)
    kept = (await windows.get(ana.scope)).window
    assert kept is not None
    await ana.delete()
    await ana.append("user", "after", id="m1")
    line = RedisClient(hot.redis.url, field="redis.url", seconds=20, connections=4)
    await line.call("DEL", gone_key(hot.redis.prefix, ana.scope))
    await line.close()
    await windows.put(ana.scope, kept)
    await windows.close()

    assert ["before"] == await copied(hot, ana.scope)
    assert ["after"] == texts(await ana.last_turns())


async def test_a_window_read_before_a_deletion_does_not_come_back(ana: Conversation, hot: Settings) -> None:
    """A slow reader that still holds the window cannot put it back once the conversation is gone."""
    await ana.append("user", "secret")
    await ana.last_turns()
    windows = opened(hot)
    held = (await windows.get(ana.scope)).window
    assert held is not None
    await ana.delete()
    await windows.put(ana.scope, held)
    await windows.close()

    assert [] == await copied(hot, ana.scope)


async def test_an_erasure_counts_and_takes_every_copy_of_the_person(url: str, tmp_path: Path) -> None:
    """The receipt says how many; those of others stay."""
    expected = beside(url, tmp_path)
    async with Rememora.open(settings=expected, background=False) as rememora:
        people = [rememora.user(name, tenant="acme") for name in ("ana", "bob")]
        for person in people:
            for name in ("c1", "c2"):
                await person.conversation(name).append("user", f"the words of {name}")
                await person.conversation(name).last_turns()
        one = await people[0].erase(conversation="c1")
        rest = await people[0].erase(person=True)

        assert (1, 1) == (one.counts["hot_windows"], rest.counts["hot_windows"])
        assert [] == await copied(expected, Scope("acme", "ana", "c1")) + await copied(
            expected, Scope("acme", "ana", "c2")
        )
        assert ["the words of c2"] == await copied(expected, Scope("acme", "bob", "c2"))


@pytest.mark.parametrize("limit", [1, 3, 20])
async def test_long_talks_and_short_limits(ana: Conversation, limit: int) -> None:
    """Far beyond the window, through copies made early and late, the answer is the store's."""
    for number in range(30):
        await ana.append("user" if number % 2 else "assistant", str(number))
        if number % 7 == 0:
            await ana.last_turns()

    assert [str(number) for number in range(30 - limit, 30)] == texts(await ana.last_turns(limit))


async def test_a_long_message_is_read_from_the_store(ana: Conversation, hot: Settings) -> None:
    """What is too long for the cache is not kept there, and is not cut either."""
    await ana.append("user", "a")
    await ana.last_turns()
    await ana.append("user", "x" * MESSAGE_BYTES)

    assert 16_000 == len((await ana.last_turns())[0].content)
    assert [] == await copied(hot, ana.scope)


async def test_ids_never_meet(url: str) -> None:
    """Whatever ids hold, no two places share a copy, and each finds its own."""
    windows = opened(Settings.load({"redis.url": url, "redis.prefix": uuid4().hex}, environ={}))
    scopes = [Scope(a, b, c) for a in AWKWARD for b in AWKWARD if b != "*" for c in AWKWARD]
    for scope in scopes:
        await windows.put(scope, window_of(scope))
    items = [(await windows.get(scope)).window for scope in scopes]
    await windows.close()

    assert [window_of(scope) for scope in scopes] == items


def window_of(scope: Scope) -> HotWindow:
    assert scope.conversation is not None
    message = Message(
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        seq=1,
        id="m1",
        role="user",
        content="".join([scope.tenant, scope.user, scope.conversation]),
        modality="chat",
        attachments=(),
        metadata={},
        created_at=SetClock()(),
    )
    return HotWindow(edition=Edition(1, 7, 0), turns=(message,), whole=True)


@given(st.lists(st.tuples(*[st.text(min_size=1, max_size=6)] * 3), min_size=2, max_size=2, unique=True))
@settings(max_examples=300)
def test_names_of_keys_are_one_to_one(places: list[tuple[str, str, str]]) -> None:
    """Two places never have one key."""
    try:
        scopes = [Scope(*place) for place in places]
    except ValueError:
        return

    assert 2 == len({hot_keys("rememora", scope)[0] for scope in scopes})


async def test_without_its_redis_a_store_works_as_before(tmp_path: Path) -> None:
    """Nobody listens where Redis should be: writes, reads, deletion and packs do what they always do."""
    expected = beside("redis://127.0.0.1:1/0", tmp_path)
    async with Rememora.open(settings=expected, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        await chat.append("user", "um")
        pack = await chat.context("e agora?")

        assert ["um"] == texts(await chat.last_turns())
        assert ["um"] == [item.text for item in pack.items if item.section == "recent"]
        assert 1 == (await chat.delete()).messages


async def test_a_deletion_that_redis_missed_is_made_up_for(tmp_path: Path) -> None:
    """Redis is away while the conversation is deleted, and comes back with the copy: the worker takes it away."""
    with running(tmp_path / "redis", "--appendonly", "yes", "--appendfsync", "always") as engine:
        expected = beside(engine.url, tmp_path, **{"redis.rest_seconds": 0})
        async with Rememora.open(settings=expected, background=False) as rememora:
            chat = rememora.user("ana", tenant="acme").conversation("c1")
            await chat.append("user", "secret")
            await chat.last_turns()
            engine.kill()
            removed = await chat.delete()
            engine.start()
            back = await copied(expected, chat.scope)
            await rememora.settle()

            assert (["secret"], []) == (back, await copied(expected, chat.scope))
            assert 1 == removed.messages
