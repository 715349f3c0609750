"""Cached windows in Redis: one string per conversation, its edition first and then its newest turns.

A cached window counts only in the edition that the store names as its own (`history.window`): no write can be
missed, whatever Redis forgets. With `redis.trust_ms` a recent confirmation by the store counts without asking
again; every write removes it before it is acknowledged, or waits until it has run out.
"""

from __future__ import annotations

import asyncio
import secrets
import struct
from collections.abc import Sequence
from datetime import datetime
from functools import partial

import msgspec

from rememora.adapters.redis.client import Cooldown, RedisClient
from rememora.adapters.redis.keys import gone_key, hot_keys, quoted, windows_key
from rememora.adapters.redis.window_scripts import ASK, CONFIRM, DROP, DROP_ALL, FOLLOW, HEAD_BYTES, PUT
from rememora.domain.message import Attachment, Json, Message, Modality, Role
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason
from rememora.domain.window import CachedWindow, Edition, HotWindow
from rememora.settings import RedisSettings

GONE_SECONDS = 60
"""How long nothing is cached of what was deleted: longer than any reader holds a window it has read before."""

MESSAGE_BYTES = 64 * 1024
OWED_AT_MOST = 10_000
CLAIM_BYTES = 8
_HEAD, _FORE = struct.Struct(">QQ"), struct.Struct(">QQ?BI")
_ARRAY = 0xDD
"""How an array begins whose length stands in the 32 bits that follow, in msgpack."""


class CachedMessage(msgspec.Struct, frozen=True, array_like=True):
    """A message without its place, which the key says."""

    seq: int
    id: str
    role: Role
    content: str
    modality: Modality
    attachments: tuple[Attachment, ...]
    metadata: Json
    created_at: datetime
    hidden: Reason | None = None
    shown: str | None = None


_encode = msgspec.msgpack.Encoder().encode
_turns = msgspec.msgpack.Decoder(list[CachedMessage]).decode


class RedisWindows:
    """The window cache on Redis; while Redis is away it holds nothing, and only trust makes writes wait for it."""

    def __init__(self, line: RedisClient, settings: RedisSettings, *, turns: int) -> None:
        self._line = line
        self._prefix, self._seconds = settings.prefix, settings.window_seconds
        self._trust_ms = settings.trust_ms
        self._most = turns + turns // 2
        self._rest = Cooldown(settings.rest_seconds)
        self._owed: set[Scope] = set()

    async def get(self, scope: Scope) -> CachedWindow:
        keys = hot_keys(self._prefix, scope)
        if not self._trust_ms:
            raw = await self._rest.attempt(lambda: self._line.ask("GET", keys[0]))
            return CachedWindow(window=_window(scope, raw))
        claim = secrets.token_hex(CLAIM_BYTES)
        answer = await self._rest.attempt(lambda: self._line.run(ASK, keys, claim, self._trust_ms, reading=True))
        raw, sure = answer or (None, 0)
        window = _window(scope, raw)
        return CachedWindow(window=window, sure=bool(sure) and window is not None, claim=claim)

    async def put(self, scope: Scope, window: HotWindow, claim: str = "") -> None:
        turns = _packed(window.turns)
        if turns is None:
            return
        edition = window.edition
        fore = _FORE.pack(edition.messages, edition.stamp, window.whole, _ARRAY, len(turns))
        keys = [*self._keys(scope), gone_key(self._prefix, scope.person())]
        words = (self._seconds, quoted(scope.conversation or ""), b"".join([fore, *turns]), claim, self._trust_ms)
        await self._rest.attempt(lambda: self._line.run(PUT, keys, *words))

    async def confirm(self, scope: Scope, edition: Edition, claim: str) -> None:
        words = (_HEAD.pack(edition.messages, edition.stamp), claim, self._trust_ms)
        keys = hot_keys(self._prefix, scope)
        if claim:
            await self._rest.attempt(lambda: self._line.run(CONFIRM, keys, *words))

    async def follow(self, scope: Scope, messages: Sequence[Message], edition: Edition) -> None:
        turns, first = _packed(messages), messages[0].seq
        # A cached window is extended only without a gap; if another process wrote in between, it is dropped and
        # read anew.
        in_order = [message.seq for message in messages] == list(range(first, edition.messages + 1))
        if turns is None or not in_order:
            await self.drop(scope)
            return
        before, after = _HEAD.pack(first - 1, edition.before), _HEAD.pack(edition.messages, edition.stamp)
        words = (self._seconds, before, after, len(turns), b"".join(turns), self._most, self._trust_ms)
        keys = self._keys(scope)[:4]
        if await self._rest.attempt(lambda: self._line.run(FOLLOW, keys, *words)) is None:
            await self._wait_out()

    async def drop(self, scope: Scope) -> int:
        dropped = await self._rest.attempt(lambda: self._drop(scope))
        if dropped is None:
            if len(self._owed) < OWED_AT_MOST:
                self._owed.add(scope)
            await self._wait_out()
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

    async def _wait_out(self) -> None:
        """Others may reach the Redis that we do not: as long as a claim from before our write, and then trust."""
        await asyncio.sleep(2 * self._trust_ms / 1000)

    async def _drop(self, scope: Scope) -> int:
        if scope.conversation is None:
            return int(await self._line.run(DROP_ALL, self._keys(scope), GONE_SECONDS))
        return int(await self._line.run(DROP, self._keys(scope), GONE_SECONDS, quoted(scope.conversation)))

    def _keys(self, scope: Scope) -> list[str]:
        return [*hot_keys(self._prefix, scope), windows_key(self._prefix, scope), gone_key(self._prefix, scope)]


def _packed(messages: Sequence[Message]) -> list[bytes] | None:
    """The turns among them as they are kept, or None where one is too much for a cache."""
    try:
        turns = [_encode(_turn(message)) for message in messages if message.role != "system"]
    except OverflowError:
        # A whole number in somebody's metadata that msgpack has no room for.
        return None
    return None if any(len(turn) > MESSAGE_BYTES for turn in turns) else turns


def _turn(message: Message) -> CachedMessage:
    return CachedMessage(
        message.seq,
        message.id,
        message.role,
        message.content,
        message.modality,
        message.attachments,
        message.metadata,
        message.created_at,
        message.hidden,
        message.shown,
    )


def _window(scope: Scope, stored: bytes | None) -> HotWindow | None:
    """Decode a cached window, or None where it is not valid."""
    if not stored or scope.conversation is None:
        return None
    try:
        messages, stamp, whole, _, _ = _FORE.unpack_from(stored)
        turns = _turns(memoryview(stored)[HEAD_BYTES + 1 :])
    except (msgspec.MsgspecError, struct.error):
        # Written by another version, or by somebody else.
        return None
    tenant, user, conversation = scope.tenant, scope.user, scope.conversation
    return HotWindow(
        edition=Edition(messages, stamp, 0),
        turns=tuple(
            Message(
                tenant=tenant,
                user=user,
                conversation=conversation,
                seq=turn.seq,
                id=turn.id,
                role=turn.role,
                content=turn.content,
                modality=turn.modality,
                attachments=turn.attachments,
                metadata=turn.metadata,
                created_at=turn.created_at,
                hidden=turn.hidden,
                shown=turn.shown,
            )
            for turn in turns
        ),
        whole=whole,
    )
