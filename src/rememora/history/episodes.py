"""Cuts a conversation into episodes: one for each multiple of the threshold, in the transaction that reaches it.

The conversation's record says how far it is cut, so that an append which completes nothing costs nothing. An
episode completed by a user's message waits for the answer: the next append makes it, or else the worker. Its
summary is written later, by `history.episode_summary`, because it is too slow for an append.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import msgspec

from rememora.domain.check import check_name, check_text, check_whole
from rememora.domain.episode import Episode
from rememora.domain.event import EpisodeCreated, Event, event_of
from rememora.domain.hit import ItemKey
from rememora.domain.ids import new_id
from rememora.domain.message import ConversationRecord, Message
from rememora.domain.scope import Scope
from rememora.domain.visibility import Reason
from rememora.errors import Conflict, NotFound
from rememora.history.condense import Gist, gist, opening
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import EpisodeSettings
from rememora.visibility.judge import judge_value
from rememora.visibility.plan import visible

AT_ONCE = 8
MOST_TURNS_AT_ONCE = 1000
LIST_LIMIT = 1000
SUMMARY_BYTES = 64 * 1024


class Cuts(msgspec.Struct, frozen=True):
    """The turn counts at which to end an episode now, and whether another one waits."""

    now: tuple[int, ...] = ()
    later: bool = False


class Stretch(msgspec.Struct, frozen=True):
    """The turns of one episode, and the conversation's turn count at its end."""

    turns: int
    messages: Sequence[Message]


class EpisodeText(msgspec.Struct, frozen=True):
    """The caller's own title and summary of an episode; missing fields are extracted from the turns."""

    title: str | None = None
    summary: str | None = None
    hidden: Reason | None = None

    def __post_init__(self) -> None:
        if self.title is not None:
            check_name("title", self.title)
        if self.summary is not None:
            check_text("summary", self.summary, max_bytes=SUMMARY_BYTES)


