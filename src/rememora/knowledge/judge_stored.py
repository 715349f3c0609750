"""Judges items stored before visibility was decided at writing: user by user, in small transactions.

Until an item is judged it is hidden, so that nothing leaks. Each step can be repeated: if a process dies, the
remaining marks show what is left to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from rememora.domain.episode import Episode, Summary
from rememora.domain.hit import ItemKey
from rememora.domain.memory import Memory, MemoryFilter
from rememora.domain.message import ConversationRecord, Message
from rememora.domain.scope import Scope
from rememora.domain.visibility import VISIBLE, MemorySource, Reason, VisibilityVerdict
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.entities import judge_mention
from rememora.language import fold
from rememora.ports.store import Store, UnitOfWork
from rememora.visibility.follow import LOOKED_BACK, cite, follow, lineage, spoken_text
from rememora.visibility.judge import judge_echo, judge_message, judge_value
from rememora.visibility.plan import memory_reasons, strongest

USERS = 4
PAGE = 200
SAYING_AT_MOST = 200
SHORTEST_TEXT = 5
HELD_CHARACTERS = 400
EVERY = 1_000_000
_TOLD: frozenset[Reason | None] = frozenset({None, "echo"})


async def judge_due(knowledge: KnowledgeBase) -> bool:
    """Judge stored items of some users; True if there were any."""
    users = await knowledge.store.unjudged(lambda view: view.users(limit=USERS))
    for user in users:
        await judge_user(knowledge, user)
    return bool(users)


async def judge_user(knowledge: KnowledgeBase, user: Scope) -> None:
    """Judge all unjudged items of one user."""
    store, now = knowledge.store, knowledge.clock()
    await store.write(user, lambda work: _judge_entities(work, user))
    while await store.write(user, lambda work: _judge_tasks(work, user)):
        pass
    await _link(store, user, now=now)
    while records := await store.read(user, lambda work: work.conversations.unjudged(user, limit=PAGE)):
        for record in records:
            await _judge_conversation(knowledge, user.within(record.id), record)


async def _link(store: Store, user: Scope, *, now: datetime) -> None:
    """Link every memory with its source messages, as far as they are known, and apply its visibility to them."""
    await store.write(user, lambda work: _mark_held(work, user))
    after: tuple[str, str] | None = None
    filters = MemoryFilter(status=None, scope="personal")
    while True:
        page = await store.read(user, partial(_page, user=user, filters=filters, after=after))
        if not page:
            return
        await store.write(user, partial(_link_page, user=user, page=page, now=now))
        after = page[-1].key, page[-1].id


def _page(work: UnitOfWork, *, user: Scope, filters: MemoryFilter, after: tuple[str, str] | None) -> list[Memory]:
    return work.memories.page(user, filters, limit=PAGE, after=after)


def _link_page(work: UnitOfWork, *, user: Scope, page: Sequence[Memory], now: datetime) -> None:
    for memory in page:
        if not (memory.evidence or "").startswith(f"{memory.key} = "):
            cite(work, user, memory, (memory.source_ref,))
    for key in dict.fromkeys(memory.key for memory in page):
        # Once per key: what hides one value follows from all values of its key.
        family = work.memories.of_key(user, key, shared=False)
        reasons = memory_reasons(lineage(work, user, family[-1])) if family else {}
        hidden = {id for id, reason in reasons.items() if reason is not None}
        for memory in family:
            if memory.id in hidden:
                _link_saying(work, user, memory)
        if family:
            follow(work, user, family[-1], now=now)


def _link_saying(work: UnitOfWork, user: Scope, memory: Memory) -> None:
    """Link messages that contain a memory verbatim which was forgotten before links existed."""
    for text in {memory.evidence or "", spoken_text(memory.value)}:
        if len(text.strip()) < SHORTEST_TEXT:
            continue
        for conversation, id in work.sources.saying(user, text.strip(), limit=SAYING_AT_MOST):
            work.sources.add(
                user, MemorySource(user=user.user, memory=memory.id, conversation=conversation, message=id)
            )


def _mark_held(work: UnitOfWork, user: Scope) -> None:
    """Treat messages whose text is quarantined as orders, whatever the rules say today."""
    for held in work.quarantine.of_user(user):
        text = held.text[:HELD_CHARACTERS].strip()
        # A reviewer let it go, or it is so short that innocent messages hold it too.
        if held.status == "approved" or len(text) < SHORTEST_TEXT:
            continue
        for conversation, id in work.sources.saying(user, text, limit=SAYING_AT_MOST):
            place = user.within(conversation)
            mark = work.messages.mark(place, id)
            if mark is not None and mark.judged == "unjudged":
                _settle(work, place, id, VisibilityVerdict("order"))


async def _judge_conversation(knowledge: KnowledgeBase, scope: Scope, record: ConversationRecord) -> None:
    store = knowledge.store
    while True:
        page, question = await store.read(scope, lambda work: _unjudged(work, scope))
        if not page:
            break
        judged = await asyncio.to_thread(_judge_all, page, question)
        pairs = [(message.id, verdict) for message, verdict in zip(page, judged, strict=True)]
        await store.write(scope, partial(_settle_all, scope=scope, pairs=pairs))
    hidden = judge_value(record.metadata) if record.metadata else None
    await store.write(scope, lambda work: _judge_made(work, scope, hidden))
    await knowledge.see_to(scope)


def _unjudged(work: UnitOfWork, scope: Scope) -> tuple[list[Message], Message | None]:
    """Return the next messages, and the person's last message before them."""
    messages = work.messages.unjudged(scope, limit=PAGE)
    before = work.messages.newest(scope, limit=LOOKED_BACK, before=messages[0].seq) if messages else []
    return messages, next((turn for turn in reversed(before) if turn.role == "user"), None)


