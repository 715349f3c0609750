"""`UserArchive` without `await`; `make sync` writes this file from `handles/user/archive.py`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rememora.domain.memory import Outcome
from rememora.handles.user import archive as wrapped
from rememora.knowledge.export import Imported
from rememora.portal import Portal


class SyncUserArchive:
    """All that is held about one user, to take out or to bring in."""

    def __init__(self, portal: Portal, inner: wrapped.UserArchive) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def export(self) -> dict[str, Any]:
        """All that is held about this user, as JSON, with the memory of each agent under `agents`."""
        return self._portal.run(self._inner.export())

    def agents(self) -> list[str]:
        """List the agents that keep a memory of their own about this user, by name."""
        return self._portal.run(self._inner.agents())

    def load(self, document: Mapping[str, Any]) -> Imported:
        """Take an export in, with the memories of agents; what is here already is left as it is."""
        return self._portal.run(self._inner.load(document))

    def load_note(self, text: str, *, ref: str, at: datetime | None = None, whole: bool = False) -> Outcome:
        """Import a sentence that another product remembers, known there as `ref` since `at`.

        It passes the gate and replaces nothing; one that was imported before has no verdict and changes nothing.
        With `whole` none is lost: text that the gate would ask about or refuse is kept unchanged under
        `user.imported…`, sensitive data hidden (`suppressed`), and text that gives orders is quarantined."""
        return self._portal.run(self._inner.load_note(text, ref=ref, at=at, whole=whole))
