"""Lets a language model read people's messages, in the worker, each message exactly once.

The transaction that stores a message of a turn notes it as unread. A worker claims it and asks the model; the
model's proposals go to the gate in the transaction that takes the message off the list. A worker that dies between
the two leaves the message to another, and one that has lost it meanwhile writes nothing. The result of the rules
stands until then, and permanently where the model fails or may not be asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Literal, Protocol

import msgspec

from rememora import telemetry
from rememora.context.reading_prompt import Material, near, written
from rememora.domain.message import Message
from rememora.domain.retry import retry_at
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.tenancy import Meter, window_of
from rememora.domain.verdict import Forget, Quarantine, Refuse
from rememora.errors import QuotaExceeded
from rememora.history.record import READ_GRACE
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.extract import INSTRUCTIONS, MAX_TOKENS, Extraction, ReadingContext, extract
from rememora.knowledge.note import judge
from rememora.knowledge.opt_outs import is_paused
from rememora.knowledge.proposed import Fate, JudgedStatement, SourceText, judge_proposed, keep_proposed
from rememora.language import count_tokens
from rememora.ports.outside import Model
from rememora.ports.store import UnitOfWork
from rememora.ports.unread import UnreadMessage
from rememora.settings import ReadingSettings

logger = logging.getLogger(__name__)

AT_ONCE = 4
KNOWN_LOOKED_AT = 1_000
LEASE_MARGIN_SECONDS = 5.0
TOO_OLD = timedelta(days=1)
"""Older messages are not read any more: their facts would come after what was said since."""
Outcome = Literal["read", "unfit", "over_budget", "failed", "malformed", "given_up", "lost"]


class TokenBudget(Protocol):
    """Return the counter of a tenant's tokens."""

    async def take(self, scope: Scope, meter: Meter, amount: int = 1) -> None: ...

    def add(self, scope: Scope, meter: Meter, amount: int) -> None: ...


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """The reading model, and its token counter."""

    model: Model
    tally: TokenBudget
    counter: Callable[[str], int] = count_tokens


class CountingModel:
    """A model that counts its calls and tokens."""

    def __init__(self, inner: Model, counter: Callable[[str], int]) -> None:
        self._inner = inner
        self._counter = counter
        self.calls = 0
        self.tokens = 0

    async def complete(self, *, instructions: str, text: str, max_tokens: int) -> str:
        self.calls += 1
        self.tokens += self._counter(instructions) + self._counter(text)
        answer = await self._inner.complete(instructions=instructions, text=text, max_tokens=max_tokens)
        self.tokens += self._counter(answer)
        return answer


class ClaimedMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message that this worker holds until a moment, its prompt, and the reserved tokens."""

    waiting: UnreadMessage
    until: datetime
    material: Material
    asked: ReadingContext
    reserved: int
    since: datetime

    @property
    def scope(self) -> Scope:
        return self.waiting.scope


async def read_due(knowledge: KnowledgeBase, reader: Reader, *, patient: bool) -> bool:
    """Read due messages, a few at once; True if there were any."""
    horizon = knowledge.clock() + (timedelta(0) if patient else READ_GRACE)
    due = await knowledge.store.chores(lambda chores: chores.unread(now=horizon, limit=AT_ONCE))
    outcomes = await asyncio.gather(*(read(knowledge, reader, waiting) for waiting in due))
    if (measures := telemetry.measures()) is not None:
        for outcome in outcomes:
            measures.readings.labels(outcome).inc()
    return bool(due)


async def read(knowledge: KnowledgeBase, reader: Reader, waiting: UnreadMessage) -> Outcome:
    """Let the model read one message, and submit what it proposes to the gate."""
    claim = await _claim(knowledge, reader, waiting)
    if not isinstance(claim, ClaimedMessage):
        return claim
    model = CountingModel(reader.model, reader.counter)
    try:
        async with asyncio.timeout(knowledge.settings.reading.model_seconds):
            extraction = await extract(model, claim.material.text, context=claim.asked)
    except Exception as error:
        # A model is somebody else's code: whatever it raises, nothing is kept, and it is asked again later.
        logger.warning("a message waits to be read again: %s", type(error).__name__)
        extraction = Extraction(failed=True, away=True)
    _count(reader, claim, model, extraction)
    if extraction.away:
        return await _put_off(knowledge, claim, spent=model.tokens)
    source = _source(claim)
    judged = await asyncio.to_thread(judge_proposed, knowledge, source, extraction.proposed)
    fates = await knowledge.heard_in(waiting.message).write(
        claim.scope,
        Actor(claim.scope.user),
        lambda writer: _settle(writer, knowledge, claim, source, judged, spent=model.tokens),
    )
    if fates is None:
        return "lost"
    _count_fates(fates)
    return "malformed" if extraction.failed else "read"


async def _claim(knowledge: KnowledgeBase, reader: Reader, waiting: UnreadMessage) -> ClaimedMessage | Outcome:
    """Claim a message, with the tokens that reading it may cost; a message not to be read is dropped."""
    settings, scope, now = knowledge.settings.reading, waiting.scope, knowledge.clock()
    # The lease outlives the model's time, so that no second worker asks the same while the first still waits.
    until = now + timedelta(seconds=settings.model_seconds + LEASE_MARGIN_SECONDS)
    material = await knowledge.store.read(scope, lambda work: _material(work, waiting, settings, now=now))
    fit = material is not None and await asyncio.to_thread(may_be_sent, knowledge, material.text)
    outcome: Outcome | None = "given_up" if waiting.attempts >= settings.attempts else None if fit else "unfit"
    claim = None
    if material is not None and outcome is None:
        claim = await asyncio.to_thread(_prompt, knowledge, reader, waiting, material, until)
        outcome = await _refused_by_plan(reader, scope)
    return await knowledge.store.write(scope, lambda work: _take(work, waiting, until, claim, outcome, settings))


def _prompt(
    knowledge: KnowledgeBase, reader: Reader, waiting: UnreadMessage, material: Material, until: datetime
) -> ClaimedMessage:
    """Write the prompt, within the tokens of one message."""
    known = near(material.known, material.text, material.turns, limit=knowledge.settings.reading.known)
    material = msgspec.structs.replace(material, known=known)
    fixed = reader.counter(INSTRUCTIONS) + MAX_TOKENS
    room = max(knowledge.settings.reading.message_tokens - fixed, 1)
    context = written(material, room=room, counter=reader.counter)
    return ClaimedMessage(
        waiting=waiting,
        until=until,
        material=material,
        asked=context,
        reserved=fixed + reader.counter(context.question or ""),
        since=window_of(knowledge.clock(), "day")[0],
    )


async def _refused_by_plan(reader: Reader, scope: Scope) -> Outcome | None:
    try:
        await reader.tally.take(scope, "tokens", 0)
    except QuotaExceeded:
        return "over_budget"
    return None


def _take(
    work: UnitOfWork,
    waiting: UnreadMessage,
    until: datetime,
    claim: ClaimedMessage | None,
    outcome: Outcome | None,
    settings: ReadingSettings,
) -> ClaimedMessage | Outcome:
    """Claim a message and reserve its tokens, in one transaction; if it cannot be claimed, drop it."""
    scope = waiting.scope
    if not work.unread.claim(scope, waiting.message, seen=waiting.due_at, until=until):
        return "lost"
    if claim is not None and outcome is None:
        used = work.usages.take(scope, "reading", since=claim.since, amount=claim.reserved)
        if not settings.daily_tokens or used <= settings.daily_tokens:
            return claim
        # Over the limit: the reservation is given back, and the message is left to the rules.
        work.usages.take(scope, "reading", since=claim.since, amount=-claim.reserved)
        outcome = "over_budget"
    work.unread.done(scope, waiting.message, claimed=until)
    return outcome or "unfit"


def _material(
    work: UnitOfWork, waiting: UnreadMessage, settings: ReadingSettings, *, now: datetime
) -> Material | None:
    """Find a message and its context; None if it is gone, hidden, too old, or memory is paused."""
    scope = waiting.scope
    message = _readable(work, waiting)
    if message is None or now - message.created_at > TOO_OLD:
        return None
    before = work.messages.newest(scope, limit=settings.turns, before=message.seq) if settings.turns else []
    before = [turn for turn in before if turn.hidden is None and turn.role in ("user", "assistant")]
    # The model is told what is known, so that it can say what a message changes; suppressed memories stay unsaid.
    newest = work.memories.newest(scope, shared=True, limit=KNOWN_LOOKED_AT)
    applying = [
        memory for memory in newest if not memory.suppressed and memory.conversation in (None, scope.conversation)
    ]
    return Material(
        content=message.content, before=tuple(before), known=tuple(applying), said_at=message.created_at
    )


def _readable(work: UnitOfWork, waiting: UnreadMessage) -> Message | None:
    """Return the message, if it exists, is visible, and memory is not paused."""
    message = work.messages.with_ids(waiting.scope, [waiting.message]).get(waiting.message)
    if message is None or message.hidden is not None or is_paused(work, waiting.scope):
        return None
    return message


def may_be_sent(knowledge: KnowledgeBase, text: str) -> bool:
    """Return whether a message may be sent to a model: no order, nothing sensitive, no request to forget."""
    verdict = judge(knowledge, text)
    return not (isinstance(verdict, Quarantine | Forget) or (isinstance(verdict, Refuse) and verdict.sensitive))


async def _put_off(knowledge: KnowledgeBase, claim: ClaimedMessage, *, spent: int) -> Outcome:
    """Postpone a message, or drop it after too many attempts."""
    settings, tries = knowledge.settings.reading, claim.waiting.attempts + 1
    again = retry_at(knowledge.clock(), tries, settings)

    def work(unit: UnitOfWork) -> Outcome:
        _settle_tokens(unit, claim, spent)
        if tries >= settings.attempts:
            held = unit.unread.done(claim.scope, claim.waiting.message, claimed=claim.until)
            return "given_up" if held else "lost"
        held = unit.unread.postpone(claim.scope, claim.waiting.message, claimed=claim.until, due_at=again)
        return "failed" if held else "lost"

    return await knowledge.store.write(claim.scope, work)


def _source(claim: ClaimedMessage) -> SourceText:
    return SourceText(
        text=claim.material.text,
        said_at=claim.material.said_at,
        message=claim.waiting.message,
        conversation=claim.scope.conversation,
        before=claim.material.turns,
    )


def _settle(
    writer: KnowledgeWriter,
    knowledge: KnowledgeBase,
    claim: ClaimedMessage,
    source: SourceText,
    judged: list[JudgedStatement],
    *,
    spent: int,
) -> list[Fate] | None:
    """Save what the gate allows, and take the message off the list; None if somebody else holds it now."""
    _settle_tokens(writer.work, claim, spent)
    if not writer.work.unread.done(claim.scope, claim.waiting.message, claimed=claim.until):
        return None
    message = _readable(writer.work, claim.waiting)
    if message is None or message.content != claim.material.content:
        return []
    return [kept.fate for kept in keep_proposed(writer, knowledge, source, judged)]


def _settle_tokens(work: UnitOfWork, claim: ClaimedMessage, spent: int) -> None:
    """Replace the reserved tokens by those that were used."""
    work.usages.take(claim.scope, "reading", since=claim.since, amount=spent - claim.reserved)


def _count(reader: Reader, claim: ClaimedMessage, model: CountingModel, extraction: Extraction) -> None:
    reader.tally.add(claim.scope, "tokens", model.tokens)
    if (measures := telemetry.measures()) is not None:
        measures.reading_calls.inc(model.calls)
        measures.reading_tokens.inc(model.tokens)
        measures.reading_facts.labels("malformed").inc(extraction.malformed)
        measures.reading_facts.labels("proposed").inc(len(extraction.proposed))


def _count_fates(fates: list[Fate]) -> None:
    if (measures := telemetry.measures()) is not None:
        for fate in fates:
            measures.reading_facts.labels(fate).inc()
