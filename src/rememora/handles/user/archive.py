"""Export and import of everything that is stored about one user."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rememora.domain.memory import Outcome
from rememora.domain.scope import Scope
from rememora.errors import InvalidInput
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import export, imported_notes
from rememora.knowledge.export import Imported
from rememora.telemetry import GATE, spanned


class UserArchive(UserNoun):
    """Export and import of everything that is stored about one user."""

    async def export(self) -> dict[str, Any]:
        """Export everything about this user as JSON, with the memory of each agent under `agents`."""
        await self._look()
        store, scope, now = self._parts.store, self._scope, self._parts.clock()
        document = await export.export(store, scope, at=now)
        if scope.agent is not None:
            return document
        names = await store.read(scope, lambda work: work.memories.agents(scope))
        document["agents"] = {name: await export.export(store, scope.of_agent(name), at=now) for name in names}
        return document

    async def agents(self) -> list[str]:
        """List the agents that keep a memory of their own about this user, by name."""
        await self._look()
        return await self._parts.store.read(self._scope, lambda work: work.memories.agents(self._scope))

    async def load(self, document: Mapping[str, Any]) -> Imported:
        """Import an export, with the memories of agents; existing items stay as they are."""
        agents = export.agents_of(document)
        if agents and self._scope.agent is not None:
            raise InvalidInput("agents", "belong to a user: load this export without an agent")
        taken = [await self._load(self._scope, document)]
        taken += [await self._load(self._scope.of_agent(name), agents[name]) for name in agents]
        return export.summed(taken)

    async def _load(self, scope: Scope, document: Mapping[str, Any]) -> Imported:
        taken = await export.load(self._parts.desk, scope, document, actor=self._actor)
        if (windows := self._parts.windows) is not None:
            await windows.drop(scope)
        return taken

    @spanned(GATE, text="text")
    async def load_note(
        self, text: str, *, ref: str, at: datetime | None = None, whole: bool = False, separate: bool = False
    ) -> Outcome:
        """Import a sentence that another product remembers under `ref` since `at`.

        It passes the gate and replaces nothing; importing it again changes nothing and returns no verdict.
        With `whole`, nothing is lost: text that the gate would ask about or refuse is kept unchanged under
        `user.imported…`, sensitive data is suppressed, and text that gives orders is quarantined. With `separate`,
        it is kept although the same words are known under another `ref`.
        """
        note = imported_notes.ImportedSentence(text=text, ref=ref, at=at, whole=whole, separate=separate)
        return await imported_notes.bring(self._parts.desk, self._scope, note, actor=self._actor)
