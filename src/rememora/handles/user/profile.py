"""The base profile of one user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rememora.domain.profile import Profile
from rememora.handles.user.noun import UserNoun
from rememora.knowledge import profile as seed
from rememora.knowledge.profile import Ref, Seeded


class UserProfile(UserNoun):
    """The base profile of one user, as filled in by an onboarding form."""

    async def seed(
        self, /, profile: Profile | Mapping[str, Any] | None = None, *, ref: Ref = "onboarding", **fields: Any
    ) -> Seeded:
        """Write the base profile, with our field names or those of a form; repeating it changes nothing.

        Fields shared by the company change only with the right `write_shared`; without it, only empty ones are
        filled, and the others are in `left`, with the reason.
        """
        known = {**fields} if profile is None else profile
        return await seed.seed(self._parts.desk, self._scope, known, actor=self._actor, ref=ref)
