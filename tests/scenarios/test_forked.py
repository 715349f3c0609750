"""A forked child is refused the store that its parent opened, and harms neither parent nor store."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

import pytest

from rememora import Conversation, Rememora, Settings, SyncRememora, UserMemory
from rememora.errors import StoreForked

REFUSED, LET_IN, HANGS_AFTER_SECONDS = 7, 1, 30
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def ends(act: Callable[[], object]) -> int:
    """How a forked child ends that does `act`: refused, let in, or killed since it hung."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = LET_IN
    try:
        signal.alarm(HANGS_AFTER_SECONDS)
        act()
    except StoreForked:
        code = REFUSED
    finally:
        os._exit(code)


async def test_a_forked_child_is_refused_every_kind_of_call(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """Reading, writing, recalling, counting and closing: none hangs, none gets through; the parent goes on."""
    await chat.append("user", "antes do fork")

    async def all_refused() -> None:
        acts = [chat.append("user", "no filho"), chat.messages(), ana.recall("fork"), rememora.health.index_lag()]
        result = await asyncio.gather(*acts, return_exceptions=True)
        if all(isinstance(item, StoreForked) for item in result):
            raise StoreForked

    async def close() -> None:
        await rememora._parts.store.close()

    refused = ends(lambda: asyncio.new_event_loop().run_until_complete(all_refused()))
    closed = ends(lambda: asyncio.new_event_loop().run_until_complete(close()))
    await chat.append("user", "depois do fork")

    assert (REFUSED, LET_IN) == (refused, closed)
    assert ["antes do fork", "depois do fork"] == [message.content for message in (await chat.messages()).items]


def test_a_forked_child_is_refused_by_the_plain_verbs(settings: Settings) -> None:
    """`SyncRememora` waits for a thread that no child has: it says so instead."""
    with SyncRememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        chat.append("user", "antes do fork")
        refused = ends(lambda: chat.append("user", "no filho"))
        chat.append("user", "depois do fork")

        assert REFUSED == refused
        assert 2 == len(chat.messages().items)


async def test_a_forked_child_may_not_open_the_same_folder(settings: Settings, rememora: Rememora) -> None:
    """SQLite would take the parent's locks for the child's own: whoever needs the store is spawned."""
    await rememora.user("ana", tenant="acme").conversation("c1").append("user", "oi")

    async def open_again() -> None:
        async with Rememora.open(settings=settings, background=False):
            pass

    ended = ends(lambda: asyncio.new_event_loop().run_until_complete(open_again()))

    assert (REFUSED if "://" not in settings.store.url else LET_IN) == ended
