"""The journal of an idempotency key: each write under the key is noted in the write's own transaction.

A write that was noted is not done again: it answers what it answered the first time. So a crash, a timeout or a
second process with the same key can fall between any two writes of a request, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import msgspec

from rememora.adapters.sql.columns import of_person, to_micros
from rememora.adapters.sql.packing import packed, unpacked
from rememora.adapters.sql.transaction import Transaction
from rememora.domain.scope import Scope
from rememora.errors import Conflict
from rememora.ports.tenancy import IdempotentAnswer

T = TypeVar("T")
Work = Callable[[Transaction], T]
_raw_steps = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Journal:
    """The writes of one request under one key, numbered in the order they are asked for."""

    def __init__(self, scope: Scope, key: str, begun: IdempotentAnswer) -> None:
        self._row = {**of_person(scope), "id": key, "begun_at": to_micros(begun.begun_at)}
        self._fingerprint = begun.fingerprint
        self._count = 0

    def step(self, work: Work[T]) -> Work[T]:
        """The next write of the request: done and noted together, or answered from its note."""
        name = str(self._count)
        self._count += 1

        def noted(transaction: Transaction) -> T:
            steps = self._steps(transaction)
            if name in steps:
                before: T = unpacked(bytes(steps[name]))
                return before
            result = work(transaction)
            steps[name] = msgspec.Raw(packed(result))
            noting = {"fingerprint": self._fingerprint, "steps": msgspec.json.encode(steps)}
            transaction.run("note_steps", {**self._row, **noting})
            return result

        return noted

    def _steps(self, transaction: Transaction) -> dict[str, msgspec.Raw]:
        row = transaction.one("answer_steps", {name: self._row[name] for name in ("tenant", "user", "id")})
        if row is None:
            return {}
        fingerprint, steps = row
        if bytes(fingerprint) != self._fingerprint:
            raise Conflict("this Idempotency-Key was used for another request")
        return {} if steps is None else _raw_steps(bytes(steps))


_current: ContextVar[Journal | None] = ContextVar("journal", default=None)


@contextmanager
def journal(scope: Scope, key: str, begun: IdempotentAnswer) -> Iterator[None]:
    """Note every write that is asked for inside under the key."""
    token = _current.set(Journal(scope, key, begun))
    try:
        yield
    finally:
        _current.reset(token)


def noted(work: Work[T]) -> Work[T]:
    """The write as the journal of the running request wants it; unchanged where there is none."""
    running = _current.get()
    return work if running is None else running.step(work)
