"""The gate for one user: reading and judging messages, and the record of attempts."""

from __future__ import annotations

from typing import Unpack

from rememora.context.two_readings import TwoReadings, read_both
from rememora.domain.memory import Attempt, Outcome
from rememora.domain.verdict import AnyVerdict, Origin
from rememora.errors import UsageError
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import note, proposed, trace
from rememora.knowledge.explained import explained
from rememora.knowledge.note import MessageOptions
from rememora.ports.outside import Model
from rememora.telemetry import GATE, spanned


class UserGate(UserNoun):
    """The gate, as it reads and judges the messages of one user."""

    @spanned(GATE, text="text")
    async def note(self, text: str, **heard: Unpack[MessageOptions]) -> Outcome:
        """Judge a message and do what it asks: save, ask, forget, correct or quarantine."""
        return await note.note_or_point(self._parts.desk, self._scope, text, actor=self._actor, **heard)

    @spanned(GATE, text="text")
    async def judge(
        self, text: str, *, origin: Origin = Origin.USER_SAID, insists: bool = False, explain: bool = False
    ) -> AnyVerdict:
        """Judge a message with the gate; nothing is written.

        With `explain` the verdict's `words` say which words spoke for each decision, and which known memories the
        facts of the message most likely touch. It takes some sixty readings: it is for people, not for a turn.
        """
        verdict = await note.judge_apart(self._parts.desk, text, origin=origin, insists=insists)
        if not explain:
            return verdict
        await self._look()
        return await explained(self._parts.desk, text, verdict, owner=self._scope)

    @spanned(GATE, text="text")
    async def read(self, text: str, *, model: bool = False) -> TwoReadings:
        """Read a text with the offline reader and, with `model`, with the configured model; nothing is written.

        The offline verdict is explained: its `words` are those of `judge(explain=True)`, of the text alone.
        """
        reader = self._parts.reader
        if model and reader is None:
            raise UsageError("no language model is configured: `model.provider` names one")
        return await read_both(self._parts.desk, self._scope, text, reader=reader if model else None)

    async def infer(
        self, text: str, model: Model, *, origin: Origin = Origin.USER_SAID, ref: str | None = None
    ) -> Outcome:
        """Save what a language model reads in a message, as far as the gate allows it."""
        return await proposed.infer(
            self._parts.desk, self._scope, text, model, actor=self._actor, origin=origin, ref=ref
        )

    async def attempts(self, *, limit: int = 100) -> list[Attempt]:
        """List attempts to save something, newest first, each with its verdict."""
        await self._look()
        return await trace.attempts(self._parts.store, self._scope, limit=limit)
