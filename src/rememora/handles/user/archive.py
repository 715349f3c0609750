"""The archive of one user: all that is held, out of a store and into one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rememora.domain.memory import Outcome
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import export, imported_notes
from rememora.knowledge.export import Imported
from rememora.telemetry import GATE, spanned


class UserArchive(UserNoun):
    """All that is held about one user, to take out or to bring in."""

    async def export(self) -> dict[str, Any]:
        """All that is held about this user, as JSON."""
        await self._look()
        return await export.export(self._parts.store, self._scope, at=self._parts.clock())

    async def load(self, document: Mapping[str, Any]) -> Imported:
        """Take an export in; what is here already is left as it is."""
        taken = await export.load(self._parts.desk, self._scope, document, actor=self._actor)
        if (windows := self._parts.windows) is not None:
            await windows.drop(self._scope)
        return taken

    @spanned(GATE, text="text")
    async def load_note(self, text: str, *, ref: str, at: datetime | None = None, whole: bool = False) -> Outcome:
        """Import a sentence that another product remembers, known there as `ref` since `at`.

        It passes the gate and replaces nothing; one that was imported before has no verdict and changes nothing.
        With `whole` none is lost: text that the gate would ask about or refuse is kept unchanged under
        `user.imported…`, sensitive data hidden (`suppressed`), and text that gives orders is quarantined.
        """
        told = imported_notes.ImportedSentence(text=text, ref=ref, at=at, whole=whole)
        return await imported_notes.bring(self._parts.desk, self._scope, told, actor=self._actor)
