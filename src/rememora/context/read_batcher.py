"""Batches reads of one event loop step into one round trip to the store: a turn's layers all read at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from rememora.domain.scope import Scope
from rememora.ports.store import StoreReader, UnitOfWork

T = TypeVar("T")
Work = Callable[[UnitOfWork], Any]


class _PendingRead(msgspec.Struct, frozen=True):
    work: Work
    answer: asyncio.Future[Any]


class ReadBatcher:
    """Collects reads of one event loop step, and runs them scope by scope.

    Each keeps its own outcome: after a failure the others continue, in a fresh unit of work.
    """

    def __init__(self, store: StoreReader) -> None:
        self._store = store
        self._asked: dict[Scope, list[_PendingRead]] = {}
        self._running: set[asyncio.Task[None]] = set()

    async def read(self, scope: Scope, work: Callable[[UnitOfWork], T]) -> T:
        """Read like the store's own `read`."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        if not self._asked:
            loop.call_soon(self._begin)
        self._asked.setdefault(scope, []).append(_PendingRead(work, answer))
        return await answer

    def _begin(self) -> None:
        pending, self._asked = self._asked, {}
        for scope, those in pending.items():
            task = asyncio.ensure_future(self._answer(scope, those))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    async def _answer(self, scope: Scope, pending: list[_PendingRead]) -> None:
        rest = [pending_read for pending_read in pending if not pending_read.answer.done()]
        while rest:
            works = [waiting.work for waiting in rest]
            try:
                values, error = await self._store.read(scope, partial(_in_a_row, works=works))
            except Exception as refused:
                # The store itself does not answer: the first hears why, the next asks again.
                values, error = [], refused
            for request, value in zip(rest, values, strict=False):
                if not request.answer.done():
                    request.answer.set_result(value)
            if error is not None and not rest[len(values)].answer.done():
                rest[len(values)].answer.set_exception(error)
            rest = rest[len(values) + 1 :]


def _in_a_row(unit: UnitOfWork, works: Sequence[Work]) -> tuple[list[Any], Exception | None]:
    """Run each function up to the first that fails; return the results and the error."""
    values: list[Any] = []
    for work in works:
        try:
            values.append(work(unit))
        except Exception as error:
            # It belongs to whoever asked for this one.
            return values, error
    return values, None
