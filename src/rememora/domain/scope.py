"""Owner of a memory: the first parameter of every port method."""

from __future__ import annotations

import msgspec

from rememora.domain.check import check_name
from rememora.errors import InvalidInput

SHARED = "*"
"""Name that stands for all users of a tenant; no person may have it."""
AGENT_MARK = "#agent:"
"""Separator of user and agent in the name of an agent's own memory; no name may contain it."""


class Scope(msgspec.Struct, frozen=True):
    """One user of one tenant, and a conversation if there is one.

    For the memory that an agent keeps about the user, `user` names both: `ana#agent:support`.
    """

    tenant: str
    user: str
    conversation: str | None = None

    def __post_init__(self) -> None:
        check_name("tenant", self.tenant)
        check_name("user", self.user)
        if self.conversation is not None:
            check_name("conversation", self.conversation)

    def person(self) -> Scope:
        """Return the same user, outside of any conversation."""
        return self if self.conversation is None else Scope(self.tenant, self.user)

    def within(self, conversation: str) -> Scope:
        """Return the same user, inside one conversation."""
        return Scope(self.tenant, self.user, check_name("conversation", conversation))

    def shared(self) -> Scope:
        """Return the scope of the whole tenant, which every user of it may read."""
        return Scope(self.tenant, SHARED)

    @property
    def human(self) -> str:
        """Return the name of the user, without the agent whose memory it is."""
        return split_owner(self.user)[0]

    @property
    def agent(self) -> str | None:
        """Return the agent whose memory of the user it is; None for the memory that all agents share."""
        return split_owner(self.user)[1]

    def of_agent(self, agent: str) -> Scope:
        """Return the scope of the memory that one agent keeps about the same user."""
        return Scope(self.tenant, owner_of(self.human, agent))


def owner_of(user: str, agent: str | None = None) -> str:
    """Return the name that a memory is stored under: the user's, or that of the user and one agent."""
    for field, name in (("user", user), ("agent", agent)):
        if name is not None and AGENT_MARK in check_name(field, name):
            raise InvalidInput(field, f"must not hold {AGENT_MARK!r}")
    return user if agent is None else f"{user}{AGENT_MARK}{agent}"


def split_owner(owner: str) -> tuple[str, str | None]:
    """Return the user and the agent of a name that a memory is stored under."""
    user, _, agent = owner.partition(AGENT_MARK)
    return (user, agent) if user and agent else (owner, None)
