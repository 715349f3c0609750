"""`UserEntities` without `await`; `make sync` writes this file from `handles/user/entities.py`."""

from __future__ import annotations

import builtins
from typing import Any, Unpack

from rememora.domain.entity import Entity, MentionOptions
from rememora.handles.deprecated import OldCall
from rememora.handles.user import entities as wrapped
from rememora.portal import Portal


class SyncUserEntities(OldCall):
    """The entities that one user mentions, with their counts."""

    def __init__(self, portal: Portal, inner: wrapped.UserEntities) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def list(self, *, limit: int = 10, type: str | None = None) -> builtins.list[Entity]:
        """List the entities this user mentions most, then most recently."""
        return self._portal.run(self._inner.list(limit=limit, type=type))

    def mention(self, type: str, key: str, value: Any, **mentioned: Unpack[MentionOptions]) -> Entity:
        """Count a mention of something structured: a campaign, a person, a product."""
        return self._portal.run(self._inner.mention(type, key, value, **mentioned))

    def forget(self, entity: str) -> Entity:
        """Forget one mentioned entity, by its key or id; a later mention starts a new count."""
        return self._portal.run(self._inner.forget(entity))

    def restore(self, entity: str) -> Entity:
        """Let one forgotten thing be known again, with its count, by its key or id."""
        return self._portal.run(self._inner.restore(entity))

    def restore_all(self) -> builtins.list[Entity]:
        """Let the mentions that were forgotten with everything else be known again, with their counts."""
        return self._portal.run(self._inner.restore_all())
