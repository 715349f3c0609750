"""The base of the nouns of one tenant."""

from __future__ import annotations

from collections.abc import Collection

from rememora.domain.rights import ADMIN, Actor, Rights
from rememora.domain.scope import Scope
from rememora.wiring.parts import Parts


class TenantNoun:
    """One tenant, and who acts on it; `modules` limits the tasks that may be taken."""

    def __init__(
        self, parts: Parts, scope: Scope, *, rights: Rights = ADMIN, modules: Collection[str] | None = None
    ) -> None:
        self._parts = parts
        self._scope = scope
        self._actor = Actor(scope.user, rights)
        self._modules = None if modules is None else frozenset(modules)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._scope.tenant!r}, acting={self._scope.user!r})"
