"""A mission: one complex request that several agents work on, as one typed document (W1)."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

import msgspec

from rememora.domain.event import Payload
from rememora.domain.mission_bus import MessageBus
from rememora.domain.mission_intake import Count, Intake, Moment, Name, Orchestrator
from rememora.domain.mission_work import Coordinator, Executors, FinalAnswer
from rememora.domain.scope import Scope

Status = Literal["active", "completed", "timeout", "failed"]
T_co = TypeVar("T_co", covariant=True)


class Mission(msgspec.Struct, frozen=True, kw_only=True):
    """Working memory of a team of agents: its owner, its state, and a section per layer."""

    id: str
    tenant: str
    user: str
    created_at: Moment
    expires_at: Moment
    intake: Intake
    orchestrator: Orchestrator
    session: str | None = None
    status: Status = "active"
    closed_at: Moment | None = None
    revision: Count = 0
    bus: MessageBus = MessageBus()
    coordinators: dict[Name, Coordinator] = {}
    executors: Executors = Executors()
    final: FinalAnswer = FinalAnswer()

    @property
    def scope(self) -> Scope:
        """Return the scope of the mission's owner."""
        return Scope(tenant=self.tenant, user=self.user, conversation=self.session)


class MissionChange(msgspec.Struct, Generic[T_co], frozen=True, kw_only=True):
    """Decision of a planner: the changed mission, the events to publish, and the answer."""

    outcome: T_co
    mission: Mission | None = None
    events: tuple[Payload, ...] = ()


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """A mission that is due: to be timed out, or to be deleted."""

    scope: Scope
    mission_id: str
    status: Status
    expired: bool
