"""Folds the old part of a long conversation into its rolling summary, each message exactly once.

A fold reads, asks (a model, or the extractive summariser), then stores. The storing transaction compares its
range with the stored one: a fold that lost a race or woke up late changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

import msgspec

from rememora.domain.episode import Summary
from rememora.domain.hit import ItemKey
from rememora.domain.message import ConversationRecord, Message
from rememora.domain.retry import retry_at
from rememora.domain.scope import Scope
from rememora.domain.window import Edition
from rememora.history.condense import condense
from rememora.history.model_summary import pieces, summarise_with_model
from rememora.language import count_tokens
from rememora.ports.chores import Chore
from rememora.ports.outside import Clock, Model
from rememora.ports.store import Store, UnitOfWork
from rememora.settings import SummarySettings
from rememora.visibility.plan import visible

logger = logging.getLogger(__name__)

BATCH = 200
TRIES = 5
AT_ONCE = 4
REMIND_TURNS = 8
LEASE_MARGIN_SECONDS = 5.0


class Fold(msgspec.Struct, frozen=True):
    """Number of the oldest uncovered messages to fold now."""

    take: int


class Prepared(msgspec.Struct, frozen=True):
    """Input of a fold: the summary so far, and the messages to add."""

    before: Summary | None
    aged: tuple[Message, ...]


def plan_fold(uncovered: int, settings: SummarySettings, *, batch: int = BATCH) -> Fold | None:
    """Decide how many uncovered messages to fold, system messages excluded: all but the newest, or none yet.

    A long backlog is folded in batches; each leaves enough behind for the next fold to be due.
    """
    due_above = max(settings.threshold, settings.keep_recent)
    if uncovered <= due_above:
        return None
    aged = uncovered - settings.keep_recent
    if aged <= batch:
        return Fold(aged)
    return Fold(min(batch, uncovered - due_above - 1) or aged)


async def summary(store: Store, scope: Scope) -> Summary | None:
    """Return the conversation's rolling summary; None while it is short."""
    stored = await store.read(scope, lambda work: work.summaries.get(scope))
    return None if stored is None or stored.hidden is not None or not stored.text else stored


async def fold_due(store: Store, *, settings: SummarySettings, model: Model | None, clock: Clock) -> bool:
    """Fold due conversations, a few at once; True if there were any."""
    now = clock()
    due = await store.chores(lambda chores: chores.due("fold", now=now, limit=AT_ONCE))
    await asyncio.gather(*(fold(store, chore, settings=settings, model=model, clock=clock) for chore in due))
    return bool(due)


async def fold(
    store: Store, chore: Chore, *, settings: SummarySettings, model: Model | None, clock: Clock
) -> bool:
    """Fold one batch of a conversation; False if nothing was folded."""
    scope = chore.scope
    await remake(store, scope, settings=settings)
    prepared = await store.read(scope, lambda work: _prepare(work, scope, settings))
    if prepared is None:
        await store.write(scope, lambda work: _dismiss(work, scope, settings))
        return False
    if prepared.before is not None and prepared.before.hidden == "unjudged":
        later = retry_at(clock(), chore.attempts + 1, settings)
        await store.write(scope, lambda work: work.chores.postpone(scope, "fold", due_at=later))
        return False
    # With a model the chore is leased: two workers must not pay for the same text. Without, racing is harmless.
    lease = _lease(prepared, settings) if model is not None else timedelta()
    until = clock() + lease
    if not await store.write(scope, lambda work: work.chores.claim(scope, "fold", seen=chore.due_at, until=until)):
        return False
    try:
        text = await _text_of(prepared, settings=settings, model=model)
    except Exception as error:
        # A model is somebody else's code: whatever it raises, the old summary stays and the turn is not touched.
        again = retry_at(clock(), chore.attempts + 1, settings)
        logger.warning("fold of %s failed, again at %s: %s", scope.conversation, again, type(error).__name__)
        await store.write(scope, lambda work: work.chores.postpone(scope, "fold", due_at=again))
        return False
    now = clock()
    return await store.write(scope, lambda work: _keep(work, scope, prepared, text, settings=settings, now=now))


def note_fold(
    work: UnitOfWork,
    record: ConversationRecord,
    *,
    spoken: int,
    scope: Scope,
    settings: SummarySettings,
    now: datetime,
) -> None:
    """Schedule a fold after an append if one has become due; costs nothing otherwise.

    A fold that was due before has been scheduled already, unless settings changed: it is scheduled again from time
    to time.
    """
    uncovered = record.turns - record.folded
    noted = plan_fold(uncovered - spoken, settings) is not None and uncovered % REMIND_TURNS >= spoken
    if not noted and plan_fold(uncovered, settings) is not None:
        work.chores.add(scope, "fold", due_at=now)


