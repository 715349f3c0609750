"""Queries all layers at once, within one deadline: a turn continues without late ones."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from rememora.domain.context import SECTIONS, Absence, Item, MissingLayer, Situation
from rememora.domain.scope import Scope

logger = logging.getLogger(__name__)

STARVED = 1.5
DEADLINES_AT_MOST = 3


class PackRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Request for a context pack."""

    scope: Scope
    query: str
    language: str
    now: datetime
    situation: Situation
    """The situation as the host states it."""
    claimed: Situation = Situation()
    """The situation as a caller claims it who may not set it."""
    before: int | None = None
    """Upper limit of positions in the conversation: the message being answered is not its own past."""
    budget: int = 3_000
    """Token budget of the pack: a layer need not find more than that."""
    only: frozenset[str] | None = None
    """The layers to query; None for all."""
    misses: list[MissingLayer] = []
    """Callback with which a layer reports what it is missing, although it returns something."""


class Source(Protocol):
    """One layer of memory: returns its items; may fail, may be slow."""

    async def __call__(self, request: PackRequest, /) -> Sequence[Item]: ...


class Readiness(Protocol):
    """Dependencies of the layers that are slow to load and must be closed."""

    async def ready(self) -> None:
        """Load it, once, before the deadline of any pack starts."""

    async def prepare(self, scope: Scope) -> None:
        """Load the dependencies of a person's layers, before the deadline of their pack starts."""

    async def close(self) -> None: ...


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """A source with the name by which it is switched and reported."""

    name: str
    source: Source
    on: bool = True
    essential: bool = False
    """An essential layer, for which the pack waits a little longer."""
    recalls: bool = False
    """Whether it searches the person's index, which must be loaded first."""


class GatheredItems(msgspec.Struct, frozen=True, kw_only=True):
    """Items of the layers, and the layers that returned none."""

    items: tuple[Item, ...]
    missing: tuple[MissingLayer, ...]


class Gatherer:
    """The layers of one store, with the count of their failures."""

    def __init__(
        self, layers: Sequence[Layer], *, deadline_seconds: float, ground: Readiness | None = None
    ) -> None:
        self._layers = tuple(layers)
        self._ground = ground
        self._deadline_seconds = deadline_seconds
        self.misses: Counter[tuple[str, Absence]] = Counter()

    async def ready(self) -> None:
        """Load the dependencies of the layers, which the first request would otherwise wait for."""
        if self._ground is not None:
            await self._ground.ready()

    async def gather(self, request: PackRequest) -> GatheredItems:
        """Return everything that arrives in time, in the order of the layers."""
        await self.ready()
        layers = [layer for layer in self._layers if request.only is None or layer.name in request.only]
        if self._ground is not None and any(layer.on and layer.recalls for layer in layers):
            await self._ground.prepare(request.scope)
        tasks = {layer.name: asyncio.ensure_future(layer.source(request)) for layer in layers if layer.on}
        try:
            # All layers share one deadline; essential ones (the conversation itself) get a second one, because
            # a pack without them is worthless.
            await self._wait(tasks.values())
            await self._wait([tasks[layer.name] for layer in layers if layer.on and layer.essential])
            outcomes = {name: _outcome(name, task) for name, task in tasks.items()}
        finally:
            for task in tasks.values():
                task.cancel()
        return self._sorted(layers, outcomes, request.misses)

    async def close(self) -> None:
        """Release the dependencies of the layers."""
        if self._ground is not None:
            await self._ground.close()

    async def _wait(self, tasks: Collection[asyncio.Future[Sequence[Item]]]) -> None:
        """Wait for a deadline; extend it if the machine itself was late, since no layer had that time."""
        clock = asyncio.get_running_loop().time
        for _ in range(DEADLINES_AT_MOST):
            waiting = [task for task in tasks if not task.done()]
            begun = clock()
            if waiting:
                await asyncio.wait(waiting, timeout=self._deadline_seconds)
            if clock() - begun < STARVED * self._deadline_seconds:
                return

    def _sorted(
        self,
        layers: Sequence[Layer],
        outcomes: Mapping[str, Sequence[Item] | Absence],
        named: Sequence[MissingLayer],
    ) -> GatheredItems:
        items: list[Item] = []
        missing = list(dict.fromkeys(named))
        for layer in layers:
            outcome = outcomes.get(layer.name, "off")
            if isinstance(outcome, str):
                missing.append(MissingLayer(layer=layer.name, why=outcome))
            else:
                items.extend(outcome)
        self._count(missing)
        return GatheredItems(items=tuple(sorted(items, key=_place)), missing=tuple(missing))

    def _count(self, missing: Sequence[MissingLayer]) -> None:
        for miss in missing:
            if miss.why != "off":
                self.misses[miss.layer, miss.why] += 1


def _outcome(name: str, task: asyncio.Future[Sequence[Item]]) -> Sequence[Item] | Absence:
    """Return a layer's items, or why there are none; a fault is a type name, since its text may hold content."""
    if not task.done():
        # It goes on behind the turn; its error must be heard, or asyncio complains of it.
        task.add_done_callback(_hear)
        logger.warning("the layer %r is late and left out of this context", name)
        return "late"
    error = None if task.cancelled() else task.exception()
    if task.cancelled() or error is not None:
        logger.warning("the layer %r failed and is left out of this context: %s", name, type(error).__name__)
        return "failed"
    return task.result()


def _hear(task: asyncio.Future[Sequence[Item]]) -> None:
    """Consume the result of a late layer, so that asyncio does not report it as never retrieved."""
    if not task.cancelled():
        task.exception()


def _place(item: Item) -> int:
    return SECTIONS.index(item.section)