def plan_cuts(turns: int, cut: int, *, threshold: int, answered: bool) -> Cuts:
    """Return the complete multiples of `threshold` above `cut`; one at the end waits for its answer."""
    # The next multiple above the cut, whatever the cut is: a caller may have closed an episode by hand in
    # between.
    first = (cut // threshold + 1) * threshold
    if first > turns:
        return Cuts()
    complete = range(first, turns + 1, threshold)
    at_once = max(1, MOST_TURNS_AT_ONCE // threshold)
    # A long import is cut in several rounds, each of which is one short transaction.
    if len(complete) > at_once:
        return Cuts(tuple(complete[:at_once]), later=True)
    if complete[-1] == turns and not answered:
        return Cuts(tuple(complete[:-1]), later=True)
    return Cuts(tuple(complete))


def cut_after_append(
    work: UnitOfWork,
    record: ConversationRecord,
    spoken: Sequence[Message],
    *,
    scope: Scope,
    settings: EpisodeSettings,
    now: datetime,
) -> None:
    """Make the episodes that these turns complete, and record one that still waits for its answer."""
    answered = spoken[-1].role != "user"
    cuts = plan_cuts(record.turns, record.cut, threshold=settings.threshold, answered=answered)
    if cuts.now:
        work.chores.done(scope, "episode")
        stretches = _take(work, record, cuts.now, scope=scope, spoken=spoken)
        _keep(work, stretches, scope=scope, settings=settings, now=now)
    if cuts.later:
        work.chores.add(scope, "episode", due_at=now + timedelta(seconds=settings.grace_seconds))


async def cut_due(store: Store, *, settings: EpisodeSettings, clock: Clock, patient: bool) -> bool:
    """Make the episodes whose answer never came; without patience also those that may still get one."""
    now = clock()
    horizon = now if patient else now + timedelta(seconds=settings.grace_seconds)
    due = await store.chores(lambda chores: chores.due("episode", now=horizon, limit=AT_ONCE))
    for chore in due:
        await _cut_one(store, chore.scope, settings=settings, now=now)
    return bool(due)


async def append_episode(
    store: Store, scope: Scope, wording: EpisodeText, *, settings: EpisodeSettings, clock: Clock
) -> Episode:
    """End an episode at the newest turn; repeated without a new turn, it is the same episode."""
    now = clock()
    judged = EpisodeText(wording.title, wording.summary, judge_value(wording.title, wording.summary))
    stored = await store.write(scope, lambda work: _append(work, scope, judged, settings=settings, now=now))
    return as_listed(stored)


async def list_episodes(store: Store, scope: Scope, *, limit: int) -> list[Episode]:
    """List the newest episodes of a conversation, or of all the user's, newest first."""
    check_whole("limit", limit, 1, LIST_LIMIT)
    episodes = await store.read(scope, lambda work: work.episodes.newest(scope, limit=limit))
    return [as_listed(episode) for episode in episodes]


def as_listed(episode: Episode) -> Episode:
    """Return an episode as it is listed: a hidden one without its content."""
    return episode if episode.hidden is None else msgspec.structs.replace(episode, title="", summary="")


async def _cut_one(store: Store, scope: Scope, *, settings: EpisodeSettings, now: datetime) -> None:
    await store.write(scope, lambda work: _cut_rest(work, scope, settings=settings, now=now))


def _cut_rest(work: UnitOfWork, scope: Scope, *, settings: EpisodeSettings, now: datetime) -> None:
    record = work.conversations.get(scope)
    cuts = Cuts()
    if record is not None:
        cuts = plan_cuts(record.turns, record.cut, threshold=settings.threshold, answered=True)
        stretches = _take(work, record, cuts.now, scope=scope)
        _keep(work, stretches, scope=scope, settings=settings, now=now)
    if not cuts.later:
        work.chores.done(scope, "episode")


def _append(
    work: UnitOfWork, scope: Scope, wording: EpisodeText, *, settings: EpisodeSettings, now: datetime
) -> Episode:
    record = work.conversations.get(scope)
    if record is None or not record.turns:
        raise NotFound("conversation", str(scope.conversation))
    if record.turns > record.cut:
        # Episodes that are due anyway are cut first: the one by hand covers only the rest.
        due = plan_cuts(record.turns, record.cut, threshold=settings.threshold, answered=False)
        stretches = _take(work, record, [*due.now, record.turns], scope=scope)
        _keep(work, stretches[:-1], scope=scope, settings=settings, now=now)
        _keep(work, stretches[-1:], scope=scope, settings=settings, now=now, wording=wording)
        work.chores.done(scope, "episode")
    stored = work.episodes.newest(scope, limit=1)[0]
    if (wording.title or stored.title, wording.summary or stored.summary) != (stored.title, stored.summary):
        raise Conflict(f"the episode at turn {stored.turns} already exists with another title or summary")
    return stored


def _take(
    work: UnitOfWork,
    record: ConversationRecord,
    ends: Sequence[int],
    *,
    scope: Scope,
    spoken: Sequence[Message] = (),
) -> list[Stretch]:
    """Move the cut to the last of `ends`, and return the turns up to each; `spoken` are the newest turns."""
    # The cut moves only from where it was read: of two processes one gets these turns.
    if not ends or not work.conversations.mark_cut(scope, before=record.cut, cut=ends[-1]):
        return []
    known = record.turns - len(spoken)
    turns = list(spoken[max(record.cut - known, 0) :])
    # Turns before those that the caller brought are read; the rest is in memory already.
    if known > record.cut:
        before = work.episodes.newest(scope, limit=1)
        seq = before[0].last_seq if before else 0
        turns[:0] = work.messages.turns_after(scope, seq=seq, limit=min(known, ends[-1]) - record.cut)
    return [
        Stretch(end, turns[start - record.cut : end - record.cut]) for start, end in pairwise([record.cut, *ends])
    ]


def _keep(
    work: UnitOfWork,
    stretches: Sequence[Stretch],
    *,
    scope: Scope,
    settings: EpisodeSettings,
    now: datetime,
    wording: EpisodeText | None = None,
) -> None:
    """Store each episode with its event; summarised at once if the caller or the event needs it."""
    if wording is None and settings.tell_summary:
        wording = EpisodeText()
    made = [_episode(stretch, wording, settings=settings, now=now) for stretch in stretches if stretch.messages]
    new = work.episodes.add_all(scope, made, summarised=wording is not None)
    shown = [ItemKey("episode", episode.id, episode.conversation) for episode in new if episode.hidden is None]
    if shown:
        work.index.put(scope, shown)
    work.outbox.add_all(scope, [created(scope, episode, settings, at=now) for episode in new])


def _episode(
    stretch: Stretch, wording: EpisodeText | None, *, settings: EpisodeSettings, now: datetime
) -> Episode:
    first, last = stretch.messages[0], stretch.messages[-1]
    said = visible(stretch.messages)
    title, summary = opening(said) if said else "", ""
    if wording is not None:
        # What the model left empty is filled from the messages themselves.
        extracted = gist(said, max_tokens=settings.max_tokens) if said else Gist("", "")
        title, summary = wording.title or extracted.title, wording.summary or extracted.summary
    # An episode of hidden messages alone has nothing to tell, and still counts as the one of its multiple.
    hidden = (None if wording is None else wording.hidden) or (None if title or summary else "withheld")
    return Episode(
        tenant=first.tenant,
        user=first.user,
        conversation=first.conversation,
        id=new_id(),
        turns=stretch.turns,
        first_seq=first.seq,
        last_seq=last.seq,
        title=title,
        summary=summary,
        created_at=now,
        hidden=hidden,
    )


def created(scope: Scope, episode: Episode, settings: EpisodeSettings, *, at: datetime) -> Event:
    """Build the event of a new episode, with its summary only if the settings allow it."""
    payload = EpisodeCreated(
        tenant_id=episode.tenant,
        session_id=episode.conversation,
        turn_count=episode.turns,
        summary=episode.summary if settings.tell_summary and episode.hidden is None else None,
    )
    return event_of(scope, payload, at=at, subject=episode.id)
