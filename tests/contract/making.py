"""Nouns for the contract tests, made in one place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tests.clock import MIDDAY

from rememora.domain.event import ConversationDeleted, Event, event_of
from rememora.domain.message import Message, Role
from rememora.domain.scope import Scope
from rememora.ports.history import ReservedPlaces
from rememora.ports.index import EmbeddingModel, EmbeddingRun
from rememora.ports.outbox import Parked, Relay
from rememora.ports.store import Store, UnitOfWork

ANA = Scope("acme", "ana", "c1")
RUN = EmbeddingRun(number=1, model=EmbeddingModel("m", 1), state="current")
NEXT = EmbeddingRun(number=2, model=EmbeddingModel("n", 1), state="next")


def moment(seconds: float = 0) -> datetime:
    """Some seconds after midday."""
    return MIDDAY + timedelta(seconds=seconds)


def places(count: int, *, at: datetime = MIDDAY, channel: str = "chat") -> ReservedPlaces:
    """Room for `count` turns, all said at one moment."""
    return ReservedPlaces(messages=count, turns=count, first=at, last=at, channel=channel)


def said(scope: Scope, seq: int, *, content: str = "oi", id: str | None = None, role: Role = "user") -> Message:
    """A message at a place."""
    return Message(
        tenant=scope.tenant,
        user=scope.user,
        conversation=scope.conversation or "",
        seq=seq,
        id=id or f"m{seq}",
        role=role,
        content=content,
        modality="chat",
        attachments=(),
        metadata={},
        created_at=MIDDAY,
    )


def say(work: UnitOfWork, scope: Scope, contents: Sequence[str], *, at: datetime = MIDDAY) -> list[Message]:
    """Messages `m1, m2, …` at the end of a conversation, written by the repositories alone."""
    record = work.conversations.reserve(scope, places(len(contents), at=at))
    start = record.messages - len(contents) + 1
    messages = [said(scope, seq, content=content) for seq, content in enumerate(contents, start)]
    work.messages.add(scope, messages)
    return messages


def deleted(scope: Scope, messages: int = 1) -> Event:
    """An event of a scope."""
    return event_of(scope, ConversationDeleted(messages=messages), at=MIDDAY)


def tell(work: UnitOfWork, scope: Scope, messages: int = 1) -> Event:
    """An event of a scope, in the outbox."""
    return work.outbox.add(scope, deleted(scope, messages))


def parked(event: Event, *, name: str = "mail", attempts: int = 1, after: float = 0, dead: bool = False) -> Parked:
    """An event that a subscriber did not take."""
    return Parked(
        subscriber=name, event=event, attempts=attempts, retry_at=moment(after), dead=dead, error="OSError"
    )


async def told(store: Store, scope: Scope, count: int = 1) -> list[Event]:
    """Several events of one scope, one transaction each."""
    return [await store.write(scope, lambda work: tell(work, scope)) for _ in range(count)]


async def spoken(store: Store, scope: Scope, contents: Sequence[str], *, at: datetime = MIDDAY) -> list[Message]:
    """Messages at the end of a conversation, in a transaction of their own."""
    return await store.write(scope, lambda work: say(work, scope, contents, at=at))


async def subscribed(store: Store, *names: str, from_start: bool = True) -> None:
    """Subscribers that are remembered."""

    def remember(view: Relay) -> None:
        for name in names:
            view.subscribe(name, from_start=from_start, at=MIDDAY)

    await store.relay(remember)


async def park(store: Store, *letters: Parked) -> None:
    """Several events parked, in order."""

    def put(view: Relay) -> None:
        for letter in letters:
            view.park(letter)

    await store.relay(put)