def _judge_all(page: Sequence[Message], question: Message | None) -> list[VisibilityVerdict]:
    """Judge messages one after the other; `asked` is the person's last message before them."""
    verdicts: list[VisibilityVerdict] = []
    verdict = VISIBLE if question is None else VisibilityVerdict(question.hidden, question.shown)
    for message in page:
        judged = judge_message(message)
        if message.role == "user":
            question, verdict = message, judged
        elif message.role == "assistant" and question and verdict.hidden == "secret" and judged.hidden in _TOLD:
            # An answer that repeats the secret of its question is hidden with it.
            echo = judge_echo(message.content, question.content, verdict.shown)
            judged = judged if echo.hidden is None else echo
        verdicts.append(judged)
    return verdicts


def _settle_all(work: UnitOfWork, *, scope: Scope, pairs: Sequence[tuple[str, VisibilityVerdict]]) -> None:
    for id, judged in pairs:
        mark = work.messages.mark(scope, id)
        if mark is not None and mark.judged == "unjudged":
            _settle(work, scope, id, judged)
    work.conversations.renew(scope)


def _settle(work: UnitOfWork, scope: Scope, id: str, judged: VisibilityVerdict) -> None:
    """Store the verdict on a message; a visible one keeps its vector."""
    mark = work.messages.mark(scope, id)
    reason = strongest((judged.hidden, *(link.hidden for link in work.sources.of_message(scope, id))))
    work.messages.judge(scope, id, judged.hidden, shown=judged.shown)
    work.messages.hide(scope, id, reason)
    if mark is not None and mark.role != "system":
        _index(work, scope, ItemKey("message", id, str(scope.conversation)), reason)


def _judge_made(work: UnitOfWork, scope: Scope, hidden: Reason | None) -> None:
    """Judge summaries and episodes: those that cover hidden turns are withheld, to be made again."""
    conversation = str(scope.conversation)
    dark = [
        message.seq for message in work.messages.after(scope, seq=0, limit=EVERY) if message.hidden not in _TOLD
    ]
    for episode in work.episodes.newest(scope, limit=EVERY):
        if episode.hidden == "unjudged":
            _judge_episode(work, scope, episode, dark)
    summary = work.summaries.get(scope)
    if summary is not None and summary.hidden == "unjudged":
        reason = _summary_reason(summary, dark)
        work.summaries.hide(scope, reason)
        _index(work, scope, ItemKey("summary", conversation, conversation), reason)
    # Last: a crash before this line leaves the conversation unjudged, and all of it is done again.
    work.conversations.hide(scope, hidden)


def _judge_episode(work: UnitOfWork, scope: Scope, episode: Episode, dark: Sequence[int]) -> None:
    reason = judge_value(episode.title, episode.summary)
    if any(episode.first_seq <= seq <= episode.last_seq for seq in dark):
        work.episodes.withhold(scope, episode.last_seq)
        reason = "withheld"
    else:
        work.episodes.hide(scope, episode.id, reason)
    _index(work, scope, ItemKey("episode", episode.id, str(scope.conversation)), reason)


def _summary_reason(summary: Summary, dark: Sequence[int]) -> Reason | None:
    covers = any(seq <= summary.last_seq for seq in dark)
    return "withheld" if covers or judge_value(summary.text) is not None else None


def _judge_entities(work: UnitOfWork, user: Scope) -> None:
    """Judge entities; one that was mentioned only where a forgotten memory was stated is forgotten too."""
    said = [fold(memory.evidence) for memory in _gone(work, user) if memory.evidence]
    for entity in work.entities.every(user):
        if entity.hidden == "unjudged":
            name = fold(entity.value) if isinstance(entity.value, str) else ""
            # Forgotten with the memory only if every one of its mentions stands in what was forgotten.
            times = sum(f" {name} " in f" {text} " for text in said) if name else 0
            reason: Reason | None = "forgotten" if 0 < entity.mentions <= times else None
            reason = judge_mention(entity) or reason
            work.entities.hide(user, entity.id, judged=reason, hidden=reason)
            _index(work, user, ItemKey("entity", entity.id), "forgotten" if entity.forgotten else reason)


def _gone(work: UnitOfWork, user: Scope) -> list[Memory]:
    page = work.memories.page(user, MemoryFilter(status=None, scope="personal"), limit=EVERY)
    return [memory for memory in page if memory.status != "active" or memory.suppressed]


def _judge_tasks(work: UnitOfWork, user: Scope) -> bool:
    tasks = work.tasks.unjudged(user, limit=PAGE)
    for task in tasks:
        reason = judge_value(task.kind, task.payload, third_party=False) or judge_value(task.summary, task.result)
        work.tasks.hide(user, task.id, reason)
    return bool(tasks)


def _index(work: UnitOfWork, scope: Scope, key: ItemKey, reason: Reason | None) -> None:
    """Update the index: visible items are indexed again, with their existing vector."""
    if reason is not None:
        work.index.drop(scope, [key])
    else:
        work.index.touch(scope, key)
