"""Short memory: the newest turns of a conversation, bounded in number and in characters."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rememora.domain.check import check_whole
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.ports.store import Store
from rememora.settings import Window

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


async def last_turns(store: Store, scope: Scope, *, limit: int, window: Window) -> list[Message]:
    """At most `limit` newest turns that fit the window, in chronological order."""
    count = min(check_whole("limit", limit, 1, TURNS_LIMIT), window.turns)
    turns = await store.read(scope, lambda work: work.messages.turns(scope, limit=count))
    return fit_window(turns, characters=window.characters)


def _cut(turn: Message, characters: int) -> Message:
    return msgspec.structs.replace(
        turn, content=turn.content[-characters:], metadata={**turn.metadata, "truncated": True}
    )
