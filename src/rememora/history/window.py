"""The window: the newest turns of a conversation, limited in number and in characters."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rememora.domain.check import check_whole
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.window import HotWindow
from rememora.ports.store import Store, StoreReader, UnitOfWork
from rememora.ports.window import WindowCache
from rememora.settings import WindowSettings
from rememora.visibility.plan import window as as_model_sees

TURNS_LIMIT = 1_000_000
SHORT_READ = 20
"""Most turns that are read at once: so many rows of one range cost less than a change of threads does."""


def fit_window(turns: Sequence[Message], *, characters: int) -> list[Message]:
    """Return the longest tail of `turns` within `characters`; a newest turn that is too long is cut to its end."""
    kept: list[Message] = []
    left = characters
    # From the newest back, and whole turns only: half an answer misleads more than none.
    for turn in reversed(turns):
        if len(turn.content) > left:
            break
        left -= len(turn.content)
        kept.append(turn)
    if turns and not kept:
        return [_cut(turns[-1], characters)]
    return kept[::-1]


async def last_turns(
    store: Store, scope: Scope, *, limit: int, window: WindowSettings, cache: WindowCache | None = None
) -> list[Message]:
    """Return at most `limit` newest turns that fit the window, in chronological order."""
    count = min(check_whole("limit", limit, 1, TURNS_LIMIT), window.turns)
    if cache is None:
        short = count <= SHORT_READ
        turns = await store.read(scope, lambda work: work.messages.turns(scope, limit=count), short=short)
    else:
        turns = await _hot_turns(store, scope, limit=count, window=window, cache=cache)
    return fit_window(as_model_sees(turns), characters=window.characters)


async def _hot_turns(
    store: StoreReader, scope: Scope, *, limit: int, window: WindowSettings, cache: WindowCache
) -> list[Message]:
    """Return the newest turns, from the cached copy if it is current.

    One transaction reads the store's edition, and the turns if the copy has another: a copy may be late, lost or
    wrong, and is used only in its own edition.
    """
    sight = await cache.get(scope)
    hot = sight.window
    # Within `redis.trust_ms` of a confirmation every writer waits for the cache, so no query is needed.
    if sight.sure and hot is not None and hot.holds(limit):
        return list(hot.turns[-limit:])

    def read(work: UnitOfWork) -> HotWindow | None:
        edition = work.messages.edition(scope)
        if hot is not None and hot.serves(edition, limit):
            return None
        # One more than the window, so that `whole` is known without a second query.
        most = max(limit, window.turns + 1)
        turns = work.messages.turns(scope, limit=most)
        return HotWindow(edition=edition, turns=tuple(turns), whole=len(turns) < most)

    fresh = await store.read(scope, read)
    if fresh is None:
        assert hot is not None
        await cache.confirm(scope, hot.edition, sight.claim)
        return list(hot.turns[-limit:])
    # Without a stamp two editions cannot be told apart, so such a window is never cached.
    if fresh.turns and fresh.edition.stamp:
        await cache.put(scope, fresh, sight.claim)
    return list(fresh.turns[-limit:])


def _cut(turn: Message, characters: int) -> Message:
    return msgspec.structs.replace(
        turn, content=turn.content[-characters:], metadata={**turn.metadata, "truncated": True}
    )
