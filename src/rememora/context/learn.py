"""Counts the mentions of an answered turn in the worker, each answer exactly once.

An answer that names its question leaves a chore in the transaction that stores it. The counting transaction moves
the conversation's mark from where it was seen: one that lost a race, or read messages removed since, counts
nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from rememora import telemetry
from rememora.domain.entity import Mention
from rememora.domain.message import Message, question_of
from rememora.domain.prompt import BUILTIN
from rememora.domain.retry import retry_at
from rememora.domain.scope import Scope
from rememora.domain.verdict import Quarantine, Refuse
from rememora.errors import ModelUnavailable
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.entities import count_mention, judge_mention, types_of
from rememora.knowledge.mentions import mentions
from rememora.knowledge.mentions.read import read_mentions
from rememora.knowledge.note import judge
from rememora.knowledge.opt_outs import is_paused
from rememora.language import detect, fold
from rememora.ports.chores import Chore
from rememora.ports.outside import Model
from rememora.ports.store import UnitOfWork
from rememora.reading.rules import without_rules
from rememora.settings import EntitySettings

logger = logging.getLogger(__name__)

AT_ONCE = 4
LOOKED_AT = 50
LEASE_MARGIN_SECONDS = 5.0
LANGUAGE_KEYS = ("user.locale", "user.preferred_language")
"""Keys that imply the language of an unclear text, most reliable first."""


class Exchange(msgspec.Struct, frozen=True):
    """An answer, and the question it is the first answer to."""

    asked: Message | None
    answer: Message


class UncountedMessages(msgspec.Struct, frozen=True):
    """Messages to count next: those after the mark, and the exchanges that end in them."""

    mark: int
    messages: tuple[Message, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    locale: str = "pt"


async def count_due(knowledge: KnowledgeBase, *, model: Model | None) -> bool:
    """Count the mentions of due conversations, a few at once; True if there were any."""
    now = knowledge.clock()
    due = await knowledge.store.chores(lambda chores: chores.due("mentions", now=now, limit=AT_ONCE))
    await asyncio.gather(*(count(knowledge, chore, model=model) for chore in due))
    return bool(due)


async def count(knowledge: KnowledgeBase, chore: Chore, *, model: Model | None) -> bool:
    """Count one batch in one conversation; False if nothing was counted."""
    store, scope, settings = knowledge.store, chore.scope, knowledge.settings.entities
    unheard = await store.read(scope, lambda work: _unheard(work, scope, one=model is not None))
    # With a model the chore is leased: two workers must not pay for the same text. Without, racing is harmless.
    lease = settings.model_seconds + LEASE_MARGIN_SECONDS if model is not None else 0.0
    until = knowledge.clock() + timedelta(seconds=lease)
    if not await store.write(
        scope, lambda work: work.chores.claim(scope, "mentions", seen=chore.due_at, until=until)
    ):
        return False
    tired = chore.attempts >= settings.attempts
    try:
        mentions = await _found(knowledge, unheard, model=None if tired else model)
    except Exception as error:
        # A model is somebody else's code: whatever it raises, nothing is counted, and it is asked again later.
        again = retry_at(knowledge.clock(), chore.attempts + 1, settings)
        logger.warning("mentions of %s wait until %s: %s", scope.conversation, again, type(error).__name__)
        await store.write(scope, lambda work: work.chores.postpone(scope, "mentions", due_at=again))
        return False
    now = knowledge.clock()
    return await store.write(scope, lambda work: _keep(work, scope, unheard, mentions, settings=settings, now=now))


def _unheard(work: UnitOfWork, scope: Scope, *, one: bool) -> UncountedMessages:
    """Return the next messages after the mark; only up to the first answer if each is read separately."""
    record = work.conversations.get(scope)
    if record is None:
        return UncountedMessages(0)
    messages = work.messages.after(scope, seq=record.counted, limit=LOOKED_AT)
    answers = [message for message in messages if question_of(message) is not None]
    if one and answers:
        messages, answers = [message for message in messages if message.seq <= answers[0].seq], answers[:1]
    questions = work.messages.with_ids(scope, [str(question_of(answer)) for answer in answers])
    # While memory is paused what is said is passed over for good, not only put off.
    heard = () if is_paused(work, scope) else tuple(_exchanges(answers, questions))
    return UncountedMessages(record.counted, tuple(messages), heard, _locale(work, scope))


_NAMES: Final = {"en": ("en", "ingl"), "es": ("es", "cast")}
"""Prefixes of language names, in any of the languages; `espanhol` and `español` alike."""


def _locale(work: UnitOfWork, scope: Scope) -> str:
    """Return the language that the person is known to speak, else `pt`."""
    user = Scope(scope.tenant, scope.user)
    known = [work.memories.active(user, key, shared=False) for key in LANGUAGE_KEYS]
    values = [fold(str(memory.value)) for memory in known if memory is not None]
    return next((code for code, names in _NAMES.items() if values and values[0].startswith(names)), "pt")


def _exchanges(answers: Iterable[Message], questions: Mapping[str, Message]) -> Iterator[Exchange]:
    for answer in answers:
        again = answer.metadata.get("attempt", 1) != 1
        yield Exchange(None if again else questions.get(str(question_of(answer))), answer)


async def _found(
    knowledge: KnowledgeBase, unheard: UncountedMessages, *, model: Model | None
) -> list[tuple[str, Mention]]:
    """List mentions with the message each is counted in, without those that contain an order or a secret."""
    texts = await asyncio.to_thread(lambda: [said(knowledge, exchange) for exchange in unheard.exchanges])
    mentions: list[tuple[str, Mention]] = []
    for exchange, text in zip(unheard.exchanges, texts, strict=True):
        if text:
            language = detect(text, unheard.locale)
            conversation = exchange.answer.conversation
            # Counted in the person's message where there is one: erasing it takes the mention back.
            source = exchange.answer if exchange.asked is None else exchange.asked
            read = await _read(knowledge.settings.entities, text, language, conversation, model=model)
            mentions += [(source.id, mention) for mention in read if judge_mention(mention) is None]
    return mentions


def said(knowledge: KnowledgeBase, exchange: Exchange) -> str:
    """Return the text of an exchange to read: nothing the gate refused, no answer that only repeats memory."""
    question, answer = exchange.asked, exchange.answer
    if question is not None and question.hidden is not None:
        return ""
    if question is not None:
        verdict = judge(knowledge, question.content)
        if isinstance(verdict, Quarantine) or (isinstance(verdict, Refuse) and verdict.sensitive):
            return ""
    # The built-in responder quotes memory: counting its words would count each fact again at every question.
    spoken = None if answer.metadata.get("model") == BUILTIN or answer.hidden is not None else answer
    return "\n".join(message.content for message in (question, spoken) if message is not None)


async def _read(
    settings: EntitySettings, text: str, language: str, conversation: str, *, model: Model | None
) -> Sequence[Mention]:
    """Read mentions with the model, or offline if there is none or it does not answer."""
    if model is None:
        return await asyncio.to_thread(_offline, settings, text, language, conversation)
    try:
        async with asyncio.timeout(settings.model_seconds):
            reading = await read_mentions(model, text, types=types_of(settings), conversation=conversation)
    except TimeoutError:
        raise ModelUnavailable(f"nothing read within {settings.model_seconds} s") from None
    if reading.malformed:
        logger.warning("a model's mentions were dropped as malformed: %d", reading.malformed)
        if (measures := telemetry.measures()) is not None:
            measures.dropped.inc(reading.malformed)
    # A model that answers nonsense twice is no better than none: the text is read offline.
    if reading.failed:
        return await asyncio.to_thread(_offline, settings, text, language, conversation)
    return reading.mentions


def _offline(settings: EntitySettings, text: str, language: str, conversation: str) -> Sequence[Mention]:
    known = types_of(settings)
    return [
        Mention(
            type=text_mention.type,
            key=text_mention.key,
            value=text_mention.value,
            confidence=text_mention.confidence,
            conversation=conversation,
        )
        for text_mention in mentions(without_rules(text), language)
        if text_mention.type in known
    ]


def _keep(
    work: UnitOfWork,
    scope: Scope,
    unheard: UncountedMessages,
    mentions: Sequence[tuple[str, Mention]],
    *,
    settings: EntitySettings,
    now: datetime,
) -> bool:
    """Count what was found if its messages are unchanged, and nobody has counted them."""
    if work.conversations.get(scope) is None:
        work.chores.done(scope, "mentions")
        return False
    heard = unheard.messages
    # Reading happens outside of the transaction: if a message was hidden or deleted meanwhile, or another
    # process was faster, this result is dropped.
    same = tuple(work.messages.after(scope, seq=unheard.mark, limit=len(heard) or 1)) == heard
    upto = heard[-1].seq if heard else unheard.mark
    if not same or not work.conversations.mark_counted(scope, before=unheard.mark, counted=upto):
        return False
    for source, mention in mentions:
        count_mention(work, scope, mention, at=now, cap=settings.max_per_user, source=source)
    if work.messages.after(scope, seq=upto, limit=1):
        work.chores.renew(scope, "mentions", due_at=now)
    else:
        work.chores.done(scope, "mentions")
    return True
