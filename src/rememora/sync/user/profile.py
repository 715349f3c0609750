"""`UserProfile` without `await`; `make sync` writes this file from `handles/user/profile.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rememora.domain.profile import Profile
from rememora.handles.user import profile as wrapped
from rememora.knowledge.profile import Ref, Seeded
from rememora.portal import Portal


class SyncUserProfile:
    """The base profile of one user, as an onboarding form fills it."""

    def __init__(self, portal: Portal, inner: wrapped.UserProfile) -> None:
        self._portal = portal
        self._inner = inner

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"

    def seed(
        self, profile: Profile | Mapping[str, Any] | None = None, *, ref: Ref = "onboarding", **fields: Any
    ) -> Seeded:
        """Write the base profile, under its own names or those of an onboarding form; twice changes nothing.

        What the company shares changes only with the right `write_shared`; without it a field that nobody has
        filled is filled, and every other one is in `left`, with the reason."""
        return self._portal.run(self._inner.seed(profile, ref=ref, **fields))
