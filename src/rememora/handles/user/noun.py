"""The base of the nouns of one user."""

from __future__ import annotations

from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.knowledge import keep
from rememora.wiring.parts import Parts


class UserNoun:
    """One user of one tenant, and the actor."""

    def __init__(self, parts: Parts, scope: Scope, *, actor: Actor) -> None:
        self._parts = parts
        self._scope = scope
        self._actor = actor

    def __repr__(self) -> str:
        return f"{type(self).__name__}(user={self._scope.user!r}, tenant={self._scope.tenant!r})"

    async def _look(self) -> None:
        """Refuse a reader without right or reason, and record each reader of another person's memory."""
        await keep.look(self._parts.desk, self._scope, actor=self._actor)
