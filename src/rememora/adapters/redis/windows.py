"""Hot windows in Redis: one list per conversation, its state first and then its newest turns.

One key holds state and turns together, so that eviction takes both or none. What is read counts only in the
edition that the store names as its own (`history.window`): no write can be missed, whatever Redis forgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from rememora.adapters.redis.client import Line, Rest, Script, Word
from rememora.adapters.redis.keys import gone_key, quoted, window_key, windows_key
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.domain.window import Edition, HotWindow
from rememora.settings import Redis as RedisSettings

GONE_SECONDS = 60
"""How long nothing is cached of what was deleted: longer than any reader holds a window it has read before."""

MESSAGE_BYTES = 64 * 1024
OWED_AT_MOST = 10_000

# A window that was read before the deletion must not come back after it.
_PUT = Script("""
if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[1])
return 1
""")

# Where the copy does not end just before the new messages it is no use any more.
_FOLLOW = Script("""
local head = redis.call('LINDEX', KEYS[1], 0)
if not head then return 0 end
local state = cjson.decode(head)
if state.messages ~= tonumber(ARGV[2]) - 1 then redis.call('DEL', KEYS[1]) return 0 end
state.messages, state.newest = tonumber(ARGV[3]), ARGV[4]
redis.call('LPOP', KEYS[1])
if #ARGV > 5 then redis.call('RPUSH', KEYS[1], unpack(ARGV, 6)) end
if redis.call('LLEN', KEYS[1]) > tonumber(ARGV[5]) then
  redis.call('LTRIM', KEYS[1], -tonumber(ARGV[5]), -1)
  state.whole = false
end
redis.call('LPUSH', KEYS[1], cjson.encode(state))
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[1])
return 1
""")

_DROP = Script("""
redis.call('SET', KEYS[3], 1, 'EX', ARGV[1])
redis.call('SREM', KEYS[2], ARGV[2])
return redis.call('DEL', KEYS[1])
""")

_DROP_ALL = Script("""
redis.call('SET', KEYS[2], 1, 'EX', ARGV[1])
local dropped = 0
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  dropped = dropped + redis.call('DEL', ARGV[2] .. name)
end
redis.call('DEL', KEYS[1])
return dropped
""")

_encode = msgspec.json.Encoder().encode
_message = msgspec.json.Decoder(Message).decode


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What stands before the turns."""

    messages: int
    stamp: str
    newest: str
    whole: bool


_state = msgspec.json.Decoder(State).decode


class RedisWindows:
    """The window cache on Redis; while Redis is away it holds nothing and costs nothing."""

    def __init__(self, line: Line, settings: RedisSettings, *, turns: int) -> None:
        self._line = line
        self._prefix, self._seconds = settings.prefix, settings.window_seconds
        self._turns = turns
        self._rest = Rest(settings.rest_seconds)
        self._owed: set[Scope] = set()

    async def get(self, scope: Scope) -> HotWindow | None:
        key = window_key(self._prefix, scope)
        found = await self._rest.attempt(lambda: self._line.ask("LRANGE", key, 0, -1))
        return _window(scope, found) if found else None

    async def put(self, scope: Scope, window: HotWindow) -> None:
        turns = [_encode(turn) for turn in window.turns]
        if any(len(turn) > MESSAGE_BYTES for turn in turns):
            return
        edition = window.edition
        state = State(messages=edition.messages, stamp=edition.stamp, newest=edition.newest, whole=window.whole)
        keys = [*self._keys(scope), gone_key(self._prefix, Scope(scope.tenant, scope.user))]
        name = quoted(scope.conversation or "")
        await self._rest.attempt(lambda: self._line.run(_PUT, keys, self._seconds, name, _encode(state), *turns))

    async def follow(self, scope: Scope, messages: Sequence[Message]) -> None:
        turns = [_encode(message) for message in messages if message.role != "system"]
        if any(len(turn) > MESSAGE_BYTES for turn in turns):
            await self.drop(scope)
            return
        first, last = messages[0].seq, messages[-1]
        words: tuple[Word, ...] = (self._seconds, first, last.seq, last.id, self._turns, *turns[-self._turns :])
        await self._rest.attempt(lambda: self._line.run(_FOLLOW, self._keys(scope)[:2], *words))

    async def drop(self, scope: Scope) -> int:
        dropped = await self._rest.attempt(lambda: self._drop(scope))
        if dropped is None and len(self._owed) < OWED_AT_MOST:
            self._owed.add(scope)
        return dropped or 0

    async def settle(self) -> bool:
        """Do the deletions that Redis was away for; the time to live does what a dead process owes."""
        for scope in list(self._owed):
            if await self._rest.attempt(partial(self._drop, scope)) is None:
                return False
            self._owed.discard(scope)
        return False

    async def close(self) -> None:
        """Let go of the connections."""
        await self._line.close()

    async def _drop(self, scope: Scope) -> int:
        window, windows, gone = self._keys(scope)
        if scope.conversation is None:
            return int(await self._line.run(_DROP_ALL, [windows, gone], GONE_SECONDS, window))
        name = quoted(scope.conversation)
        return int(await self._line.run(_DROP, [window, windows, gone], GONE_SECONDS, name))

    def _keys(self, scope: Scope) -> list[str]:
        prefix = self._prefix
        return [window_key(prefix, scope), windows_key(prefix, scope), gone_key(prefix, scope)]


def _window(scope: Scope, found: Sequence[bytes]) -> HotWindow | None:
    """What was found, if it is what it should be."""
    try:
        state = _state(found[0])
        turns = tuple(_message(each) for each in found[1:])
    except msgspec.MsgspecError:
        # Written by another version, or by somebody else.
        return None
    if any((turn.tenant, turn.user, turn.conversation) != _place(scope) for turn in turns):
        return None
    edition = Edition(state.messages, state.stamp, state.newest)
    return HotWindow(edition=edition, turns=turns, whole=state.whole)


def _place(scope: Scope) -> tuple[str, str, str | None]:
    return scope.tenant, scope.user, scope.conversation
