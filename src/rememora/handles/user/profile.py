"""The base profile of one user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rememora.domain.profile import Profile
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import profile as seed
from rememora.knowledge.profile import Ref, Seeded


class UserProfile(UserNoun):
    """The base profile of one user, as an onboarding form fills it."""

    async def seed(
        self, /, profile: Profile | Mapping[str, Any] | None = None, *, ref: Ref = "onboarding", **fields: Any
    ) -> Seeded:
        """Write the base profile, under its own names or those of an onboarding form; twice changes nothing.

        What the company shares changes only with the right `write_shared`; without it a field that nobody has
        filled is filled, and every other one is in `left`, with the reason.
        """
        known = {**fields} if profile is None else profile
        return await seed.seed(self._parts.desk, self._scope, known, actor=self._actor, ref=ref)