def _prepare(work: UnitOfWork, scope: Scope, settings: SummarySettings) -> Prepared | None:
    before = work.summaries.get(scope)
    seq = 0 if before is None else before.last_seq
    plan = plan_fold(work.messages.count_turns_after(scope, seq=seq), settings)
    if plan is None:
        return None
    return Prepared(before, tuple(work.messages.turns_after(scope, seq=seq, limit=plan.take)))


def _dismiss(work: UnitOfWork, scope: Scope, settings: SummarySettings) -> None:
    """Drop a chore that turned out idle, unless a message has arrived since it was checked."""
    if _prepare(work, scope, settings) is None:
        work.chores.done(scope, "fold")


def _lease(prepared: Prepared, settings: SummarySettings) -> timedelta:
    return timedelta(seconds=len(pieces(prepared.aged)) * settings.model_seconds + LEASE_MARGIN_SECONDS)


async def _text_of(prepared: Prepared, *, settings: SummarySettings, model: Model | None) -> str:
    before = "" if prepared.before is None or prepared.before.hidden is not None else prepared.before.text
    aged = visible(prepared.aged)
    if not aged:
        return before
    if model is not None:
        return await summarise_with_model(model, before, aged, settings=settings)
    return condense(before, aged, max_tokens=settings.max_tokens)


async def remake(store: Store, scope: Scope, *, settings: SummarySettings) -> bool:
    """Rebuild a withheld summary from the visible turns, without a model."""
    for _ in range(TRIES):
        before, edition = await store.read(
            scope, lambda work: (work.summaries.get(scope), work.messages.edition(scope))
        )
        if before is None or before.hidden != "withheld":
            return False
        text = await _retold(store, scope, before, settings=settings)
        # Stored only if the conversation has the edition that was read: a message hidden meanwhile must not
        # come back.
        made = msgspec.structs.replace(before, text=text, tokens=count_tokens(text), hidden=None)
        if await store.write(scope, partial(_rewrite, scope=scope, made=made, edition=edition)):
            return True
    return False


async def _retold(store: Store, scope: Scope, covered: Summary, *, settings: SummarySettings) -> str:
    text, seq = "", 0
    while seq < covered.last_seq:
        turns = await store.read(scope, partial(_covered, scope=scope, seq=seq, last=covered.last_seq))
        if not turns:
            break
        seq = turns[-1].seq
        text = await asyncio.to_thread(_condensed, text, turns, settings)
    return text


def _covered(work: UnitOfWork, *, scope: Scope, seq: int, last: int) -> list[Message]:
    turns = work.messages.turns_after(scope, seq=seq, limit=BATCH)
    return [turn for turn in turns if turn.seq <= last]


def _condensed(before: str, turns: Sequence[Message], settings: SummarySettings) -> str:
    said = visible(turns)
    return condense(before, said, max_tokens=settings.max_tokens) if said else before


def _rewrite(work: UnitOfWork, *, scope: Scope, made: Summary, edition: Edition) -> bool:
    """Store it unless something was said or hidden meanwhile."""
    if work.messages.edition(scope) != edition or not work.summaries.rewrite(scope, made):
        return False
    if made.text:
        work.index.put(scope, [ItemKey("summary", made.conversation, made.conversation)])
    return True


def _keep(
    work: UnitOfWork, scope: Scope, prepared: Prepared, text: str, *, settings: SummarySettings, now: datetime
) -> bool:
    """Store the summary if the messages it covers are unchanged."""
    before, aged = prepared.before, prepared.aged
    seq = 0 if before is None else before.last_seq
    # The summary was written outside the transaction (a model may take seconds): messages may have been deleted
    # or hidden meanwhile. It is written again then.
    same = work.messages.turns_after(scope, seq=seq, limit=len(aged)) == list(aged)
    if not same or work.summaries.get(scope) != before:
        return False
    new = Summary(
        tenant=scope.tenant,
        user=scope.user,
        conversation=aged[-1].conversation,
        text=text,
        tokens=count_tokens(text),
        covered=len(aged) + (0 if before is None else before.covered),
        last_seq=aged[-1].seq,
        created_at=now if before is None else before.created_at,
        updated_at=now,
    )
    if not work.summaries.replace(scope, new, after_seq=seq):
        return False
    if new.text:
        work.index.put(scope, [ItemKey("summary", new.conversation, new.conversation)])
    _settle(work, scope, new, settings=settings, now=now)
    return True


def _settle(work: UnitOfWork, scope: Scope, stored: Summary, *, settings: SummarySettings, now: datetime) -> None:
    """Record how far the summary reaches, and whether the next fold is already due."""
    left = work.messages.count_turns_after(scope, seq=stored.last_seq)
    record = work.conversations.get(scope)
    if record is not None:
        work.conversations.mark_folded(scope, folded=record.turns - left)
    if plan_fold(left, settings) is None:
        work.chores.done(scope, "fold")
    else:
        work.chores.renew(scope, "fold", due_at=now)
