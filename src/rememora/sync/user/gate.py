"""`UserGate` without `await`; `make sync` writes this file from `handles/user/gate.py`."""

from __future__ import annotations

from typing import Unpack

from rememora.context.two_readings import TwoReadings
from rememora.domain.memory import Attempt, Outcome
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.handles.user import gate as wrapped
from rememora.knowledge.note import MessageOptions
from rememora.portal import Portal
from rememora.ports.outside import Model


class SyncUserGate:
    """The gate, as it reads and judges the messages of one user."""

    def __init__(self, portal: Portal, inner: wrapped.UserGate) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def note(self, text: str, **heard: Unpack[MessageOptions]) -> Outcome:
        """Judge a message and do what it asks: keep, ask, forget, correct, or hold it apart."""
        return self._portal.run(self._inner.note(text, **heard))

    def judge(self, text: str, *, origin: Origin = Origin.USER_SAID, insists: bool = False) -> AnyVerdict:
        """Judge a message with the gate; nothing is written."""
        return self._portal.run(self._inner.judge(text, origin=origin, insists=insists))

    def read(self, text: str, *, model: bool = False) -> TwoReadings:
        """Read a text without the model and, with `model`, with the configured one too; nothing is written."""
        return self._portal.run(self._inner.read(text, model=model))

    def infer(
        self, text: str, model: Model, *, origin: Origin = Origin.USER_SAID, ref: str | None = None
    ) -> Outcome:
        """Keep what a language model reads in a message, as far as the gate lets it."""
        return self._portal.run(self._inner.infer(text, model, origin=origin, ref=ref))

    def attempts(self, *, limit: int = 100) -> list[Attempt]:
        """Tries at keeping something, newest first, with what the gate said of each."""
        return self._portal.run(self._inner.attempts(limit=limit))
