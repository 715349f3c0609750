"""Short memory: the newest turns of a conversation, bounded in number and in characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from rememora.domain.check import check_whole
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.window import HotWindow, Sight
from rememora.ports.store import Reading, UnitOfWork
from rememora.ports.window import WindowCache
from rememora.settings import Window

T = TypeVar("T")
TURNS_LIMIT = 1_000_000


def fit_window(turns: Sequence[Message], *, characters: int) -> list[Message]:
    """The longest tail of `turns` within `characters`; a newest turn too long for it is cut to its end."""
    kept: list[Message] = []
    left = characters
    for turn in reversed(turns):
        if len(turn.content) > left:
            break
        left -= len(turn.content)
        kept.append(turn)
    if turns and not kept:
        return [_cut(turns[-1], characters)]
    return kept[::-1]


async def last_turns(
    store: Reading, scope: Scope, *, limit: int, window: Window, cache: WindowCache | None = None
) -> list[Message]:
    """At most `limit` newest turns that fit the window, in chronological order."""
    count = min(check_whole("limit", limit, 1, TURNS_LIMIT), window.turns)
    sight = Sight() if cache is None else await cache.get(scope)
    if sight.sure and sight.window is not None and sight.window.holds(count):
        turns = list(sight.window.turns[-count:])
    else:
        turns, _ = await _confirmed(
            store, scope, sight, limit=count, window=window, cache=cache, beside=lambda _: None
        )
    return fit_window(turns, characters=window.characters)


async def newest_turns(
    store: Reading,
    scope: Scope,
    *,
    limit: int,
    window: Window,
    cache: WindowCache | None,
    beside: Callable[[UnitOfWork], T],
) -> tuple[list[Message], T]:
    """The newest turns, from the hot copy where it is what the store has, and what was read `beside` them."""
    sight = Sight() if cache is None else await cache.get(scope)
    return await _confirmed(store, scope, sight, limit=limit, window=window, cache=cache, beside=beside)


async def _confirmed(
    store: Reading,
    scope: Scope,
    sight: Sight,
    *,
    limit: int,
    window: Window,
    cache: WindowCache | None,
    beside: Callable[[UnitOfWork], T],
) -> tuple[list[Message], T]:
    """One transaction says which edition is the store's and reads the turns if the copy is of another.

    A copy can be late, lost or wrong, and never answers for more than it is.
    """

    def read(work: UnitOfWork) -> tuple[list[Message], HotWindow | None, T]:
        if cache is None:
            return work.messages.turns(scope, limit=limit), None, beside(work)
        edition = work.messages.edition(scope)
        hot = sight.window
        if hot is not None and hot.serves(edition, limit):
            return list(hot.turns[-limit:]), None, beside(work)
        most = max(limit, window.turns + 1)
        turns = work.messages.turns(scope, limit=most)
        fresh = HotWindow(edition=edition, turns=tuple(turns), whole=len(turns) < most)
        return turns[-limit:], fresh, beside(work)

    turns, fresh, found = await store.read(scope, read)
    if cache is not None and fresh is None and sight.window is not None:
        await cache.confirm(scope, sight.window.edition, sight.claim)
    elif cache is not None and fresh is not None and fresh.turns and fresh.edition.stamp:
        await cache.put(scope, fresh, sight.claim)
    return turns, found


def _cut(turn: Message, characters: int) -> Message:
    return msgspec.structs.replace(
        turn, content=turn.content[-characters:], metadata={**turn.metadata, "truncated": True}
    )
