"""Stores messages: append, page, list, delete. The store assigns the order, inside the transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from rememora.domain.check import check_mapping, check_name, check_text, check_time, check_whole
from rememora.domain.event import ConversationDeleted, event_of
from rememora.domain.ids import new_id
from rememora.domain.message import ConversationRecord, Message, NewMessage, Page, Removed, question_of
from rememora.domain.scope import Scope
from rememora.domain.visibility import VisibilityVerdict
from rememora.domain.window import Edition
from rememora.errors import Conflict, InvalidInput, NotFound
from rememora.history.episodes import cut_after_append
from rememora.history.summarize import note_fold
from rememora.ports.history import ReservedPlaces
from rememora.ports.outside import Clock
from rememora.ports.store import Store, UnitOfWork
from rememora.ports.window import WindowCache
from rememora.settings import Settings
from rememora.tenancy.quotas import charge
from rememora.visibility.follow import hear_answers
from rememora.visibility.judge import judge_drafts, judge_value

PAGE_LIMIT = 1000
PATTERN_CHANGES = 40
PATTERN_GRACE = timedelta(seconds=60)
"""Number of index changes, in all conversations, after which the way a person talks is looked at. A message
makes two: it is indexed, and it gets its vector."""
READ_GRACE = timedelta(seconds=2)
"""Delay before a model reads a message; the turn acts on it at once, by rules."""
CHUNK = 500
CURSOR_BYTES = 2048


class Later(NamedTuple):
    """Background work that stored messages are queued for.

    `learn`: count the mentions in an answer and its question. `read`: let a model read the person's messages.
    """

    learn: bool = True
    read: bool = False


LEARN = Later()


async def append(
    store: Store,
    scope: Scope,
    drafts: Sequence[NewMessage],
    *,
    clock: Clock,
    settings: Settings,
    channel: str = "chat",
    later: Later = LEARN,
    cache: WindowCache | None = None,
) -> list[Message]:
    """Append messages to their conversation, all or none; existing ones are skipped."""
    now = clock()
    # Before the transaction: judging long texts inside it would hold up every other writer.
    judged = await judge_drafts(drafts)

    def work(unit: UnitOfWork) -> tuple[list[Message], Edition | None]:
        stored = _append(
            unit,
            scope,
            drafts,
            judged=judged,
            settings=settings,
            now=now,
            channel=channel,
            later=later,
        )
        # Read in the same transaction, so that the cache can tell whether another write came in between.
        return stored, None if cache is None or not stored else unit.messages.edition(scope)

    stored, edition = await store.write(scope, work)
    if cache is not None and edition is not None:
        await cache.follow(scope, stored, edition)
    return stored


async def append_many(
    store: Store,
    scope: Scope,
    messages: Iterable[NewMessage | Mapping[str, Any]],
    *,
    clock: Clock,
    settings: Settings,
    channel: str = "chat",
    progress: Callable[[int], None] | None = None,
    cache: WindowCache | None = None,
) -> int:
    """Append a long list in batches; it can be repeated after an error: messages with ids are not doubled."""
    done = 0
    drafts = map(NewMessage.of, messages)
    while chunk := list(islice(drafts, CHUNK)):
        await append(
            store,
            scope,
            chunk,
            clock=clock,
            settings=settings,
            channel=channel,
            # Old messages: what they mention does not count as if it were said now.
            later=Later(learn=False),
            cache=cache,
        )
        done += len(chunk)
        if progress is not None:
            progress(done)
    return done


async def messages(store: Store, scope: Scope, *, limit: int, after: str | None) -> Page[Message]:
    """Return a conversation from its beginning, page by page."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    seq = _seq_of(after)
    read = await store.read(scope, lambda work: work.messages.after(scope, limit=limit + 1, seq=seq))
    more = len(read) > limit
    return Page(tuple(read[:limit]), str(read[limit - 1].seq) if more else None)


async def conversations(store: Store, scope: Scope, *, limit: int, after: str | None) -> Page[ConversationRecord]:
    """List a user's conversations by last activity, newest first, page by page."""
    check_whole("limit", limit, 1, PAGE_LIMIT)
    before = _place_of(after)
    records = await store.read(
        scope, lambda work: work.conversations.newest(scope, limit=limit + 1, before=before)
    )
    more = len(records) > limit
    return Page(tuple(records[:limit]), _cursor(records[limit - 1]) if more else None)


async def about(store: Store, scope: Scope) -> ConversationRecord:
    """Return the record of a conversation."""
    known = await store.read(scope, lambda work: work.conversations.get(scope))
    if known is None:
        raise NotFound("conversation", str(scope.conversation))
    return known


