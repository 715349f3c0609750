"""The parts that verbs are given, and the overrides of a host or a test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from rememora.context.count import Counter
from rememora.context.model_reading import Reader
from rememora.domain.modules import Modules
from rememora.knowledge.base import KnowledgeBase
from rememora.knowledge.eraser import Eraser
from rememora.language import count_tokens
from rememora.missions.debug import DebugViews
from rememora.missions.service import Missions
from rememora.ports.outside import Clock, Embedder, Model, Passwords, Reranker
from rememora.ports.responder import Responder
from rememora.ports.store import Store
from rememora.ports.stream import PublishedEvents
from rememora.ports.vectors import Vectors
from rememora.ports.window import WindowCache
from rememora.settings import Settings
from rememora.tenancy.idempotency import IdempotentRequests
from rememora.tenancy.quotas import UsageMeter
from rememora.tenancy.trends import TrendRecorder
from rememora.turn import TurnRunner
from rememora.worker import Worker

if TYPE_CHECKING:
    from rememora.recall.search import Searcher

T = TypeVar("T")


class Overrides(msgspec.Struct, frozen=True, kw_only=True):
    """Overrides by a host or a test of what the settings would choose."""

    clock: Clock
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    model: Model | None = None
    responder: Responder | None = None
    counter: Counter = count_tokens
    vectors: Vectors | None = None


class Lazy(Generic[T]):
    """A part that is created on first use."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.made: T | None = None

    def __call__(self) -> T:
        if self.made is None:
            self.made = self._make()
        return self.made


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """Services that the verbs are given."""

    settings: Settings
    store: Store
    clock: Clock
    worker: Worker
    desk: KnowledgeBase
    eraser: Eraser
    searcher: Lazy[Searcher]
    turns: TurnRunner
    missions: Missions
    modules: Modules
    debug: DebugViews
    tally: UsageMeter
    repeats: IdempotentRequests
    passwords: Passwords
    trends: TrendRecorder
    reader: Reader | None = None
    """Reads texts with a language model, if there is one."""
    windows: WindowCache | None = None
    told: PublishedEvents | None = None
    closing: list[Callable[[], Awaitable[None]]] = []
    """Other resources that are closed at the end."""


def utc_now() -> datetime:
    """The system's clock."""
    return datetime.now(UTC)
