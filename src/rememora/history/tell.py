"""Tells what an episode came to: a title and a few lines, after the append that stored it, once and once only.

An episode waits to be told from the transaction that stores it, so that no crash can forget it. The telling
transaction changes an episode that still waits and no other: of two workers that tell one, the first is heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from rememora.domain.episode import Episode
from rememora.domain.hit import ItemKey
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.history.condense import gist
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import Episodes as EpisodeSettings

AT_ONCE = 16


async def tell_due(store: Store, *, settings: EpisodeSettings) -> bool:
    """Tell the episodes that wait longest, a few at once; True when there were any."""
    waiting = await store.chores(lambda chores: chores.untold(limit=AT_ONCE))
    stretches = await asyncio.gather(*(_read(store, episode) for episode in waiting))
    # Apart from the event loop: close reading takes a millisecond or more each.
    told = await asyncio.to_thread(_told, waiting, stretches, max_tokens=settings.max_tokens)
    await asyncio.gather(*(_keep(store, episode) for episode in told))
    return bool(waiting)


async def _read(store: Store, episode: Episode) -> list[Message]:
    scope, before = _scope(episode), episode.first_seq - 1
    most = episode.last_seq - before
    turns = await store.read(scope, lambda work: work.messages.turns_after(scope, seq=before, limit=most))
    return [turn for turn in turns if turn.seq <= episode.last_seq]


def _told(waiting: Sequence[Episode], stretches: Sequence[Sequence[Message]], *, max_tokens: int) -> list[Episode]:
    return [
        _with_gist(episode, stretch, max_tokens=max_tokens)
        for episode, stretch in zip(waiting, stretches, strict=True)
    ]


def _with_gist(episode: Episode, stretch: Sequence[Message], *, max_tokens: int) -> Episode:
    """The episode as it is told; one whose turns are gone stays as it is, and waits no longer."""
    if not stretch:
        return episode
    extracted = gist(stretch, max_tokens=max_tokens)
    return msgspec.structs.replace(episode, title=extracted.title, summary=extracted.summary)


async def _keep(store: Store, episode: Episode) -> bool:
    scope = _scope(episode)
    return await store.write(scope, lambda work: _store(work, scope, episode))


def _store(work: UnitOfWork, scope: Scope, episode: Episode) -> bool:
    if not work.episodes.tell(scope, episode):
        return False
    work.index.put(scope, [ItemKey("episode", episode.id, episode.conversation)])
    return True


def _scope(episode: Episode) -> Scope:
    return Scope(episode.tenant, episode.user, episode.conversation)
