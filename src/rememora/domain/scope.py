"""Owner of a memory: the first parameter of every port method."""

from __future__ import annotations

import msgspec

from rememora.domain.check import check_name

SHARED = "*"
"""Stands for all users of a tenant; no person may be called so."""


class Scope(msgspec.Struct, frozen=True):
    """One user of one tenant, and the conversation where there is one."""

    tenant: str
    user: str
    conversation: str | None = None

    def __post_init__(self) -> None:
        check_name("tenant", self.tenant)
        check_name("user", self.user)
        if self.conversation is not None:
            check_name("conversation", self.conversation)

    def person(self) -> Scope:
        """The same user, outside of any conversation."""
        return self if self.conversation is None else Scope(self.tenant, self.user)

    def within(self, conversation: str) -> Scope:
        """The same user, inside one conversation."""
        return Scope(self.tenant, self.user, check_name("conversation", conversation))

    def shared(self) -> Scope:
        """Return the scope of the tenant as a whole, which every user of it may read."""
        return Scope(self.tenant, SHARED)