async def describe(
    store: Store,
    scope: Scope,
    *,
    clock: Clock,
    channel: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    opened_on: str = "chat",
) -> ConversationRecord:
    """Create a conversation with its channel, or change its channel or metadata."""
    if channel is not None:
        check_name("channel", channel)
    about = None if metadata is None else check_mapping("metadata", metadata)
    hidden = None if about is None else judge_value(about)
    now = clock()

    def work(unit: UnitOfWork) -> ConversationRecord:
        # The default channel is for a conversation that begins here; one that exists keeps its own.
        known = channel is not None or unit.conversations.get(scope) is not None
        chosen = channel if known else opened_on
        return unit.conversations.describe(scope, channel=chosen, metadata=about, at=now, hidden=hidden)

    return await store.write(scope, work)


async def delete(store: Store, scope: Scope, *, clock: Clock, cache: WindowCache | None = None) -> Removed:
    """Delete a conversation with everything that belongs to it, and return the counts."""
    now = clock()
    removed = await store.write(scope, lambda work: _delete(work, scope, now))
    hot = 0 if cache is None else await cache.drop(scope)
    return msgspec.structs.replace(removed, cached=hot)


def _append(
    work: UnitOfWork,
    scope: Scope,
    drafts: Sequence[NewMessage],
    *,
    judged: Sequence[VisibilityVerdict],
    settings: Settings,
    now: datetime,
    channel: str,
    later: Later,
) -> list[Message]:
    known = work.messages.with_ids(scope, [draft.id for draft in drafts if draft.id is not None])
    fresh = plan_append(drafts, known)
    said = {id(draft): verdict for draft, verdict in zip(drafts, judged, strict=True)}
    if fresh:
        times = [draft.created_at or now for draft in fresh]
        answered = any(question_of(draft) is not None for draft in fresh)
        unread = later.learn and answered and settings.layers.entity_memory
        places = ReservedPlaces(
            messages=len(fresh),
            turns=sum(draft.role != "system" for draft in fresh),
            first=min(times),
            last=max(times),
            channel=channel,
            unread=unread,
        )
        # An answer to a question that was let in is never lost to the quota.
        asking = any(draft.role != "assistant" for draft in fresh)
        charge(work, scope, "messages", len(fresh), now=now, refuse=asking)
        record = work.conversations.reserve(scope, places)
        start = record.messages - len(fresh) + 1
        placed = [_placed(scope, draft, seq, now, said[id(draft)]) for seq, draft in enumerate(fresh, start)]
        work.messages.add(scope, placed)
        shown = [message for message in placed if message.role != "system" and message.hidden is None]
        before = work.index.put_messages(scope, shown) if shown else 0
        placed = hear_answers(work, scope, placed, [said[id(draft)] for draft in fresh], now=now)
        if later.read:
            note_unread(work, scope, placed, now=now)
        spoken = [message for message in placed if message.role != "system"]
        if spoken:
            _note_chores(work, record, spoken, scope=scope, settings=settings, now=now)
            if unread:
                work.chores.add(scope, "mentions", due_at=now)
            after = before + len(shown)
            if shown and settings.layers.patterns and after // PATTERN_CHANGES > before // PATTERN_CHANGES:
                work.chores.add(scope, "patterns", due_at=now + PATTERN_GRACE)
        if len(placed) == len(drafts):
            return placed
        known |= {message.id: message for message in placed}
        unnamed = iter([message for draft, message in zip(fresh, placed, strict=True) if draft.id is None])
        return [next(unnamed) if draft.id is None else known[draft.id] for draft in drafts]
    return [known[draft.id] for draft in drafts if draft.id is not None]


def note_unread(work: UnitOfWork, scope: Scope, messages: Sequence[Message], *, now: datetime) -> None:
    """Queue a person's visible message for the language model, after the turn has acted on it."""
    ids = [message.id for message in messages if message.role == "user" and message.hidden is None]
    work.unread.add(scope, ids, due_at=now + READ_GRACE)


