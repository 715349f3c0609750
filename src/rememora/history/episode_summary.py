"""Writes the title and summary of an episode, after the append that stored it, exactly once.

An episode waits for its summary from the transaction that stores it, so that no crash can lose it. The writing
transaction changes an episode that still waits and no other: of two workers on the same one, the first wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

import msgspec

from rememora.domain.episode import Episode
from rememora.domain.hit import ItemKey
from rememora.domain.message import Message
from rememora.domain.scope import Scope
from rememora.history.condense import gist
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import EpisodeSettings
from rememora.visibility.plan import visible

AT_ONCE = 16


async def summarise_due(store: Store, *, settings: EpisodeSettings) -> bool:
    """Summarise the episodes that wait longest, a few at once; True if there were any."""
    waiting = await store.chores(lambda chores: chores.untold(limit=AT_ONCE))
    if not waiting:
        return False
    stretches = await asyncio.gather(*(_read(store, episode) for episode in waiting))
    # Apart from the event loop: close reading takes a millisecond or more each.
    summarised = await asyncio.to_thread(_summarised, waiting, stretches, max_tokens=settings.max_tokens)
    kept = await asyncio.gather(*map(partial(_keep, store), summarised, stretches))
    return any(kept)


async def summarise_again(store: Store, scope: Scope, *, settings: EpisodeSettings) -> None:
    """Summarise again the withheld episodes of one conversation, after one of their turns was hidden or shown."""
    for episode in await store.read(scope, lambda work: work.episodes.withheld(scope)):
        stretch = await _read(store, episode)
        summarised = await asyncio.to_thread(_with_gist, episode, stretch, max_tokens=settings.max_tokens)
        await _keep(store, summarised, stretch)


async def _read(store: Store, episode: Episode) -> list[Message]:
    scope = _scope(episode)
    return await store.read(scope, lambda work: _stretch(work, scope, episode))


def _stretch(work: UnitOfWork, scope: Scope, episode: Episode) -> list[Message]:
    before = episode.first_seq - 1
    turns = work.messages.turns_after(scope, seq=before, limit=episode.last_seq - before)
    return [turn for turn in turns if turn.seq <= episode.last_seq]


def _summarised(
    waiting: Sequence[Episode], stretches: Sequence[Sequence[Message]], *, max_tokens: int
) -> list[Episode]:
    return [
        _with_gist(episode, stretch, max_tokens=max_tokens)
        for episode, stretch in zip(waiting, stretches, strict=True)
    ]


def _with_gist(episode: Episode, stretch: Sequence[Message], *, max_tokens: int) -> Episode:
    """Write an episode from its visible turns; without any it stays hidden."""
    if not stretch:
        return episode
    said = visible(stretch)
    if not said:
        return msgspec.structs.replace(episode, title="", summary="", hidden="withheld")
    extracted = gist(said, max_tokens=max_tokens)
    return msgspec.structs.replace(episode, title=extracted.title, summary=extracted.summary, hidden=None)


async def _keep(store: Store, episode: Episode, stretch: Sequence[Message]) -> bool:
    scope = _scope(episode)
    return await store.write(scope, lambda work: _store(work, scope, episode, stretch))


def _store(work: UnitOfWork, scope: Scope, episode: Episode, stretch: Sequence[Message]) -> bool:
    """Store the summary if its turns are unchanged: one may have been hidden since."""
    if _stretch(work, scope, episode) != list(stretch) or not work.episodes.tell(scope, episode):
        return False
    if episode.hidden is not None:
        return True
    work.index.put(scope, [ItemKey("episode", episode.id, episode.conversation)])
    return True


def _scope(episode: Episode) -> Scope:
    return Scope(episode.tenant, episode.user, episode.conversation)