def bring(
    work: UnitOfWork,
    scope: Scope,
    drafts: Sequence[NewMessage],
    *,
    judged: Sequence[VisibilityVerdict],
    settings: Settings,
    now: datetime,
    channel: str,
    complete: bool = True,
) -> ConversationRecord:
    """Store a conversation from elsewhere, with what its turns caused there.

    Until it is `complete`, the worker has nothing to do with it.
    """
    said = {id(draft): verdict for draft, verdict in zip(drafts, judged, strict=True)}
    drafts = plan_append(drafts, {})
    times = [draft.created_at or now for draft in drafts] or [now]
    turns = sum(draft.role != "system" for draft in drafts)
    places = ReservedPlaces(messages=len(drafts), turns=turns, first=min(times), last=max(times), channel=channel)
    charge(work, scope, "messages", len(drafts), now=now)
    record = work.conversations.reserve(scope, places)
    first = record.messages - len(drafts) + 1
    placed = [_placed(scope, draft, seq, now, said[id(draft)]) for seq, draft in enumerate(drafts, first)]
    work.messages.add(scope, placed)
    shown = [message for message in placed if message.role != "system" and message.hidden is None]
    if shown:
        work.index.put_messages(scope, shown)
    hear_answers(work, scope, placed, [said[id(draft)] for draft in drafts], now=now)
    if record.turns and complete:
        # Where what came with it falls short, the worker goes on from there.
        work.chores.add(scope, "episode", due_at=now)
        if settings.layers.summarization:
            work.chores.add(scope, "fold", due_at=now)
    return record


def _note_chores(
    work: UnitOfWork,
    record: ConversationRecord,
    spoken: Sequence[Message],
    *,
    scope: Scope,
    settings: Settings,
    now: datetime,
) -> None:
    """Schedule the follow-up of these turns: episodes at once, the rest later. Mostly nothing, so no query."""
    cut_after_append(work, record, spoken, scope=scope, settings=settings.episodes, now=now)
    if settings.layers.summarization:
        note_fold(work, record, spoken=len(spoken), scope=scope, settings=settings.summary, now=now)


def plan_append(drafts: Sequence[NewMessage], known: Mapping[str, Message]) -> list[NewMessage]:
    """Return the new drafts; one whose id belongs to another message is a conflict."""
    fresh: list[NewMessage] = []
    seen: dict[str, NewMessage] = {}
    for draft in drafts:
        if draft.id is None:
            fresh.append(draft)
        # A repeated import or request: the same message is passed over, and another text under its id is
        # refused.
        elif draft.id in known:
            _check_same(draft, known[draft.id])
        elif draft.id in seen:
            _check_same(draft, seen[draft.id])
        else:
            seen[draft.id] = draft
            fresh.append(draft)
    return fresh


def _check_same(draft: NewMessage, other: Message | NewMessage) -> None:
    fields = ["role", "content", "modality", "attachments", "metadata"]
    if draft.created_at is not None:
        fields.append("created_at")
    for field in fields:
        if getattr(draft, field) != getattr(other, field):
            raise Conflict(f"message {draft.id!r} already exists with another {field}")


def _placed(scope: Scope, draft: NewMessage, seq: int, now: datetime, judged: VisibilityVerdict) -> Message:
    assert scope.conversation is not None
    created_at = draft.created_at
    return Message(
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation,
        seq=seq,
        id=draft.id or new_id(),
        role=draft.role,
        content=draft.content,
        modality=draft.modality,
        attachments=draft.attachments,
        metadata=draft.metadata,
        created_at=now if created_at is None else created_at.astimezone(UTC),
        hidden=judged.hidden,
        shown=judged.shown,
    )


def _delete(work: UnitOfWork, scope: Scope, now: datetime) -> Removed:
    work.chores.remove(scope)
    work.unread.remove(scope)
    work.sources.remove(scope)
    removed = Removed(
        messages=work.messages.remove(scope),
        summaries=work.summaries.remove(scope),
        episodes=work.episodes.remove(scope),
        embeddings=work.index.drop_conversation(scope),
        conversations=work.conversations.remove(scope),
    )
    if removed.conversations:
        deleted = ConversationDeleted(
            messages=removed.messages,
            summaries=removed.summaries,
            episodes=removed.episodes,
            embeddings=removed.embeddings,
        )
        work.outbox.add(scope, event_of(scope, deleted, at=now))
    return removed


def _seq_of(cursor: str | None) -> int:
    if cursor is None:
        return 0
    check_text("after", cursor, max_bytes=CURSOR_BYTES)
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 18):
        raise InvalidInput("after", "is not a cursor of this list")
    return int(cursor)


def _cursor(record: ConversationRecord) -> str:
    return f"{record.updated_at.isoformat()}~{record.id}"


def _place_of(cursor: str | None) -> tuple[datetime, str] | None:
    if cursor is None:
        return None
    moment, _, id = check_text("after", cursor, max_bytes=CURSOR_BYTES).partition("~")
    try:
        return check_time("after", datetime.fromisoformat(moment)), check_name("after", id)
    except ValueError:
        raise InvalidInput("after", "is not a cursor of this list") from None
